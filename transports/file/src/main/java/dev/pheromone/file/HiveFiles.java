package dev.pheromone.file;

import dev.pheromone.HiveConfig;
import dev.pheromone.TrustList;

import java.io.IOException;
import java.nio.file.Path;

/// The two files that people write for a hive: its configuration and its trusted keys. Both are
/// optional.
final class HiveFiles {

    private final Disk files;
    private final HiveLayout layout;

    HiveFiles(Disk files, HiveLayout layout) {
        this.files = files;
        this.layout = layout;
    }

    HiveConfig config() throws IOException, MalformedYamlException {
        byte[] bytes = readIfThere(layout.configuration());
        try {
            return bytes.length == 0 ? HiveConfig.defaults() : HiveYaml.parse(bytes);
        } catch (MalformedYamlException e) {
            throw e.in(layout.nameOf(layout.configuration()));
        }
    }

    TrustList trust() throws IOException, MalformedYamlException {
        byte[] bytes = readIfThere(layout.trust());
        try {
            return bytes.length == 0 ? TrustList.empty() : TrustYaml.parse(bytes);
        } catch (MalformedYamlException e) {
            throw e.in(layout.nameOf(layout.trust()));
        }
    }

    private byte[] readIfThere(Path file) throws IOException {
        return RegularFile.read(files, file, YamlText.BYTES_MAX).orElse(new byte[0]);
    }
}
