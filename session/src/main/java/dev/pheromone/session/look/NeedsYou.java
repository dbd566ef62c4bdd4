package dev.pheromone.session.look;

import dev.pheromone.HiveConfig.ArchivePolicy;
import dev.pheromone.Inbox;
import dev.pheromone.InboxOverview;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.Priority;
import dev.pheromone.file.admission.RefusedSender;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.Breach;
import dev.pheromone.lock.GivenLeave;
import dev.pheromone.question.Question;
import dev.pheromone.rse.RseScope;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.seat.Seat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What does not go on in a hive before the caller does something, the most pressing first, each
/// with the command to type.
public record NeedsYou(List<Item> items) {

    /// So much mail is looked through for what is urgent; of more, only what comes next.
    private static final int LOOKED_MAX = 1_000;

    /// More of a kind are counted, and not named one by one.
    private static final int EACH_MAX = 5;

    /// Whoever was silent for longer is not waited for any more.
    private static final Duration SILENCE_MAX = Duration.ofDays(1);

    /// A breach is shown for so long.
    private static final Duration BREACH_MAX = Duration.ofDays(1);

    public static final NeedsYou NOTHING = new NeedsYou(List.of());

    public NeedsYou {
        items = List.copyOf(items);
    }

    /// A question that the caller was asked, and that is open.
    public record Asked(Envelope envelope, Question question) implements Item {

        @Override
        public String kind() {
            return "question";
        }

        @Override
        public String command() {
            return "rsm reply " + question.id().shortForm() + " \"…\"";
        }
    }

    /// An agent that should be at work, and has given no sign of life for long.
    public record Silent(Seat seat, String evidence) implements Item {

        @Override
        public String kind() {
            return "silent";
        }

        @Override
        public String command() {
            return seat.waking() == Seat.Waking.NONE ? "rsm agents" : "rsm wake " + seat.actor();
        }
    }

    /// One thing to do.
    public sealed interface Item {

        /// The kind in a word.
        String kind();

        /// The command to type.
        String command();
    }

    /// Mail of P0 or P1 that waits in the caller's own inbox.
    public record Urgent(EnvelopeId id, Priority priority, Actor from, String topic, Instant since)
            implements Item {

        @Override
        public String kind() {
            return "urgent";
        }

        @Override
        public String command() {
            return "rsm read " + id.shortForm();
        }
    }

    /// Mail that waits in the embargo for a person's word.
    public record Embargo(int count) implements Item {

        @Override
        public String kind() {
            return "embargo";
        }

        @Override
        public String command() {
            return "rsm embargo release";
        }
    }

    /// Expired mail that stays in an inbox until a person has it archived.
    public record Approval(Domain inbox, Instant since) implements Item {

        @Override
        public String kind() {
            return "approval";
        }

        @Override
        public String command() {
            return "rsm archive approve";
        }
    }

    /// An override that counts for nothing as it is: somebody asks for one, or tried to make one.
    public record WantedOverride(GivenLeave given) implements Item {

        @Override
        public String kind() {
            return "override";
        }

        @Override
        public String command() {
            return "rsm override";
        }
    }

    /// What was done to a file under a lock, past the guard.
    public record Breached(Breach breach, Instant at) implements Item {

        @Override
        public String kind() {
            return "breach";
        }

        @Override
        public String command() {
            return "rsm audit";
        }
    }

    /// Mail that nobody tries any more.
    public record Dead(HiveState.Ended ended) implements Item {

        @Override
        public String kind() {
            return "dead";
        }

        @Override
        public String command() {
            EnvelopeId id = ended.item().id();
            return id == null || ended.header() == null
                    ? "rsm archive --state dead"
                    : "rsm retry " + id.shortForm();
        }
    }

    /// An inbox that takes no more mail of lower classes, since nobody works it off.
    public record Throttled(HiveState.Box box) implements Item {

        @Override
        public String kind() {
            return "throttled";
        }

        @Override
        public String command() {
            Address address = box.domain().address();
            return "rsm inbox "
                    + (address instanceof Address.Queen ? box.domain().name() : address)
                    + " --by-sender";
        }
    }

    /// A sender that goes too far, and is refused for that.
    public record Refused(RefusedSender sender) implements Item {

        @Override
        public String kind() {
            return "refused";
        }

        @Override
        public String command() {
            return "rsm mute " + sender.sender();
        }
    }

    /// More of one kind than are named.
    public record More(String kind, int count, String command) implements Item {}

