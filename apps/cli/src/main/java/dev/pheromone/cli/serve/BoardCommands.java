package dev.pheromone.cli.serve;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Reach;
import dev.pheromone.cli.args.ShellWords;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Program;
import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.frame.Terminal;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.server.Board;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.Pairings;
import dev.pheromone.session.caller.PasskeyFiles;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OwnAddress;
import dev.pheromone.session.passkey.Challenges;
import dev.pheromone.session.passkey.Page;
import dev.pheromone.text.Json;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Runs the board's looks and deeds as commands of this program, each in the name of the actor
/// whose browser asks, and at no terminal.
final class BoardCommands implements Board {

    /// No page can show more.
    private static final int PRINTED_BYTES_MAX = 8 << 20;

    /// What a command needs to find its way. Not whatever else is set around the server: that may
    /// show the session of the agent who started it.
    private static final Set<String> VARIABLES =
            Set.of("HOME", "LANG", "LC_ALL", "PATH", "RSM_UMASK", "TMPDIR", "TZ", "USER");

    private final Invocation call;
    private final OpenHive hive;
    private final Path root;
    private final Pairings pairings;
    private final Challenges challenges;

    BoardCommands(Invocation call, OpenHive hive) {
        this.call = call;
        this.hive = hive;
        this.root = hive.layout().root();
        this.pairings = pairings(call, root);
        this.challenges = new Challenges(PasskeyFiles.hive(root));
    }

    static Pairings pairings(Invocation call, Path root) {
        return new Pairings(call.folder(), root, call.clock());
    }

    @Override
    public Pairings pairings() {
        return pairings;
    }

    @Override
    public Challenges challenges() {
        return challenges;
    }

    @Override
    public Ran run(Actor actor, List<String> words, String input, Page page) {
        List<String> all = new ArrayList<>(words);
        all.add(1, "--root=" + root);
        Printed printed = new Printed();
        int exit =
                call.program()
                        .run(
                                all,
                                surroundings(
                                        actor,
                                        new ByteArrayInputStream(
                                                input.getBytes(StandardCharsets.UTF_8)),
                                        printed,
                                        page));
        return new Ran(exit, printed.toString());
    }

    private Surroundings surroundings(Actor actor, InputStream in, OutputStream out, Page page) {
        Surroundings own = call.surroundings();
        Map<String, String> env = new HashMap<>();
        own.env()
                .forEach((name, value) -> {
                    if (VARIABLES.contains(name) || name.startsWith("XDG_")) {
                        env.put(name, value);
                    }
                });
        env.put("RSM_ACTOR", actor.name());
        return new Surroundings(
                env,
                root,
                own.home(),
                own.user(),
                in,
                out,
                OutputStream.nullOutputStream(),
                own.clock(),
                Terminal.NONE,
                own.launcher(),
                // Private mail of others stays.
                Reach.TEAM,
                null,
                page);
    }

    @Override
    public String line(List<String> words) {
        return "rsm " + ShellWords.join(words);
    }

    @Override
    public Json.Obj about(Actor actor) throws IOException {
        return Json.obj()
                .put("actor", actor.name())
                .put("address", address(actor).toString())
                .put("hive", String.valueOf(root.getFileName()))
                .put("root", root.toString())
                .put("version", Program.version());
    }

    private Address address(Actor actor) throws IOException {
        Surroundings theirs =
                surroundings(
                        actor,
                        InputStream.nullInputStream(),
                        OutputStream.nullOutputStream(),
                        new Page("", challenges, null, null, false));
        Optional<Invocation> look = call.program().servable(List.of("status"), theirs);
        Caller caller = look.orElseThrow();
        try {
            return OwnAddress.of(caller, hive.mail()::hasInbox);
        } catch (WithheldException e) {
            return OwnAddress.of(caller, _ -> false);
        }
    }

    /// What a command prints, as far as it is not too much.
    private static final class Printed extends OutputStream {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] buffer, int from, int count) throws IOException {
            if (bytes.size() + count > PRINTED_BYTES_MAX) {
                throw new IOException("more than " + PRINTED_BYTES_MAX + " bytes");
            }
            bytes.write(buffer, from, count);
        }

        @Override
        public String toString() {
            return bytes.toString(StandardCharsets.UTF_8);
        }
    }
}
