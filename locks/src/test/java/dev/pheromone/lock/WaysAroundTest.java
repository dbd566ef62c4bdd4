package dev.pheromone.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Verdict;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// Every way to a file that we could think of, and the lock that stands in it: links, dots, odd
/// names, Unicode, globs, other work trees, bind mounts, copies.
final class WaysAroundTest {

    private static final byte[] SECRET = "the secret\n".getBytes(StandardCharsets.UTF_8);

    @TempDir Path folder;
    private Path root;
    private Path tree;
    private Path bind;
    private boolean isBound;

    private record Row(
            int number,
            LockKind kind,
            String pattern,
            String path,
            Access access,
            String expected) {

        boolean needsBind() {
            return expected.equals("blocked-if-bound");
        }
    }

    @BeforeEach
    void layOut() throws Exception {
        root = Files.createDirectories(folder.toRealPath().resolve("repo"));
        tree = folder.toRealPath().resolve("tree");
        Files.createDirectories(root.resolve(".deia"));
        git("init", "-q");
        write("src/secret.txt", SECRET);
        for (String file :
                List.of(
                        "src/public.txt",
                        "src/deep/file.txt",
                        "docs/a.txt",
                        "vault/key",
                        "vault/a/b/c",
                        "x.pem",
                        "deep/er/x.pem")) {
            write(file, file.getBytes(StandardCharsets.UTF_8));
        }
        write("copy-of-secret.txt", SECRET);
        write("moved/elsewhere.bin", SECRET);
        Files.createLink(root.resolve("hard-link.txt"), root.resolve("src/secret.txt"));
        git("add", "src", "docs", "vault");
        git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "t");
        git("worktree", "add", "-q", tree.toString());
        Files.write(tree.resolve("copy.txt"), SECRET);
        link("link-to-secret", "src/secret.txt");
        link("link-to-src", "src");
        link("link-to-docs", "docs");
        link("link-to-vault", "vault");
        link("chain-1", "chain-2");
        link("chain-2", "link-to-secret");
        link("link-up", ".");
        link("docs/abs-link", root.resolve("src/secret.txt").toString());
        link("docs/rel-link", "../src/secret.txt");
        link("hop", "link-to-src");
        link("tree", tree.toString());
        link("tree-link", "tree");
        bind = Files.createDirectory(folder.toRealPath().resolve("bind"));
        isBound = run("mount", "--bind", root.resolve("src").toString(), bind.toString()) == 0;
    }

    @AfterEach
    void unbind() throws Exception {
        if (isBound) {
            assertThat(run("umount", bind.toString())).isZero();
        }
    }

    private void write(String name, byte[] content) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.write(file, content);
    }

    private void link(String name, String target) throws IOException {
        Files.createSymbolicLink(root.resolve(name), Path.of(target));
    }

    private void git(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        assertThat(run(command.toArray(String[]::new))).as("%s", command).isZero();
    }

    private int run(String... command) throws Exception {
        try {
            Process process =
                    new ProcessBuilder(command)
                            .directory(root.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            return process.waitFor(1, TimeUnit.MINUTES) ? process.exitValue() : -1;
        } catch (IOException e) {
            return -1;
        }
    }

    private static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        try (InputStream table =
                Objects.requireNonNull(
                        WaysAroundTest.class.getResourceAsStream("/guard/ways-around.txt"))) {
            int number = 0;
            for (String line :
                    new String(table.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
                number++;
                if (!line.startsWith("#")) {
                    String[] fields = line.split(" \\| ", -1);
                    rows.add(
                            new Row(
                                    number,
                                    kind(fields[0]),
                                    fields[1],
                                    fields[2],
                                    Access.valueOf(fields[3].toUpperCase(Locale.ROOT)),
                                    fields[4]));
                }
            }
        }
        return rows;
    }

    private static LockKind kind(String text) {
        for (LockKind kind : LockKind.values()) {
            if (kind.toString().equals(text)) {
                return kind;
            }
        }
        throw new IllegalArgumentException(text);
    }

    @Test
    void noneIsOpen() throws Exception {
        List<String> wrong = new ArrayList<>();
        int bound = 0;
        List<Row> rows = rows();
        for (Row row : rows) {
            if (row.needsBind() && !isBound) {
                continue;
            }
            bound += row.needsBind() ? 1 : 0;
            String expected = row.expected().startsWith("blocked") ? "blocked" : "free";
            String found = found(row);
            if (!found.equals(expected)) {
                wrong.add(
                        "line %d: found %s, expected %s".formatted(row.number(), found, expected));
            }
        }
        System.out.printf(
                "ways around: %d rows, %d of them through a bind mount%n", rows.size(), bound);
        assertThat(rows).hasSizeGreaterThanOrEqualTo(150);
        assertThat(wrong).isEmpty();
    }

    private String found(Row row) throws IOException {
        HiveLayout layout = new HiveLayout(root);
        Path lists = Files.createDirectories(layout.hive().resolve(LockLists.folder(row.kind())));
        Path list = lists.resolve("list.yaml");
        Files.writeString(
                list,
                row.pattern().equals("hash")
                        ? "- hash: " + ContentHash.of(SECRET) + "\n"
                        : "- path_pattern: '" + row.pattern().replace("'", "''") + "'\n");
        try {
            String path =
                    row.path()
                            .replace("<root>", root.toString())
                            .replace("<name>", String.valueOf(root.getFileName()))
                            .replace("<tree>", tree.toString())
                            .replace("<bind>", bind.toString());
            return new LockFiles(layout).check(root.resolve(path), row.access())
                            instanceof Verdict.Allowed
                    ? "free"
                    : "blocked";
        } finally {
            Files.delete(list);
        }
    }
}