    /// What needs the caller, of a hive in this state.
    ///
    /// @param asked the open questions that the caller was asked
    /// @param silent the agents that are silent; one that was last seen long ago is history
    public static NeedsYou of(
            OpenHive hive, HiveState state, List<Asked> asked, List<Silent> silent)
            throws IOException {
        List<Item> items = new ArrayList<>();
        Set<EnvelopeId> questions = new HashSet<>();
        List<Item> open = new ArrayList<>();
        asked.stream()
                .sorted(Comparator.comparing(one -> one.question().endsAt()))
                .forEach(open::add);
        asked.forEach(one -> questions.add(one.question().id()));
        add(open, "rsm ask --list", items);
        List<Item> urgent = urgent(hive, state);
        urgent.removeIf(item -> item instanceof Urgent mail && questions.contains(mail.id()));
        add(urgent, "rsm inbox", items);
        add(breaches(hive, state.now()), "rsm audit", items);
        if (state.kept() > 0) {
            items.add(new Embargo(state.kept()));
        }
        add(approvals(hive, state), "rsm archive approve", items);
        add(wantedOverrides(hive), "rsm override", items);
        List<Item> dead = new ArrayList<>();
        state.dead().forEach(ended -> dead.add(new Dead(ended)));
        add(dead, "rsm archive --state dead", items);
        List<Item> throttled = new ArrayList<>();
        for (HiveState.Box box : state.boxes()) {
            if (box.isThrottled()) {
                throttled.add(new Throttled(box));
            }
        }
        add(throttled, "rsm status --all", items);
        List<Item> refused = new ArrayList<>();
        state.refused().forEach(sender -> refused.add(new Refused(sender)));
        add(refused, "rsm status --all", items);
        List<Item> gone = new ArrayList<>(silent);
        gone.removeIf(item ->
                item instanceof Silent one
                        && one.seat().lastSeenAt().plus(SILENCE_MAX).isBefore(state.now()));
        add(gone, "rsm agents", items);
        return new NeedsYou(items);
    }

    /// Breaches of the last day; older ones are in the log, and `rsm audit` finds them all.
    private static List<Item> breaches(OpenHive hive, Instant now) throws IOException {
        Instant since = now.minus(BREACH_MAX);
        List<Item> found = new ArrayList<>();
        try {
            new EventWalk(hive)
                    .forEach(
                            RseScope.ALL.ofTypes(Set.of(Breach.EVENT)).since(since),
                            event ->
                                    event.type().equals(Breach.EVENT)
                                            && !event.ts().isBefore(since),
                            event -> found.add(new Breached(Breach.of(event.data()), event.ts())));
        } catch (WithheldException e) {
            // A lock on the log is shown as such.
        }
        return found.reversed();
    }

    private static List<Item> wantedOverrides(OpenHive hive) {
        List<Item> found = new ArrayList<>();
        try {
            for (GivenLeave given : hive.guard().overrides()) {
                if (!given.problem().isEmpty() && !given.isOver()) {
                    found.add(new WantedOverride(given));
                }
            }
        } catch (WithheldException e) {
            // So is one on the overrides.
        }
        return found;
    }

    private static List<Item> approvals(OpenHive hive, HiveState state) throws IOException {
        List<Item> found = new ArrayList<>();
        if (hive.transport().config().archive() == ArchivePolicy.APPROVE) {
            for (HiveState.Box box : state.boxes()) {
                Instant since = box.firstExpiry();
                if (since != null && !since.isAfter(state.now())) {
                    found.add(new Approval(box.domain(), since));
                }
            }
        }
        return found;
    }

    private static void add(List<Item> found, String rest, List<Item> items) {
        items.addAll(found.subList(0, Math.min(EACH_MAX, found.size())));
        if (found.size() > EACH_MAX) {
            items.add(new More(found.getFirst().kind(), found.size() - EACH_MAX, rest));
        }
    }

    private static List<Item> urgent(OpenHive hive, HiveState state) throws IOException {
        Domain own = state.address().domain();
        Optional<HiveState.Box> box =
                state.boxes().stream().filter(one -> one.domain().equals(own)).findFirst();
        List<Item> found = new ArrayList<>();
        if (box.isEmpty() || box.get().waiting() == 0) {
            return found;
        }
        Inbox inbox = hive.inbox(state.address());
        if (box.get().waiting() <= LOOKED_MAX) {
            for (Waiting waiting : inbox.waiting()) {
                if (waiting instanceof Waiting.Mail mail) {
                    addIfUrgent(mail, state.now(), found);
                }
            }
            return found;
        }
        InboxOverview overview = inbox.overview();
        if (overview.next() != null) {
            addIfUrgent(overview.next(), state.now(), found);
        }
        return found;
    }

    private static void addIfUrgent(Waiting.Mail mail, Instant now, List<Item> found) {
        Header header = mail.header();
        boolean isUrgent = header.priority() == Priority.P0 || header.priority() == Priority.P1;
        if (isUrgent && now.isBefore(mail.urgency().expiresAt())) {
            found.add(
                    new Urgent(
                            header.id(),
                            header.priority(),
                            header.from(),
                            header.topic(),
                            mail.urgency().orderTime()));
        }
    }
}
