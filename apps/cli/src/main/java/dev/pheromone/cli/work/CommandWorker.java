package dev.pheromone.cli.work;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.address.Address;
import dev.pheromone.cli.frame.CommandFiles;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.mail.GivenBack;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.hive.Undisturbed;
import dev.pheromone.hive.Worker;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OwnAddress;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// Runs a command for each envelope: its body on standard input, what else is to be known in the
/// environment. Exit 0 is done, 75 gives it back for a while, anything else is an error.
final class CommandWorker implements Worker {

    private static final int GIVE_BACK = 75;

    /// How long a worker that can't start commands keeps still before it takes more.
    private static final Duration TROUBLE_PAUSE = Duration.ofMillis(500);

    private final Invocation call;
    private final OpenHive hive;
    private final CommandFiles files;
    private final WorkScreen screen;
    private final List<String> words;
    private final boolean replies;
    private final Map<String, Integer> exits = new ConcurrentHashMap<>();
    private final GivenBack givenBack = new GivenBack();
    private final ReplyDelivery delivery;

    /// How often in a row no command could be started.
    private final AtomicInteger troubles = new AtomicInteger();

    CommandWorker(
            Invocation call,
            OpenHive hive,
            CommandFiles files,
            WorkScreen screen,
            List<String> words) {
        this.call = call;
        this.hive = hive;
        this.files = files;
        this.screen = screen;
        this.words = words;
        this.replies = call.args().has("reply");
        this.delivery = new ReplyDelivery(call, hive, screen);
    }

    /// The exit code with which the command for this claim ended, told once; null if it never did.
    @Nullable Integer exitOf(Claim claim) {
        return exits.remove(claim.token());
    }

    /// A command that runs, and what it needs.
    ///
    /// @param replyTo where its answer goes; null if it has none
    private record Started(Process process, CommandFiles.Copy copy, @Nullable Address replyTo) {}

    @Override
    public Outcome work(Claim claim) throws Exception {
        endEarlierAttempt(claim);
        Started started;
        try {
            started = start(claim);
        } catch (IOException e) {
            return notStarted(e);
        }
        troubles.set(0);
        CommandProcess.Ended ended;
        try (CommandFiles.Copy _ = started.copy()) {
            ended =
                    new CommandProcess(
                                    started.process(),
                                    marks(claim, "RSM_CLAIM=" + claim.token()),
                                    replies ? EnvelopeText.BODY_BYTES_MAX + 1 : 0,
                                    screen::show)
                            .run();
        }
        exits.put(claim.token(), ended.exit());
        EnvelopeId id = claim.envelope().id();
        if (ended.exit() == GIVE_BACK) {
            return new Outcome.Released(note(ended), givenBack.again(id));
        }
        givenBack.forget(id);
        if (ended.exit() != 0) {
            return new Outcome.Failed(note(ended));
        }
        Address to = started.replyTo();
        if (to == null) {
            return new Outcome.Done(replies ? "no reply: too many answers in a row" : "");
        }
        return delivery.deliver(claim, to, body(ended));
    }

    private Started start(Claim claim) throws Exception {
        // Found out while the inboxes can be listed: a lock may come while the command runs.
        Address to =
                replies && claim.envelope().hops() < Envelope.HOPS_MAX
                        ? Undisturbed.call(() -> OwnAddress.forAnswerTo(claim.envelope(), hive))
                        : null;
        CommandFiles.Copy copy = files.copy(claim);
        try {
            return new Started(builder(claim, copy).start(), copy, to);
        } catch (IOException | RuntimeException e) {
            copy.close();
            throw e;
        }
    }

