package dev.pheromone.config;

/// The `format` key that our files begin with: what a newer program wrote, an older one must not
/// guess at.
final class FormatNumber {

    private FormatNumber() {}

    /// Checked before anything else, so that a newer file's other keys are not called mistakes.
    static void check(YamlFields root, int ours) throws MalformedYamlException {
        root.value("format", text -> parse(text, ours), ours);
    }

    private static int parse(String text, int ours) {
        int format = Count.parse(text);
        if (format > ours) {
            throw new IllegalArgumentException(
                    "format: found %d, expected %d: upgrade rsm".formatted(format, ours));
        }
        return format;
    }
}
