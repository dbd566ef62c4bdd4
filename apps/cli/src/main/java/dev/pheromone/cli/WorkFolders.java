package dev.pheromone.cli;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The private folders of workers, among other temporary files. Each is named after its process, so
/// that what a killed one left can be told from what is in use.
final class WorkFolders {

    private static final String PREFIX = "rsm-work-";

    private static final Pattern NAME = Pattern.compile(PREFIX + "([0-9]{1,18})-(.+)-[^-]+");

    private WorkFolders() {}

    /// A new one in `parent`, for this process.
    static Path make(Path parent) throws IOException {
        String name = PREFIX + ProcessHandle.current().pid() + "-" + processes() + "-";
        return Files.createTempDirectory(parent, name).toRealPath();
    }

    /// Names the set of processes that have numbers of their own: containers may share a folder.
    private static String processes() {
        try {
            Path set = Files.readSymbolicLink(Path.of("/proc/self/ns/pid"));
            return set.toString().replaceAll("[^0-9]", "");
        } catch (IOException | UnsupportedOperationException e) {
            // Not Linux: all have the same.
            return "0";
        }
    }

    /// Removes those beside `own` that are of the same user, and whose process is gone.
    static void removeThoseOfTheDead(Path own) {
        Path parent = own.getParent();
        if (parent == null) {
            return;
        }
        String processes = processes();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path folder : folders) {
                Matcher name = NAME.matcher(String.valueOf(folder.getFileName()));
                if (name.matches()
                        && name.group(2).equals(processes)
                        && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()
                        && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                        && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS)
                                .equals(Files.getOwner(own))) {
                    remove(folder);
                }
            }
        } catch (IOException | DirectoryIteratorException | UnsupportedOperationException e) {
            // The next worker tries again.
        }
    }

    /// Removes one with what is in it, as far as that can be done.
    static void remove(Path folder) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (IOException | DirectoryIteratorException e) {
            // It is gone already, or somebody put something into it; no reason to fail.
        }
    }
}
