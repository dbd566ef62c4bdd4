package dev.pheromone.session.look;

import dev.pheromone.Inbox;
import dev.pheromone.InboxOverview;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.file.admission.Mute;
import dev.pheromone.file.admission.RefusedSender;
import dev.pheromone.file.admission.Throttled;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.hive.ArchivedCopy;
import dev.pheromone.session.hive.ClaimNames;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.Passage;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// What goes on in a hive at one moment, as far as whoever asks should know.
public record HiveState(
        String root,
        String actor,
        Address address,
        Instant now,
        List<Box> boxes,
        List<Claimed> claims,
        List<Mute> mutes,
        List<RefusedSender> refused,
        List<Spool> outbox,
        int kept,
        List<Ended> expired,
        List<Ended> dead) {

    /// Older endings are history; `rsm archive` shows them.
    public static final Duration RECENT = Duration.ofDays(7);

    /// Each ending costs a look at a file.
    private static final int ENDED_MAX = 20;

    /// An inbox: how much waits, since when, and what comes next.
    public record Box(
            Domain domain,
            int waiting,
            int active,
            int bad,
            @Nullable Instant oldest,
            @Nullable Instant firstExpiry,
            String next,
            @Nullable Throttled throttled) {

        public boolean isQuiet() {
            return waiting + active + bad == 0 && !isThrottled();
        }

        /// Whether the inbox is under backpressure.
        public boolean isThrottled() {
            return throttled != null;
        }

        /// What several have together; nothing is next in all of them.
        public static Box sum(List<Box> boxes) {
            Instant oldest = null;
            int waiting = 0;
            int active = 0;
            int bad = 0;
            for (Box box : boxes) {
                waiting += box.waiting();
                active += box.active();
                bad += box.bad();
                Instant since = box.oldest();
                oldest =
                        oldest == null || (since != null && since.isBefore(oldest))
                                ? since
                                : oldest;
            }
            return new Box(boxes.getFirst().domain(), waiting, active, bad, oldest, null, "", null);
        }
    }

    /// What somebody works on.
    ///
    /// @param name what its holder types
    /// @param topic empty for what is not an envelope
    public record Claimed(Catalog.Item item, Catalog.Held held, String name, String topic) {

        /// As `item` says; empty if nobody holds it any more, or it may not be shown.
        public static Optional<Claimed> of(
                OpenHive hive, @Nullable Passage passage, Catalog.Item item) throws IOException {
            Catalog.Held held = item.claim();
            if (held == null || item.id() == null) {
                return Optional.empty();
            }
            Header header = ArchivedCopy.headerOf(hive, item);
            if (passage != null && !passage.allows(item.inbox(), header)) {
                return Optional.empty();
            }
            return Optional.of(
                    new Claimed(
                            item,
                            held,
                            new ClaimNames(hive).of(item.inbox(), item.id(), held),
                            header == null ? "" : header.topic()));
        }
    }

    /// What waits for a transport that was away.
    public record Spool(String transport, int waiting) {}

    /// An envelope that ended without having been worked on to its end.
    ///
    /// @param header null for what is not an envelope
    /// @param reason why it ended; empty if nobody said
    public record Ended(Catalog.Item item, @Nullable Header header, String reason) {

        public static Ended of(OpenHive hive, Catalog.Item item) throws IOException {
            Header header = ArchivedCopy.headerOf(hive, item);
            EnvelopeId id = item.id();
            return new Ended(
                    item, header, id == null ? "" : hive.catalog().reason(item.inbox(), id));
        }

        boolean isFrom(Actor actor) {
            return header != null && header.from().equals(actor);
        }

        /// Whether it was sent anew, and so has another life under another id.
        boolean isRetried(OpenHive hive) throws IOException {
            EnvelopeId id = item.id();
            return id != null
                    && hive.transport()
                            .find(EnvelopeId.ofRetry(id, item.inbox()), item.inbox())
                            .isPresent();
        }
    }

    /// The state of `hive` now, for `caller`.
    ///
    /// @param passage says which mail may be shown, all of which is counted; null for all
    public static HiveState of(Caller caller, OpenHive hive, @Nullable Passage passage)
            throws IOException {
        Instant now = caller.now();
        hive.transport().muted().deliverDue();
        List<Box> boxes = new ArrayList<>();
        List<Claimed> claims = new ArrayList<>();
        List<Catalog.Item> expired = new ArrayList<>();
        List<Catalog.Item> dead = new ArrayList<>();
        for (Domain domain : hive.transport().domains()) {
            List<Catalog.Item> active = hive.catalog().active(domain);
            for (Catalog.Item item : active) {
                Claimed.of(hive, passage, item).ifPresent(claims::add);
            }
            boxes.add(box(hive, hive.inbox(domain.address()), active.size()));
        }
        for (Domain domain : hive.catalog().domains()) {
            expired.addAll(hive.catalog().archived(domain, State.EXPIRED));
            dead.addAll(hive.catalog().archived(domain, State.DEAD));
        }
        return new HiveState(
                hive.layout().root().toString(),
                caller.actor().name(),
                hive.ownAddress(),
                now,
                boxes,
                claims,
                hive.transport().muted().all(),
                refused(hive),
                spools(hive),
                hive.transport().embargo().mail().size(),
                // What expired concerns whoever waits for it to be done.
                recent(hive, passage, expired, now, ended -> ended.isFrom(caller.actor())),
                recent(hive, passage, dead, now, ended -> true));
    }

    private static List<RefusedSender> refused(OpenHive hive) throws IOException {
        List<RefusedSender> refused = new ArrayList<>();
        for (Domain domain : hive.transport().domains()) {
            refused.addAll(hive.transport().refused(domain));
        }
        return refused;
    }

    private static List<Spool> spools(OpenHive hive) throws IOException {
        List<Spool> spools = new ArrayList<>();
        for (String name : hive.transport().remote().outboxes()) {
            int waiting = hive.transport().remote().outbox(name).count();
            spools.add(new Spool(name, waiting));
        }
        return spools;
    }

    /// One inbox of `hive`, in which `active` copies are being worked on.
    public static Box box(OpenHive hive, Inbox inbox, int active) throws IOException {
        InboxOverview overview = inbox.overview();
        if (overview.firstExpiry() != null) {
            hive.tellIfKept(overview.firstExpiry());
        }
        Waiting.Mail next = overview.next();
        return new Box(
                inbox.domain(),
                overview.mail(),
                active,
                overview.bad(),
                overview.oldest(),
                overview.firstExpiry(),
                next == null ? "" : next.header().topic(),
                hive.transport().throttled(inbox.domain()).orElse(null));
    }

    /// The newest of those that are wanted, over all inboxes.
    private static List<Ended> recent(
            OpenHive hive,
            @Nullable Passage passage,
            List<Catalog.Item> items,
            Instant now,
            Predicate<Ended> wanted)
            throws IOException {
        items.removeIf(item -> ArchivedCopy.endOf(item).isBefore(now.minus(RECENT)));
        items.sort(Comparator.comparing(ArchivedCopy::endOf).reversed());
        List<Ended> recent = new ArrayList<>();
        for (Catalog.Item item : items) {
            if (recent.size() == ENDED_MAX) {
                break;
            }
            try {
                Ended ended = Ended.of(hive, item);
                boolean isShown = passage == null || passage.allows(item.inbox(), ended.header());
                if (isShown && wanted.test(ended) && !ended.isRetried(hive)) {
                    recent.add(ended);
                }
            } catch (NoSuchFileException e) {
                // It was moved while we looked.
            }
        }
        return recent;
    }

    public int waiting() {
        int sum = 0;
        for (Box box : boxes) {
            sum += box.waiting();
        }
        return sum;
    }

    /// The command that most likely comes next.
    public String next() {
        for (Claimed claim : claims) {
            if (claim.held().worker().name().equals(actor)) {
                return "rsm ack " + claim.name() + " done";
            }
        }
        for (Box box : boxes) {
            if (box.domain().equals(address.domain()) && box.waiting() > 0) {
                return "rsm select";
            }
        }
        if (kept > 0) {
            return "rsm embargo";
        }
        if (!dead.isEmpty()) {
            return "rsm archive --state dead";
        }
        for (Box box : boxes) {
            if (box.waiting() > 0 && box.domain().address() instanceof Address.Queen) {
                return "rsm select " + box.domain();
            }
        }
        return "rsm send --to code \"…\"";
    }
}
