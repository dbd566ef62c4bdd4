package dev.pheromone.session.seat;

import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Priority;
import dev.pheromone.file.log.JsonlRseLog;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.rse.Notice;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog;
import dev.pheromone.session.caller.FileProblem;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Wakes an idle session that has mail, as far as its program can be told.
public final class Waking {

    /// A program takes some seconds to pass a message on.
    private static final Duration QUEUE_MAX = Duration.ofSeconds(30);

    private final HiveLayout layout;
    private final PolicyGuard guard;
    private final Instant now;

    public Waking(HiveLayout layout, PolicyGuard guard, Instant now) {
        this.layout = layout;
        this.guard = guard;
        this.now = now;
    }

    /// What became of a call.
    public sealed interface Woken {

        /// The session was told.
        ///
        /// @param how what was done
        record Told(String how) implements Woken {}

        /// Nothing waits for the session that it does not know.
        record NothingNew() implements Woken {}

        /// The session can't be told.
        record Deaf(String reason) implements Woken {}
    }

    /// Says which process has a file open.
    public interface Holders {
        /// False only if it is known that the process does not have it open.
        boolean mayHold(long pid, String file);
    }

    /// Why this session can't be woken; empty if it can.
    public String deafness(Seat seat, Holders holders) throws IOException {
        Presence presence = Presence.of(seat, now);
        if (presence.state() == Presence.State.GONE) {
            return presence.evidence();
        }
        return switch (seat.waking()) {
            case WATCH -> "";
            case QUEUE -> queueDeafness(seat, holders);
            case NONE ->
                    seat.harness()
                            + " has no way to be told while it is idle; it is told at its next"
                            + " prompt";
        };
    }

    /// A message for a session that nobody runs any more is taken, and never read.
    private String queueDeafness(Seat seat, Holders holders) throws IOException {
        HarnessProcess process = seat.process();
        if (process == null) {
            return "its process is not known, so that a message might reach nobody";
        }
        if (!seat.transcript().isEmpty() && !holders.mayHold(process.pid(), seat.transcript())) {
            return "process " + process.pid() + " does not have its transcript open any more";
        }
        for (Seat other : Seats.of(layout, guard).all()) {
            if (other.process() != null
                    && other.process().pid() == process.pid()
                    && !other.name().equals(seat.name())
                    && other.since().isAfter(seat.lastSeenAt())) {
                return "process " + process.pid() + " has begun another session, " + other.actor();
            }
        }
        return "";
    }

    /// The actors whose idle sessions are to be woken for mail that was delivered to inboxes of
    /// this hive: those that can be told and don't watch. For mail of a domain that is one, unless
    /// the mail is of P0. Cheap where nobody sits.
    public List<Actor> after(Envelope envelope, Receipt receipt) throws IOException {
        List<Actor> actors = new ArrayList<>();
        if (!new GuardedFiles(new LocalDisk(), guard).exists(layout.seats())) {
            return actors;
        }
        List<Seat> idle = new ArrayList<>();
        for (Seat seat : Seats.of(layout, guard).all()) {
            if (seat.waking() == Seat.Waking.QUEUE
                    && seat.turn() == Seat.Turn.IDLE
                    && !seat.actor().equals(envelope.from())
                    && !seat.isGone()) {
                idle.add(seat);
            }
        }
        for (Receipt.Copy copy : receipt.copies()) {
            if (!(copy.result() instanceof SendResult.Delivered)) {
                continue;
            }
            for (Seat seat : idle) {
                boolean isOwn = copy.inbox().equals(seat.ownInbox());
                if (!seat.hears(copy.inbox()) || actors.contains(seat.actor())) {
                    continue;
                }
                actors.add(seat.actor());
                if (!isOwn && envelope.priority() != Priority.P0) {
                    break;
                }
            }
        }
        return actors;
    }

    /// Wakes the session of `seat`.
    ///
    /// @param env the variables of whoever calls
    public Woken wake(Seat seat, Holders holders, Map<String, String> env) throws IOException {
        String deafness = deafness(seat, holders);
        if (!deafness.isEmpty()) {
            return new Woken.Deaf(deafness);
        }
        return switch (seat.waking()) {
            case WATCH -> {
                Seats.of(layout, guard).wake(seat);
                yield new Woken.Told("a file that it watches was made; it is told what is new");
            }
            case QUEUE -> queue(seat, env);
            case NONE -> new Woken.Deaf(deafness);
        };
    }

    private Woken queue(Seat seat, Map<String, String> env) throws IOException {
        if (!(new Bell(layout, guard, now).forQueue(seat.name()) instanceof Ringing.Rung rung)) {
            return new Woken.NothingNew();
        }
        String result = runQueue(seat, rung.text(), env);
        List<RseEvent> events = new ArrayList<>();
        for (Memory.Heard mail : rung.named()) {
            RseEvent event =
                    Notice.ANNOUNCED.event(
                            now,
                            seat.actor(),
                            Memory.id(mail),
                            mail.inbox(),
                            mail.lane(),
                            mail.consent(),
                            "queue",
                            rung.nonceHash());
            events.add(
                    RseEvent.of(
                            event.ts(),
                            event.type(),
                            event.lane(),
                            event.actor(),
                            event.data().put("result", result.isEmpty() ? "queued" : "failed")));
        }
        try (RseLog log = JsonlRseLog.of(new GuardedFiles(new LocalDisk(), guard), layout)) {
            log.append(events, RseLog.Durability.GROUPED);
        }
        return result.isEmpty()
                ? new Woken.Told("its program took a message for it")
                : new Woken.Deaf(result);
    }

    /// Hands the program a message; returns what went wrong, empty if nothing did.
    private static String runQueue(Seat seat, String text, Map<String, String> env)
            throws IOException {
        // The program that runs, and not another version of it that the path may name.
        HarnessProcess process = seat.process();
        String running = process == null ? "" : process.program().orElse("");
        String program = running.endsWith("/codex") ? running : "codex";
        ProcessBuilder builder =
                new ProcessBuilder(program, "queue", "--thread", seat.session(), "--message", text);
        builder.environment().clear();
        builder.environment().putAll(env);
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        try {
            Process queue = builder.start();
            queue.getOutputStream().close();
            try {
                if (!queue.waitFor(QUEUE_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
                    return "codex took no message within " + QUEUE_MAX.toSeconds() + " s";
                }
                return queue.exitValue() == 0
                        ? ""
                        : "codex queue ended with exit " + queue.exitValue();
            } finally {
                queue.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while codex took a message");
        } catch (IOException e) {
            return "codex could not be started: " + FileProblem.describe(e);
        }
    }
}
