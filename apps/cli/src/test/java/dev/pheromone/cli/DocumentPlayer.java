package dev.pheromone.cli;

import dev.pheromone.Ttl;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Plays a document's walkthrough in a folder of its own, and tells the first thing that goes
/// otherwise.
///
/// `rsm` runs in this process, with a clock that can be moved; whatever else a document types, a
/// real shell runs.
final class DocumentPlayer {

    private static final int SHELL_SECONDS_MAX = 60;
    private static final Pattern RSM = Pattern.compile("(?:\\./)?rsm(?: (.*))?");
    private static final Pattern SERVE = Pattern.compile("rsm (serve.*) &");
    private static final Pattern ASSIGNED = Pattern.compile("(\\w+)=\\$\\((.*)\\)");
    private static final Pattern EXPORT = Pattern.compile("export (\\w+)=(.*)");
    private static final Pattern PIPED = Pattern.compile("(.*) \\| rsm (.*)");
    private static final Pattern VARIABLE = Pattern.compile("\\$(\\w+)");

    private final Session session;
    private final Map<String, String> kept = new HashMap<>();
    private @Nullable ServeBeside beside;

    DocumentPlayer(Path folder) throws IOException {
        // The real path, because that is what the program prints.
        Path real = folder.toRealPath();
        this.session = new Session(real);
        session.cwd = Files.createDirectory(real.resolve("parser"));
        Files.createDirectory(session.home);
        kept.put("folder", session.cwd.toString());
        kept.put("home", session.home.toString());
    }

    /// Puts a file into the folder in which the session begins.
    DocumentPlayer with(Path file) throws IOException {
        Files.copy(file, session.cwd.resolve(file.getFileName()));
        return this;
    }

    Optional<String> play(Walkthrough walkthrough) throws IOException, InterruptedException {
        try {
            return playAll(walkthrough);
        } finally {
            if (beside != null) {
                beside.close();
            }
        }
    }

    private Optional<String> playAll(Walkthrough walkthrough)
            throws IOException, InterruptedException {
        for (Walkthrough.Step step : walkthrough.steps()) {
            Expected expected = new Expected(kept);
            Session.Result result = perform(expected.filled(step.command()));
            List<String> found = new ArrayList<>();
            (result.out() + result.err()).lines().map(Walkthrough::squeezed).forEach(found::add);
            Optional<String> problem =
                    expected.difference(step.output(), Walkthrough.withoutBlankEnd(found));
            if (problem.isEmpty() && step.fails() != (result.exit() != 0)) {
                problem = Optional.of("ended with exit " + result.exit());
            }
            if (problem.isPresent()) {
                return Optional.of(
                        "line %d: $ %s\n%s\n--- all of it ---\n%s"
                                .formatted(
                                        step.lineNumber(),
                                        step.command(),
                                        problem.get(),
                                        String.join("\n", found)));
            }
        }
        return Optional.empty();
    }

    private Session.Result perform(String command) throws IOException, InterruptedException {
        Matcher export = EXPORT.matcher(command);
        Matcher assigned = ASSIGNED.matcher(command);
        Matcher piped = PIPED.matcher(command);
        Matcher serve = SERVE.matcher(command);
        Matcher rsm = RSM.matcher(command);
        if (serve.matches()) {
            beside = new ServeBeside(session, TypedWords.split(serve.group(1)));
        } else if (command.startsWith("later ")) {
            session.later(Ttl.parseDuration(command.substring(6)));
        } else if (command.startsWith("unset ")) {
            session.env.remove(command.substring(6));
        } else if (command.startsWith("cd ")) {
            session.cwd = session.cwd.resolve(command.substring(3)).normalize();
        } else if (export.matches()) {
            session.env.put(export.group(1), export.group(2));
        } else if (assigned.matches()) {
            Session.Result result = perform(assigned.group(2));
            session.env.put(assigned.group(1), result.out().strip());
            return new Session.Result(result.exit(), "", result.err());
        } else if (piped.matches()) {
            return rsm(piped.group(2), shell(piped.group(1)).out());
        } else if (rsm.matches()) {
            return rsm(rsm.group(1) == null ? "" : rsm.group(1), "");
        } else {
            return shell(beside == null ? command : beside.called(command));
        }
        return new Session.Result(0, "", "");
    }

    private Session.Result rsm(String arguments, String input) {
        String filled =
                VARIABLE.matcher(arguments)
                        .replaceAll(variable ->
                                Matcher.quoteReplacement(
                                        session.env.getOrDefault(
                                                variable.group(1), variable.group())));
        return session.rsm(TypedWords.split(filled), input);
    }

    private Session.Result shell(String command) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder("bash", "-c", command)
                        .directory(session.cwd.toFile())
                        .redirectErrorStream(true);
        builder.environment().putAll(session.env);
        builder.environment().put("HOME", session.home.toString());
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(SHELL_SECONDS_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IllegalStateException(command + " did not end");
        }
        // Its exit is not looked at: what it prints tells the reader, and so the test.
        return new Session.Result(0, output, "");
    }
}
