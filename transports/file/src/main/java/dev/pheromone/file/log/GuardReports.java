package dev.pheromone.file.log;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.Permission;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.life.MailEvents;
import dev.pheromone.lock.LockView;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseEvent.PolicyGuard.Mode;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseReading;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Tells that a lock was met: in the hive's event log, or in the embargo's while that is locked,
/// too. Whoever meets a lock again and again tells it once, once more each hour, and when it is
/// over.
public final class GuardReports implements Closeable {

    private static final Duration REMINDER = Duration.ofHours(1);

    /// How long the signal lives that a lock could not be understood.
    private static final Ttl UNCERTAIN_TTL = Ttl.of(Duration.ofDays(1));

    private final RseLog log;
    private final RseLog mirrorLog;
    private final Disk files;
    private final HiveLayout layout;
    private final Actor self;

    private @Nullable Met last;

    /// The lock that was met last.
    private record Met(Lock lock, String path, Mode mode, Instant toldAt) {}

    public GuardReports(Disk files, HiveLayout layout, RseLog log, Actor self) {
        this.log = log;
        this.mirrorLog = new JsonlRseLog(files, layout.mirrorLog());
        this.files = files;
        this.layout = layout;
        this.self = self;
    }

    /// Reports in the name of `actor`.
    public GuardReports as(Actor actor) {
        return actor.equals(self) ? this : new GuardReports(files, layout, log, actor);
    }

    public synchronized void withheld(WithheldException e, Mode mode, Instant now) {
        Lock lock = e.verdict().lock();
        Met met = last;
        if (met != null && met.lock().equals(lock) && now.isBefore(met.toldAt().plus(REMINDER))) {
            return;
        }
        String path = layout.nameOf(e.path());
        last = new Met(lock, path, mode, now);
        List<RseEvent> events = new ArrayList<>();
        events.add(event(lock, path, mode, now));
        if (lock.source().equals(LockView.UNCERTAIN_SOURCE)) {
            events.add(
                    new RseEvent.PheromoneDrop(
                            now,
                            Lane.GOVERNANCE,
                            self,
                            "policy-guard",
                            Priority.P1,
                            path,
                            UNCERTAIN_TTL,
                            List.of()));
        }
        tell(events);
    }

    /// A person's leave was used, and mail is where a lock would have kept it from.
    public synchronized void permitted(
            Permission leave, String location, Envelope envelope, Domain inbox, Instant now) {
        tell(
                List.of(
                        overridden(
                                leave,
                                location,
                                ContentHash.of(envelope.bytes()),
                                self.name(),
                                now),
                        MailEvents.emitted(envelope, inbox, location, now)));
    }

    /// The event that tells of the use of `leave`.
    static RseEvent overridden(
            Permission leave, String path, ContentHash content, String actor, Instant now) {
        return RseEvent.of(
                now,
                "policy_override",
                Lane.GOVERNANCE,
                actor,
                Json.obj()
                        .put("lock", leave.lock().kind().toString())
                        .put("path", path)
                        .put("source", leave.lock().source())
                        .put("override", leave.override())
                        .put("requestor", leave.requestor())
                        .put("by", leave.by())
                        .put("proof", leave.proof())
                        .put("hash", content.toString()));
    }

    /// Mail from the embargo has gone its way.
    public void released(RseEvent event) {
        tell(List.of(event));
    }

    /// What the embargo's log has.
    public List<RseEvent> kept() throws IOException {
        List<RseEvent> events = new ArrayList<>();
        try (RseReading reading = mirrorLog.read(Cursor.START)) {
            for (Optional<RseEntry> next = reading.next();
                    next.isPresent();
                    next = reading.next()) {
                if (next.get() instanceof RseEntry.Read read) {
                    events.add(read.event());
                }
            }
        }
        return events;
    }

    /// The hive was used, so that the lock that was met is over.
    public void free(Instant now) {
        if (last != null) {
            lifted(now);
        }
    }

    private synchronized void lifted(Instant now) {
        Met met = last;
        last = null;
        if (met != null) {
            RseEvent event = event(met.lock(), met.path(), met.mode(), now);
            tell(
                    List.of(
                            RseEvent.of(
                                    now,
                                    event.type(),
                                    Lane.GOVERNANCE,
                                    self.name(),
                                    event.data().put("over", true))));
        }
    }

    private RseEvent event(Lock lock, String path, Mode mode, Instant now) {
        return new RseEvent.PolicyGuard(
                now, Lane.GOVERNANCE, self, lock.kind(), path, mode, lock.source());
    }

    @Override
    public void close() throws IOException {
        mirrorLog.close();
    }

    private void tell(List<RseEvent> events) {
        try {
            GovernanceLog.append(log, mirrorLog, events);
        } catch (IOException e) {
            // Whoever met the lock is told all the same; nothing here may be written.
        }
    }
}
