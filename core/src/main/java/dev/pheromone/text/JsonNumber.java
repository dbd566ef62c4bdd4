package dev.pheromone.text;

import java.util.OptionalLong;

/// The grammar of JSON numbers, and whole numbers out of it without ever building a huge one.
final class JsonNumber {

    private JsonNumber() {}

    static boolean isValid(String raw) {
        int end = raw.length();
        int at = at(raw, 0) == '-' ? 1 : 0;
        int whole = digits(raw, at);
        if (whole == at || (raw.charAt(at) == '0' && whole > at + 1)) {
            return false;
        }
        at = whole;
        if (at(raw, at) == '.') {
            int fraction = digits(raw, at + 1);
            if (fraction == at + 1) {
                return false;
            }
            at = fraction;
        }
        if (at(raw, at) == 'e' || at(raw, at) == 'E') {
            int sign = at(raw, at + 1) == '+' || at(raw, at + 1) == '-' ? at + 2 : at + 1;
            int exponent = digits(raw, sign);
            if (exponent == sign) {
                return false;
            }
            at = exponent;
        }
        return at == end;
    }

    /// The whole number, if `raw` is one and fits; `1.0` and `1e3` are whole, `1e999999999` does
    /// not fit.
    static OptionalLong longValue(String raw) {
        try {
            return OptionalLong.of(Long.parseLong(raw));
        } catch (NumberFormatException notPlain) {
            double value = Double.parseDouble(raw);
            // Beyond 2^53 a double no longer tells neighbours apart.
            boolean exact = value == Math.rint(value) && Math.abs(value) <= 0x1p53;
            return exact ? OptionalLong.of((long) value) : OptionalLong.empty();
        }
    }

    private static char at(String raw, int index) {
        return index < raw.length() ? raw.charAt(index) : '\0';
    }

    private static int digits(String raw, int from) {
        int at = from;
        while (at < raw.length() && raw.charAt(at) >= '0' && raw.charAt(at) <= '9') {
            at++;
        }
        return at;
    }
}
