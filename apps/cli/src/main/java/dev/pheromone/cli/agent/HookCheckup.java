package dev.pheromone.cli.agent;

import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.file.setup.NoHiveException;
import dev.pheromone.hooks.Harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Whether agent programs that have our hook still ask it, and whether it is ours that they ask.
public final class HookCheckup {

    private static final int LINE_BYTES_MAX = 4096;

    private final Invocation call;

    public HookCheckup(Invocation call) {
        this.call = call;
    }

    public List<Finding> findings() throws IOException {
        List<Finding> findings = new ArrayList<>();
        for (Path file : switchedOff()) {
            findings.add(
                    new Finding(
                            Finding.Severity.ERROR,
                            file.toString(),
                            "hooks switched off, so that nobody asks the locks",
                            "none that is",
                            "take the switch out"));
        }
        for (Path root : roots()) {
            String reason = untrusted(root);
            if (!reason.isEmpty()) {
                findings.add(
                        new Finding(
                                Finding.Severity.ERROR,
                                root.resolve(Harness.CODEX.settings()).toString(),
                                reason,
                                "hooks that you trust",
                                "type /hooks in codex"));
            }
        }
        Path launcher = call.surroundings().launcher();
        if (launcher != null) {
            java(launcher.resolveSibling("target/rsm/java"), findings);
        }
        return findings;
    }

    /// Why codex does not run our hooks in this project; empty if it does, if it has none there, or
    /// if nobody can tell.
    String untrusted(Path root) throws IOException {
        try {
            Path settings = root.resolve(Harness.CODEX.settings());
            String text = new HookFiles(call, GuardLocks.of(call, List.of())).readable(settings);
            return Harness.CODEX.isAskedBy(text)
                    ? new CodexTrust(call.surroundings(), root).problem()
                    : "";
        } catch (NoHiveException e) {
            return "";
        }
    }

    private List<Path> roots() throws IOException {
        try {
            return GuardLocks.of(call, List.of()).roots();
        } catch (NoHiveException e) {
            return List.of();
        }
    }

    /// The files in which hooks are switched off though an agent program has ours.
    List<Path> switchedOff() throws IOException {
        try {
            GuardLocks locks = GuardLocks.of(call, List.of());
            return locks.roots().isEmpty() ? List.of() : new HookFiles(call, locks).switchedOff();
        } catch (NoHiveException e) {
            return List.of();
        }
    }

    /// The launcher starts the program that this file names: if that is not the Java in which we
    /// run, something stands between the two.
    private void java(Path file, List<Finding> findings) throws IOException {
        String named = call.userFiles().textIfThere(file, LINE_BYTES_MAX).strip();
        Path running = Path.of(System.getProperty("java.home"), "bin", "java");
        if (!named.isEmpty()
                && !call.userFiles().real(Path.of(named)).equals(call.userFiles().real(running))) {
            findings.add(
                    new Finding(
                            Finding.Severity.ERROR,
                            file.toString(),
                            named,
                            running + ", the Java that runs this",
                            "find out who changed it, then remove "
                                    + file.getParent()
                                    + " and type rsm --version"));
        }
    }
}
