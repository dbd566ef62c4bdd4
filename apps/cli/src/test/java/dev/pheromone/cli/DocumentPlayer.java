package dev.pheromone.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Plays a document's walkthrough in a folder of its own, and tells the first thing that goes
/// otherwise.
///
/// A real bash runs every command as the document has it. Its `rsm` is the program in this process
/// ([RsmDoor]), with a clock that can be moved. Only the ports of servers are others than on the
/// page, because two pages may be played at the same time.
final class DocumentPlayer implements AutoCloseable {

    /// Where `rsm serve` listens.
    private static final String SERVED = "127.0.0.1:7777";

    private static final Pattern RSM = Pattern.compile("\\brsm\\b");

    private final Path cwd;
    private final RsmDoor door;
    private final PageShell shell;
    private final Map<String, String> kept = new HashMap<>();
    private final Map<String, String> servers = new LinkedHashMap<>();

    DocumentPlayer(Path folder) throws IOException {
        // The real path, because that is what the program prints.
        Path real = folder.toRealPath();
        this.cwd = Files.createDirectory(real.resolve("parser"));
        Path home = Files.createDirectory(real.resolve("home"));
        kept.put("folder", cwd.toString());
        kept.put("home", home.toString());
        String bind = "127.0.0.1:" + ServedProcess.freePort();
        this.door = new RsmDoor(home, bind);
        Path bin = Files.createDirectory(real.resolve("bin"));
        Path _ = door.writeScript(bin.resolve("rsm"));
        this.shell =
                new PageShell(
                        cwd,
                        Map.of(
                                "PATH",
                                bin + ":" + System.getenv("PATH"),
                                "HOME",
                                home.toString(),
                                "TMPDIR",
                                Files.createDirectory(real.resolve("tmp")).toString(),
                                "LC_ALL",
                                "C.UTF-8"));
        withServer(SERVED, bind);
    }

    /// Puts a file into the folder in which the session begins.
    DocumentPlayer with(Path file) throws IOException {
        Files.copy(file, cwd.resolve(file.getFileName()));
        return this;
    }

    /// Lets the session begin where the launcher is.
    DocumentPlayer inCheckout() throws IOException {
        Path _ = door.writeScript(cwd.resolve("rsm"));
        return this;
    }

    /// Takes the server at `actual` where the page means the one at `shown`.
    void withServer(String shown, String actual) {
        servers.put(shown, actual);
    }

    Optional<String> play(Walkthrough walkthrough) throws IOException {
        for (Walkthrough.Step step : walkthrough.steps()) {
            Optional<String> problem =
                    step.later().isPresent() ? later(step.later().get()) : typed(step);
            if (problem.isPresent()) {
                return problem;
            }
        }
        return Optional.empty();
    }

    private Optional<String> later(Duration duration) {
        door.later(duration);
        return Optional.empty();
    }

    private Optional<String> typed(Walkthrough.Step step) throws IOException {
        String command = step.command();
        for (Map.Entry<String, String> server : servers.entrySet()) {
            command = command.replace(server.getKey(), server.getValue());
        }
        PageShell.Ended ended = shell.run(command);
        String printed = ended.printed();
        for (Map.Entry<String, String> server : servers.entrySet()) {
            printed = printed.replace(server.getValue(), server.getKey());
        }
        List<String> found = new ArrayList<>();
        printed.lines().map(Walkthrough::squeezed).forEach(found::add);
        Optional<String> problem =
                new Expected(kept).difference(step.output(), Walkthrough.withoutBlankEnd(found));
        if (problem.isEmpty()
                && RSM.matcher(command).find()
                && step.fails() != (ended.exit() != 0)) {
            problem = Optional.of("ended with exit " + ended.exit());
        }
        return problem.map(what ->
                "line %d: $ %s\n%s\n--- all of it ---\n%s"
                        .formatted(
                                step.lineNumber(), step.command(), what, String.join("\n", found)));
    }

    @Override
    public void close() throws IOException {
        shell.close();
        door.close();
    }
}
