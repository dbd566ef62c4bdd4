package dev.pheromone.envelope;

/// The trace that an envelope belongs to, as W3C Trace Context writes it: `00-<32 hex>-<16 hex>-<2
/// hex>`.
public record TraceParent(String text) {

    private static final int LENGTH = 55;

    public TraceParent {
        if (!isValid(text)) {
            throw new IllegalArgumentException(
                    "traceparent: found \"" + text + "\", expected 00-<32 hex>-<16 hex>-<2 hex>");
        }
    }

    /// Reads a header of that name; fails on anything else.
    public static TraceParent parse(String text) {
        return new TraceParent(text);
    }

    private static boolean isValid(String text) {
        if (text.length() != LENGTH || text.startsWith("ff")) {
            return false;
        }
        boolean traceIsZero = true;
        boolean spanIsZero = true;
        for (int i = 0; i < LENGTH; i++) {
            char c = text.charAt(i);
            boolean dash = i == 2 || i == 35 || i == 52;
            if (dash ? c != '-' : !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
                return false;
            }
            traceIsZero &= i < 3 || i >= 35 || c == '0';
            spanIsZero &= i < 36 || i >= 52 || c == '0';
        }
        return !traceIsZero && !spanIsZero;
    }

    @Override
    public String toString() {
        return text;
    }
}
