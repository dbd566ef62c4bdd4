package dev.pheromone.file.setup;

import dev.pheromone.config.HiveYaml;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.config.TrustYaml;
import dev.pheromone.config.YamlText;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Trouble;
import dev.pheromone.file.setup.Finding.Severity;
import dev.pheromone.guard.WithheldException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Whether the files that people write for a hive can be read.
public final class ConfigCheck {

    private interface Parser {
        Object parse(byte[] bytes) throws MalformedYamlException;
    }

    private final Disk files;
    private final HiveLayout layout;
    private final List<Finding> findings = new ArrayList<>();

    private ConfigCheck(Disk files, HiveLayout layout) {
        this.files = files;
        this.layout = layout;
    }

    public static List<Finding> run(Disk files, HiveLayout layout) {
        ConfigCheck check = new ConfigCheck(files, layout);
        check.tryToParse(layout.configuration(), HiveYaml::parse);
        check.tryToParse(layout.trust(), TrustYaml::parse);
        return List.copyOf(check.findings);
    }

    private void tryToParse(Path file, Parser parser) {
        try {
            Optional<byte[]> bytes = RegularFile.read(files, file, YamlText.BYTES_MAX);
            if (bytes.isPresent()) {
                Object _ = parser.parse(bytes.get());
            }
        } catch (WithheldException e) {
            add(Severity.WARNING, file, "not read: " + e.getMessage());
        } catch (MalformedYamlException e) {
            add(Severity.ERROR, file, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            add(Severity.ERROR, file, Trouble.of(e));
        }
    }

    private void add(Severity severity, Path file, String found) {
        findings.add(
                new Finding(
                        severity,
                        layout.nameOf(file),
                        found,
                        "a file that rsm understands",
                        severity == Severity.ERROR
                                ? "fix that line: nothing works until then"
                                : null));
    }
}
