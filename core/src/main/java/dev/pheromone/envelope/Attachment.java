package dev.pheromone.envelope;

/// Content that is too large for a body: where it lies, and what it hashes to. Written `path
/// sha256:<hex>`.
///
/// A path is text here. It is never opened by itself; whoever opens it asks the guard first and
/// checks the hash.
public record Attachment(String path, ContentHash hash) {

    public Attachment {
        if (path.isEmpty() || path.startsWith(" ") || path.endsWith(" ")) {
            throw new IllegalArgumentException(
                    "attachment: found path \""
                            + path
                            + "\", expected one that neither is empty nor begins or ends with a"
                            + " space");
        }
    }

    /// Reads what stands in a header; fails on anything else.
    public static Attachment parse(String text) {
        int space = text.lastIndexOf(' ');
        if (space <= 0) {
            throw new IllegalArgumentException(
                    "attachment: found \""
                            + text
                            + "\", expected a path, a space, and sha256: with 64 digits");
        }
        return new Attachment(
                text.substring(0, space), ContentHash.parse(text.substring(space + 1)));
    }

    @Override
    public String toString() {
        return path + " " + hash;
    }
}
