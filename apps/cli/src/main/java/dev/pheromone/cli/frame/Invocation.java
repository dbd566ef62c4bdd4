package dev.pheromone.cli.frame;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Reach;
import dev.pheromone.cli.args.Args;
import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.session.caller.AgentSession;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.Identity;
import dev.pheromone.session.caller.UserFolder;
import dev.pheromone.session.passkey.Page;
import dev.pheromone.session.seat.Seat;
import dev.pheromone.session.seat.Seats;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// One call of a command: what was typed, by whom, and where the answer goes.
public final class Invocation implements Caller {

    private static final String CALLER_PID = "RSM_CALLER_PID";

    private final CommandLine line;
    private final Spec spec;
    private final Args args;
    private final Surroundings surroundings;
    private final Output out;
    private final Output err;
    private final Program program;
    private final List<String> warnings;
    private final boolean silent;
    private @Nullable Identity identity;

    public Invocation(
            CommandLine line,
            Spec spec,
            Args args,
            Surroundings surroundings,
            Output out,
            Output err,
            Program program) {
        this.line = line;
        this.spec = spec;
        this.args = args;
        this.surroundings = surroundings;
        this.out = out;
        this.err = err;
        this.program = program;
        this.silent = args.has("json") || args.has("quiet");
        this.warnings = new ArrayList<>();
    }

    private Invocation(Invocation other, Spec spec, Args args) {
        this.line = other.line;
        this.spec = spec;
        this.args = args;
        this.surroundings = other.surroundings;
        this.out = other.out;
        this.err = other.err;
        this.program = other.program;
        this.silent = other.silent;
        this.warnings = other.warnings;
        this.identity = other.identity();
    }

    /// This call as if the command of `other` had been typed, without options.
    public Invocation like(Spec other) {
        CommandLine bare = new CommandLine(List.of(other.name()));
        return new Invocation(this, other, EverywhereOptions.parser().parse(bare, 0, other));
    }

    /// What was typed, for hints that repeat it with one thing changed.
    public CommandLine line() {
        return line;
    }

    public Args args() {
        return args;
    }

    /// The command's name.
    public String verb() {
        return spec.name();
    }

    /// Whether the command that was typed has this option.
    public boolean declares(String option) {
        return spec.opt(option) != null;
    }

    public Surroundings surroundings() {
        return surroundings;
    }

    /// The program, to run other commands with.
    public Program program() {
        return program;
    }

    public UserFiles userFiles() {
        return new UserFiles(surroundings);
    }

    @Override
    public InstantSource clock() {
        return surroundings.clock();
    }

    @Override
    public UserFolder folder() {
        return new UserFolder(userFiles().configFolder());
    }

    @Override
    public String user() {
        return surroundings.user();
    }

    @Override
    public Path home() {
        return surroundings.home();
    }

    @Override
    public @Nullable Reach reach() {
        return surroundings.reach();
    }

    @Override
    public @Nullable Page page() {
        return surroundings.page();
    }

    @Override
    public byte[] read(Path file, int bytesMax) throws IOException {
        try {
            return new TypedFiles(this).read(file.toString(), bytesMax);
        } catch (CliException e) {
            throw e.asProblem();
        }
    }

    @Override
    public byte[] readSecret(Path file) throws IOException {
        return new TypedFiles(this).readSecret(file.toString());
    }

    /// The point in time that the option `name` says, else null.
    public @Nullable Instant moment(String name) {
        return args.moment(name, now(), surroundings.zone());
    }

    /// Who types this; found on first use. To some commands --actor is whom to look for.
    private @Nullable String typedActor() {
        return spec.opt("actor") == null ? args.value("actor") : null;
    }

    /// The identity of this call in a session that the agent's tool has told of by itself.
    public Identity identityIn(AgentSession session) {
        return Identity.resolve(typedActor(), surroundings.env(), surroundings.user(), session);
    }

    @Override
    public Identity identity() {
        Identity known = identity;
        if (known == null) {
            known =
                    Identity.resolve(
                            typedActor(), surroundings.env(), surroundings.user(), session());
            identity = known;
        }
        return known;
    }

    /// The agent's session in which the command was typed, or null outside of one. Where the tool
    /// does not tell its sessions apart, the one that our hooks noted is looked for among the
    /// processes above, so that commands and hooks have one name.
    private @Nullable AgentSession session() {
        AgentSession shown = AgentSession.detect(surroundings.env());
        long caller = callerPid();
        if (shown == null || shown.id() != null || caller == 0) {
            return shown;
        }
        try {
            HiveLayout layout = TypedHive.find(this);
            Seat seat = Seats.ofNobody(layout, clock()).ofAncestor(caller).orElse(null);
            return seat != null && seat.harness().equals(shown.harness())
                    ? new AgentSession(seat.harness(), seat.session())
                    : shown;
        } catch (IOException | RuntimeException e) {
            return shown;
        }
    }

    /// The process that called the launcher, as the launcher says; 0 if nobody does.
    public long callerPid() {
        String pid = surroundings.variable(CALLER_PID);
        try {
            return pid == null ? 0 : Long.parseLong(pid);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /// The folder that `--root` or `RSM_ROOT` names, or null if the hive is to be found from here
    /// upwards.
    public @Nullable Path namedRoot() {
        String root = args.value("root");
        if (root == null) {
            root = surroundings.variable("RSM_ROOT");
        }
        return root == null ? null : surroundings.cwd().resolve(root);
    }

    @Override
    public void wake(Path root, Actor actor) {
        WakeCall.start(this, root, actor);
    }

    /// Tells people something beside the answer.
    @Override
    public void note(String text) {
        aside("rsm: " + text);
    }

    /// Tells people of something that is not as it should be, and did not stop the command.
    @Override
    public synchronized void warn(String text) {
        if (!warnings.contains(text)) {
            warnings.add(text);
            aside("rsm: warning: " + text);
        }
    }

    /// Prints one item of an answer that is printed while it comes: a JSON line, or text for
    /// people.
    public void stream(Json.Obj json, String text) {
        out.line(wantsJson() ? json.toString() : text);
        out.flush();
    }

    public boolean wantsJson() {
        return args.has("json");
    }

    /// What people see, for answers that are printed while they come.
    public Screen screen() {
        return new Screen(out, surroundings);
    }

    /// The terminal as a whole, for answers that change while they are looked at.
    public FullScreen fullScreen() {
        return new FullScreen(surroundings, out);
    }

    /// Asks a person at the terminal something.
    public void prompt(String question) {
        err.print(SafeText.line(question));
        err.flush();
    }

    /// Passes on what another program prints, to standard error.
    public void passOn(InputStream printed) throws IOException {
        byte[] buffer = new byte[8_192];
        for (int read = printed.read(buffer); read >= 0; read = printed.read(buffer)) {
            err.bytes(Arrays.copyOf(buffer, read));
        }
    }

    /// Writes bytes to standard error as they are.
    public void showAside(byte[] bytes) {
        err.bytes(bytes);
    }

    /// What was warned of, for answers to programs.
    public synchronized List<String> warnings() {
        return List.copyOf(warnings);
    }

    private synchronized void aside(String text) {
        if (!silent) {
            err.line(SafeText.line(text));
            err.flush();
        }
    }
}
