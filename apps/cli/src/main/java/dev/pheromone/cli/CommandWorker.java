package dev.pheromone.cli;

import dev.pheromone.Address;
import dev.pheromone.Claim;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.EnvelopeText;
import dev.pheromone.Outcome;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.hive.Undisturbed;
import dev.pheromone.hive.Worker;

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
import java.util.concurrent.locks.ReentrantLock;

/// Runs a command for each envelope: its body on standard input, what else is to be known in the
/// environment. Exit 0 is done, 75 gives it back, anything else is an error.
final class CommandWorker implements Worker {

    private static final int GIVE_BACK = 75;

    /// How often an answer is sent again to an inbox that has no room, and how long to wait before.
    private static final int REPLIES_MAX = 6;

    private static final Duration REPLY_PAUSE = Duration.ofSeconds(5);

    private final Invocation call;
    private final OpenHive hive;
    private final CommandFiles files;
    private final WorkScreen screen;
    private final List<String> words;
    private final boolean replies;
    private final Map<String, Integer> exits = new ConcurrentHashMap<>();

    /// One answer at a time is composed: what a call remembers is made for one thread.
    private final ReentrantLock answering = new ReentrantLock();

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
    }

    /// The exit code with which the command for this claim ended, told once; null if it never did.
    @Nullable Integer exitOf(Claim claim) {
        return exits.remove(claim.token());
    }

    @Override
    public Outcome work(Claim claim) throws Exception {
        endEarlierAttempt(claim);
        // Found out while the inboxes can be listed: a lock may come while the command runs.
        Address to =
                replies && claim.envelope().hops() < Envelope.HOPS_MAX
                        ? Undisturbed.call(() -> answer().recipient(claim.envelope()))
                        : null;
        CommandProcess.Ended ended;
        try (CommandFiles.Copy copy = files.copy(claim)) {
            ended =
                    new CommandProcess(
                                    builder(claim, copy),
                                    marks(claim, "RSM_CLAIM=" + claim.token()),
                                    replies ? EnvelopeText.BODY_BYTES_MAX + 1 : 0,
                                    screen::show)
                            .run();
        }
        exits.put(claim.token(), ended.exit());
        if (ended.exit() == GIVE_BACK) {
            return new Outcome.Released(note(ended));
        }
        if (ended.exit() != 0) {
            return new Outcome.Failed(note(ended));
        }
        if (to == null) {
            return new Outcome.Done(replies ? "no reply: too many answers in a row" : "");
        }
        return Undisturbed.call(() -> reply(claim, to, ended));
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

    private WorkReply answer() {
        return new WorkReply(call, hive);
    }

    private Outcome reply(Claim claim, Address to, CommandProcess.Ended ended)
            throws IOException, InterruptedException {
        byte[] body = body(ended);
        EnvelopeId id = EnvelopeId.ofReply(claim.envelope().id(), claim.inbox());
        for (int tries = 1; ; tries++) {
            SentAnswer sent;
            answering.lock();
            try {
                WorkReply answer = answer();
                sent = answer.post(answer.compose(claim.envelope(), to, body, id));
            } catch (CliException e) {
                if (e.code() == ErrorCode.NO_SUCH_INBOX) {
                    // Nor will there be one next time, and the work is done.
                    return new Outcome.Done("no reply: " + e.getMessage());
                }
                throw e;
            } finally {
                answering.unlock();
            }
            switch (sent.exit()) {
                case DONE -> {
                    return new Outcome.Done("replied with " + id);
                }
                case CONFLICT -> {
                    // Of an earlier attempt, whose worker died before it could say that it is done.
                    return new Outcome.Done("replied before with " + id);
                }
                case WITHHELD -> {
                    if (sent.isKept()) {
                        return new Outcome.Done("reply " + id + " waits for a lock to be lifted");
                    }
                }
                default -> {}
            }
            if (sent.exit() != Exit.REFUSED || tries == REPLIES_MAX) {
                return new Outcome.Failed("reply: " + sent.failure(call).getMessage());
            }
            Thread.sleep(REPLY_PAUSE);
        }
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
