package dev.pheromone.server;

import java.util.Locale;

/// A text in the OpenMetrics format, which Prometheus and its like read: families of samples, each
/// with its labels.
final class OpenMetrics {

    static final String TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    /// What a family counts.
    enum Kind {
        /// Goes up and down.
        GAUGE(""),
        /// Only ever grows; its samples end so.
        COUNTER("_total");

        private final String suffix;

        Kind(String suffix) {
            this.suffix = suffix;
        }
    }

    private final StringBuilder text = new StringBuilder();
    private String name = "";

    /// Begins a family: the samples that follow are its own.
    OpenMetrics family(Kind kind, String family, String help) {
        text.append("# TYPE ").append(family).append(' ');
        text.append(kind.name().toLowerCase(Locale.ROOT)).append('\n');
        if (family.endsWith("_seconds")) {
            text.append("# UNIT ").append(family).append(" seconds\n");
        }
        text.append("# HELP ").append(family).append(' ').append(escaped(help)).append('\n');
        name = family + kind.suffix;
        return this;
    }

    /// Adds a sample of the family that was begun last.
    ///
    /// @param labels names and values, by turns
    void sample(long value, String... labels) {
        text.append(name);
        for (int i = 0; i < labels.length; i += 2) {
            text.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
            text.append(escaped(labels[i + 1])).append('"');
        }
        text.append(labels.length == 0 ? " " : "} ").append(value).append('\n');
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    /// All of it, with the line that shows that nothing was cut off.
    @Override
    public String toString() {
        return text + "# EOF\n";
    }
}
