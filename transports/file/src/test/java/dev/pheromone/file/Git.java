package dev.pheromone.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The real git in one folder, whatever the user's own configuration says.
public record Git(Path folder) {

    private static final Map<String, String> ENVIRONMENT =
            Map.of(
                    "GIT_CONFIG_GLOBAL", "/dev/null",
                    "GIT_CONFIG_SYSTEM", "/dev/null",
                    "GIT_AUTHOR_NAME", "tester",
                    "GIT_AUTHOR_EMAIL", "tester@localhost",
                    "GIT_COMMITTER_NAME", "tester",
                    "GIT_COMMITTER_EMAIL", "tester@localhost");

    /// A new repository with one commit.
    public static Git repository(Path folder) throws IOException {
        Files.createDirectories(folder);
        Git git = new Git(folder);
        git.run("init", "--quiet");
        git.commitAll();
        return git;
    }

    public Git commitAll() throws IOException {
        run("add", "--all");
        run("commit", "--quiet", "--allow-empty", "--message", "commit");
        return this;
    }

    /// Adds a linked work tree, and returns its folder.
    public Path addWorkTree(Path tree) throws IOException {
        run("worktree", "add", "--quiet", "--detach", tree.toString());
        return tree;
    }

    public List<String> untracked() throws IOException {
        return run("status", "--porcelain", "--untracked-files=all").stream()
                .map(line -> line.substring(3))
                .toList();
    }

    public List<String> run(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("git", "-c", "protocol.file.allow=always"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
        builder.environment().putAll(ENVIRONMENT);
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + ": " + output);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return output.lines().toList();
    }
}