    /// Trouble of ours, such as a full disk: no fault of the envelope, which waits until it is
    /// over.
    private Outcome notStarted(IOException e) throws IOException, InterruptedException {
        if (Thread.currentThread().isInterrupted()) {
            throw e;
        }
        int count = troubles.incrementAndGet();
        String why = FileProblem.describe(e);
        if (count == 1) {
            screen.note("warning: no command can be started: " + why + "; trying again");
        }
        // Nor is a whole inbox to be taken and given back as fast as that goes.
        Thread.sleep(TROUBLE_PAUSE);
        return new Outcome.Released("not started: " + why, GivenBack.pause(count));
    }

    private static String note(CommandProcess.Ended ended) {
        String last = SafeText.line(ended.lastError());
        return "exit " + ended.exit() + (last.isEmpty() ? "" : ": " + last);
    }

    /// A worker that was killed leaves its command running, and its claim returns at once: two at
    /// the same time would be one too many. What of it is on this machine is ended.
    private void endEarlierAttempt(Claim claim) {
        if (claim.attempt() == 1) {
            return;
        }
        boolean any =
                new ProcessTree(Optional.empty(), marks(claim, "RSM_ID=" + claim.envelope().id()))
                        .end(CommandProcess.KILL_AFTER, () -> {});
        if (any) {
            screen.note(
                    "ended what was left of an earlier attempt at "
                            + claim.envelope().id().shortForm());
        }
    }

    /// Copies of one envelope in two inboxes, or two hives, are worked on apart.
    private List<String> marks(Claim claim, String mark) {
        return List.of(
                mark, "RSM_INBOX=" + claim.inbox().name(), "RSM_ROOT=" + hive.layout().root());
    }

    private ProcessBuilder builder(Claim claim, CommandFiles.Copy copy) {
        Envelope envelope = claim.envelope();
        ProcessBuilder builder =
                new ProcessBuilder(words)
                        .redirectInput(copy.input())
                        .directory(call.userFiles().asFolder(call.surroundings().cwd()));
        Map<String, String> env = builder.environment();
        env.putAll(call.surroundings().env());
        env.put("RSM_ID", envelope.id().text());
        env.put("RSM_CLAIM", claim.token());
        env.put("RSM_TOPIC", envelope.topic());
        env.put("RSM_FROM", envelope.from().name());
        env.put("RSM_LANE", envelope.lane().name());
        env.put("RSM_PRIORITY", envelope.priority().name());
        env.put("RSM_SCOPE", envelope.scope().orElse(""));
        env.put("RSM_ATTEMPT", Integer.toString(claim.attempt()));
        env.put("RSM_ENVELOPE", copy.envelope().toString());
        env.put("RSM_INBOX", claim.inbox().name());
        env.put("RSM_ROOT", hive.layout().root().toString());
        return builder;
    }

    /// What the command printed, as far as a body holds it, and as text.
    private static byte[] body(CommandProcess.Ended ended) {
        byte[] bytes = ended.answer().getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= EnvelopeText.BODY_BYTES_MAX) {
            return bytes;
        }
        byte[] end =
                ("\n[cut: the answer has "
                                + ended.printed()
                                + " bytes, a body holds "
                                + EnvelopeText.BODY_BYTES_MAX
                                + "]\n")
                        .getBytes(StandardCharsets.UTF_8);
        int room = EnvelopeText.BODY_BYTES_MAX - end.length;
        // Not in the middle of a character.
        while (room > 0 && (bytes[room] & 0xc0) == 0x80) {
            room--;
        }
        byte[] cut = new byte[room + end.length];
        System.arraycopy(bytes, 0, cut, 0, room);
        System.arraycopy(end, 0, cut, room, end.length);
        return cut;
    }

    /// The command as it is started: in a session of its own where the system has `setsid`, so that
    /// a Ctrl-C at the terminal reaches the worker alone, which then ends it in good order.
    static List<String> started(List<String> words, Path cwd, String searchPath) {
        if (CommandFiles.program("setsid", cwd, searchPath) == null) {
            return words;
        }
        List<String> started = new ArrayList<>(List.of("setsid"));
        started.addAll(words);
        return started;
    }
}
