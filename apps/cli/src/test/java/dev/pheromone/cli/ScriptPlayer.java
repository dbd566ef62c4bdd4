package dev.pheromone.cli;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Ttl;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Plays a script in a folder, and tells the first thing that went otherwise.
///
/// Beside `rsm` it knows `export A=B`, `unset A`, `cd DIR`, `mkdir DIR`, `write FILE` (its lines
/// follow as input), `cat FILE`, `chmod rw------- FILE`, and `later 2h`, which moves the clock.
final class ScriptPlayer {

    private final Session session;
    private final Map<String, String> kept = new HashMap<>();
    private @Nullable ResidentClient resident;
    private int answeredByResident;

    ScriptPlayer(Path folder) throws IOException {
        // The real path, because that is what the program prints.
        Path real = folder.toRealPath();
        this.session = new Session(Files.createDirectory(real.resolve("repo")));
        session.launcher = real.resolve("bin/rsm");
        kept.put("folder", real.toString());
    }

    /// Plays what a resident answers through `client`.
    ScriptPlayer withResident(ResidentClient client) {
        resident = client;
        return this;
    }

    int answeredByResident() {
        return answeredByResident;
    }

    Optional<String> play(Script script) throws IOException {
        for (Script.Step step : script.steps()) {
            Session.Result result = perform(step);
            Expected expected = new Expected(kept);
            Optional<String> problem =
                    expected.difference(step.out(), result.out().lines().toList())
                            .map(text -> "standard output: " + text)
                            .or(() ->
                                    expected.difference(step.err(), result.err().lines().toList())
                                            .map(text -> "standard error: " + text));
            if (problem.isEmpty() && result.exit() != step.exit()) {
                problem = Optional.of("exit: found " + result.exit() + ", expected " + step.exit());
            }
            if (problem.isPresent()) {
                return Optional.of(
                        "line "
                                + step.lineNumber()
                                + ": $ "
                                + step.command()
                                + "\n"
                                + problem.get()
                                + "\n--- all of it ---\n"
                                + result.out()
                                + result.err()
                                + "["
                                + result.exit()
                                + "]");
            }
        }
        return Optional.empty();
    }

    private Session.Result perform(Script.Step step) throws IOException {
        List<String> words = TypedWords.split(new Expected(kept).filled(step.command()));
        List<String> rest = words.subList(1, words.size());
        String input = new Expected(kept).filled(step.input());
        String output = "";
        switch (words.getFirst()) {
            case "rsm" -> {
                return rsm(rest, input);
            }
            case "export" -> {
                String[] assignment = rest.getFirst().split("=", 2);
                session.env.put(assignment[0], assignment[1]);
            }
            case "unset" -> session.env.remove(rest.getFirst());
            case "cd" -> session.cwd = at(rest.getFirst());
            case "rm" -> Files.delete(at(rest.getFirst()));
            case "mkdir" -> Files.createDirectories(at(rest.getFirst()));
            case "write" -> Files.writeString(at(rest.getFirst()), input);
            case "cat" -> output = Files.readString(at(rest.getFirst()));
            case "chmod" ->
                    Files.setPosixFilePermissions(
                            at(rest.get(1)), PosixFilePermissions.fromString(rest.getFirst()));
            case "later" -> session.later(Ttl.parseDuration(rest.getFirst()));
            default ->
                    throw new IllegalArgumentException(
                            "line "
                                    + step.lineNumber()
                                    + ": found command \""
                                    + words.getFirst()
                                    + "\", expected rsm or one of its helpers");
        }
        return new Session.Result(0, output, "");
    }

    private Session.Result rsm(List<String> words, String input) throws IOException {
        ResidentClient client = resident;
        if (client == null) {
            return session.rsm(words, input);
        }
        Path launcher = session.launcher;
        Path root = Path.of(kept.get("folder")).resolve("repo");
        try {
            client.useIn(session);
            if (!client.isListening() && Files.isDirectory(root.resolve(".deia"))) {
                client.listen(session, new HiveLayout(root));
            }
            session.later(Duration.ofMillis(1));
            Session.Result result = client.run(session, words, input);
            if (result.exit() != ResidentClient.COLD) {
                answeredByResident++;
                return new Session.Result(
                        result.exit(),
                        result.out()
                                .replaceAll(",\"resident\":\\{[^}]*}", "")
                                .replaceAll("(?m)^resident: process .*\n", ""),
                        result.err());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } finally {
            session.env.remove("XDG_RUNTIME_DIR");
            session.launcher = launcher;
        }
        return session.rsm(words, input);
    }

    private Path at(String typed) {
        return session.cwd.resolve(typed).normalize();
    }
}
