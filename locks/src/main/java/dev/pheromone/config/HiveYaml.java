package dev.pheromone.config;

import dev.pheromone.HiveConfig;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Reads `hive.yaml`: bytes in, configuration out.
public final class HiveYaml {

    private static final byte[] FORMAT_LINE = "format: 1".getBytes(StandardCharsets.US_ASCII);

    private HiveYaml() {}

    /// What the file says, and the defaults for what it does not say.
    public static HiveConfig parse(byte[] bytes) throws MalformedYamlException {
        return saysNothing(bytes) ? HiveConfig.defaults() : HiveYamlReader.read(bytes);
    }

    /// Whether there are only comments, empty lines and the format, as in a fresh hive: most
    /// commands need not pay for loading a YAML reader.
    private static boolean saysNothing(byte[] bytes) {
        boolean formatSeen = false;
        int start = 0;
        while (start < bytes.length) {
            int end = start;
            while (end < bytes.length && bytes[end] != '\n') {
                // What could be malformed or mean something elsewhere is left to the real reader.
                if (bytes[end] < ' ' || bytes[end] == 0x7F) {
                    return false;
                }
                end++;
            }
            if (isFormatLine(bytes, start, end) && !formatSeen) {
                formatSeen = true;
            } else if (end > start && bytes[start] != '#') {
                return false;
            }
            start = end + 1;
        }
        return true;
    }

    private static boolean isFormatLine(byte[] bytes, int start, int end) {
        return Arrays.equals(bytes, start, end, FORMAT_LINE, 0, FORMAT_LINE.length);
    }
}
