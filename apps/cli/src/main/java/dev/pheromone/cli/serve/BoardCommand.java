package dev.pheromone.cli.serve;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.cli.resident.Resident;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.session.caller.Pairings;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// `rsm board`: the hive as a page in the browser, which stays paired with it.
public final class BoardCommand implements Command {

    private static final int FIRST_PORT = 7_777;

    /// Whoever serves more hives at a time names ports.
    private static final int PORTS = 200;

    @Override
    public Spec spec() {
        return Spec.of("board", Group.HUMANS, "opens the hive as a page in the browser")
                .opt(Opt.flag("print", "print the address, and open nothing"))
                .opt(Opt.flag("forget", "open nothing: no browser is paired any more"))
                .note(
                        "It makes the hive if there is none, and starts what rsm up --detach"
                            + " starts, with a port of this machine. At a terminal it pairs the"
                            + " browser with a code that is good once, for two minutes; without one"
                            + " it prints the address and no code.")
                .note(
                        "The page shows what rsm shows, and does what rsm does, in your name. What"
                                + " is for people takes a passkey of yours, or is said how to type:"
                                + " to be paired proves no person. rsm down ends it.")
                .example("rsm board", "what needs you, in a page")
                .example("rsm board --print", "the address to open, as on another machine")
                .example("rsm board --forget", "takes every browser's access back")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        if (call.args().has("forget")) {
            return new Forgotten(
                    BoardCommands.pairings(call, TypedHive.find(call).root()).forget());
        }
        HiveLayout layout = UpCommand.findOrMake(call);
        Pairings pairings = BoardCommands.pairings(call, layout.root());
        int port = port(call, layout, pairings);
        String url = "http://localhost:" + port + "/";
        boolean isAtTerminal =
                call.surroundings().terminal().input()
                        && call.surroundings().terminal().output()
                        && !call.wantsJson();
        if (!isAtTerminal) {
            return new Served(url, port, null);
        }
        String paired = url + "#pair=" + pairings.newCode(call.actor());
        if (!call.args().has("print")) {
            open(pairings.page("open.html", page(paired)));
        }
        return new Served(url, port, paired);
    }

    /// The port of the resident that serves this hive, which is started if there is none.
    private static int port(Invocation call, HiveLayout layout, Pairings pairings)
            throws IOException {
        Optional<Resident> before = Resident.of(layout, call.surroundings());
        if (before.isPresent() && before.get().port() == 0) {
            stop(before.get());
            before = Optional.empty();
        }
        if (before.isEmpty()) {
            int port = freePort(pairings.port().orElse(FIRST_PORT));
            Detached _ = Detached.start(call, layout, String.valueOf(port));
            before = Resident.of(layout, call.surroundings());
        }
        int port = before.map(Resident::port).orElse(0);
        if (port == 0) {
            throw new CliException(ErrorCode.IO, "the resident process serves no page")
                    .hint("what it said is in its log; to try again:")
                    .fix("rsm down && rsm board");
        }
        pairings.keepPort(port);
        return port;
    }

    private static void stop(Resident resident) throws IOException {
        try {
            if (!resident.stop()) {
                throw DownCommand.silent(resident);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// A port of this machine that nobody has, `wanted` first.
    private static int freePort(int wanted) {
        for (int port = wanted; port < wanted + PORTS; port++) {
            if (isFree("127.0.0.1", port) && isFree("::1", port)) {
                return port;
            }
        }
        throw new CliException(ErrorCode.IO, "no port from " + wanted + " on is free");
    }

    /// Whether nobody has the port. An address that this machine lacks is nobody's.
    private static boolean isFree(String literal, int port) {
        InetAddress address = InetAddress.ofLiteral(literal);
        try {
            if (NetworkInterface.getByInetAddress(address) != null) {
                new ServerSocket(port, 1, address).close();
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /// A page that leads to the board. Everybody on this machine can see with which words a browser
    /// is started, and nobody else can read this file.
    private static String page(String url) {
        return """
        <!DOCTYPE html>
        <meta charset="utf-8">
        <meta name="referrer" content="no-referrer">
        <title>Board</title>
        <script>location.replace("%s")</script>
        <a href="%s">the board</a>
        """
                .formatted(url, url);
    }

    private static void open(Path page) {
        boolean isMac = System.getProperty("os.name", "").startsWith("Mac");
        try {
            Process _ =
                    new ProcessBuilder(List.of(isMac ? "open" : "xdg-open", page.toString()))
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
        } catch (IOException e) {
            // The address that is printed leads there, too.
        }
    }

    /// @param paired the address with the code; null where nobody is at a terminal
    private record Served(String url, int port, @Nullable String paired) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj().put("url", url).put("port", port).put("paired", false);
        }

        @Override
        public void show(Screen screen) {
            screen.line(paired == null ? url : paired);
            screen.line(
                    paired == null
                            ? "at a terminal, rsm board also pairs your browser with it"
                            : "good once, for two minutes; to end the server:  rsm down");
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.line(SafeText.line(paired == null ? url : paired));
        }
    }

    /// @param browsers how many were paired
    private record Forgotten(int browsers) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj().put("forgotten", browsers);
        }

        @Override
        public void show(Screen screen) {
            screen.line(
                    browsers + (browsers == 1 ? " browser is" : " browsers are") + " forgotten");
        }
    }
}
