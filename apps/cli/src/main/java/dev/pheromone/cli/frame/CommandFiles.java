package dev.pheromone.cli.frame;

import dev.pheromone.Claim;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The files around a command that `rsm work` runs: the program itself, and the private copies of
/// envelopes that it reads.
///
/// The copies lie in a folder outside the hive that only its owner can read: a lock on the hive
/// does not take away what a command was given.
public final class CommandFiles implements AutoCloseable {

    private final Path parent;
    private final ReentrantLock making = new ReentrantLock();
    private volatile Path folder;

    private CommandFiles(Path parent, Path folder) {
        this.parent = parent;
        this.folder = folder;
    }

    /// A new folder in `parent`; those of workers that were killed are removed from it.
    public static CommandFiles open(Path parent) throws IOException {
        Path folder = WorkFolders.make(parent);
        WorkFolders.removeThoseOfTheDead(folder);
        return new CommandFiles(parent, folder);
    }

    /// One envelope's copies, removed when it is closed.
    ///
    /// @param envelope all of it
    /// @param body what the command reads on its standard input
    public record Copy(Path envelope, Path body) implements AutoCloseable {

        public ProcessBuilder.Redirect input() {
            return ProcessBuilder.Redirect.from(body.toFile());
        }

        /// What can't be removed now is removed with the folder.
        @Override
        public void close() {
            for (Path file : List.of(envelope, body)) {
                try {
                    Files.deleteIfExists(file);
                } catch (IOException e) {
                    // How the work ended must not depend on it.
                }
            }
        }
    }

    public Copy copy(Claim claim) throws IOException {
        Path before = folder;
        try {
            return copy(before, claim);
        } catch (NoSuchFileException e) {
            // Whoever tidies up where temporary files lie has taken the folder.
            making.lock();
            try {
                if (folder.equals(before)) {
                    folder = WorkFolders.make(parent);
                }
            } finally {
                making.unlock();
            }
            return copy(folder, claim);
        }
    }

    private static Copy copy(Path folder, Claim claim) throws IOException {
        String name = claim.inbox() + "-" + claim.token();
        Copy copy = new Copy(folder.resolve(name + ".md"), folder.resolve(name + ".body"));
        try {
            write(copy.envelope(), claim.envelope().bytes());
            write(copy.body(), claim.envelope().body());
            return copy;
        } catch (IOException e) {
            copy.close();
            throw e;
        }
    }

    private static void write(Path file, byte[] bytes) throws IOException {
        FileAttribute<?>[] ownerOnly =
                file.getFileSystem().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        Files.write(Files.createFile(file, ownerOnly), bytes);
    }

    /// The program that `word` names, as a shell would find it in `searchPath`; null if there is
    /// none.
    public static @Nullable Path program(String word, Path cwd, String searchPath) {
        if (word.indexOf('/') >= 0) {
            return executable(cwd.resolve(word));
        }
        for (String place : searchPath.split(":", -1)) {
            Path found = executable(cwd.resolve(place.isEmpty() ? "." : place).resolve(word));
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static @Nullable Path executable(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file) ? file : null;
    }

    /// The environment that a process was started with, as `NAME=value`; nothing where the system
    /// does not show it.
    public static List<String> environment(ProcessHandle process) {
        try {
            byte[] bytes = Files.readAllBytes(Path.of("/proc/" + process.pid() + "/environ"));
            return List.of(new String(bytes, StandardCharsets.UTF_8).split("\0", -1));
        } catch (IOException e) {
            // It has ended, is another user's, or this is no Linux.
            return List.of();
        }
    }

    /// Removes the folder and what is left in it.
    @Override
    public void close() {
        WorkFolders.remove(folder);
    }

    /// The private folders of workers, among other temporary files. Each is named after its
    /// process, so that what a killed one left can be told from what is in use.
    private static final class WorkFolders {

        private static final String PREFIX = "rsm-work-";

        private static final Pattern NAME = Pattern.compile(PREFIX + "([0-9]{1,18})-(.+)-[^-]+");

        private WorkFolders() {}

        /// A new one in `parent`, for this process.
        static Path make(Path parent) throws IOException {
            String name = PREFIX + ProcessHandle.current().pid() + "-" + processes() + "-";
            return Files.createTempDirectory(parent, name).toRealPath();
        }

        /// Names the set of processes that have numbers of their own: containers may share a
        /// folder.
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
}
