package dev.pheromone.session.seat;

import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.config.HiveFiles;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Priority;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.file.copy.Inspector;
import dev.pheromone.file.copy.Inspector.Sight;
import dev.pheromone.file.log.JsonlRseLog;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.question.Question;
import dev.pheromone.rse.Notice;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog;
import dev.pheromone.session.seat.Memory.Heard;
import dev.pheromone.session.seat.Memory.Ring;
import dev.pheromone.session.seat.Seat.Turn;
import dev.pheromone.trust.SignatureCheck;
import dev.pheromone.trust.SignaturePolicy;
import dev.pheromone.trust.TrustList;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Tells the sessions of agent programs that there is mail for them: counts and ids, never a body.
///
/// A seat rings for its own inbox and for the domains that it serves. After a tool only what is new
/// is rung, at most once a minute, mail of P0 at once; at a start or a prompt all that no model is
/// known to have seen. Mail of a domain rings one seat, and the next one if nobody took it for a
/// while. A bell that has nothing new to say opens no mail.
///
/// An object is for one call of one hook.
public final class Bell {

    /// After a tool, mail below P0 waits for so long since the last ring.
    static final Duration BETWEEN_RINGS = Duration.ofMinutes(1);

    /// So long one seat is given to take mail of a domain before the next one is rung.
    static final Duration TURN = Duration.ofMinutes(2);

    /// So long after a ring its transcript is looked at by later hooks.
    static final Duration LOOKED_AT = Duration.ofMinutes(2);

    /// A seat whose process nobody knows counts as there for so long after its last sign of life.
    static final Duration THERE = Duration.ofMinutes(10);

    /// How long a hook waits for another one of the same seat, where it tells of a turn's course.
    private static final Duration WAIT = Duration.ofMillis(500);

    /// A folder that changed within this time may change again without showing it.
    private static final Duration TICK_MAX = Duration.ofSeconds(2);

    /// More files than these are not listed: such an inbox is under backpressure, and that is told
    /// elsewhere.
    private static final int NAMES_MAX = 1_000;

    /// So many headers are read by one hook; the rest by the next one.
    private static final int LOOKS_MAX = 64;

    /// Of so many envelopes of a ring the signature is checked: that needs the whole envelope.
    private static final int PROVEN_MAX = 3;

    private static final Ringing SILENCE = new Ringing.Silence();

    private final Disk files;
    private final HiveLayout layout;
    private final Seats seats;
    private final Instant now;
    private final Map<String, Instant> rungByOthers = new HashMap<>();
    private boolean areOthersKnown;
    private boolean areDomainsOurs;
    private boolean isMemoryChanged;
    private boolean isWritten;

    public Bell(HiveLayout layout, PolicyGuard guard, Instant now) {
        this(new GuardedFiles(new LocalDisk(), guard), layout, now);
    }

    Bell(Disk files, HiveLayout layout, Instant now) {
        this.files = files;
        this.layout = layout;
        this.seats = new Seats(files, layout);
        this.now = now;
    }

    /// What there is to say at `moment`. Who prints the text calls [#printed] afterwards.
    ///
    /// Fails if nothing may be noted: whoever can't remember would say the same again and again.
    public Ringing at(Moment moment, Visit visit) throws IOException {
        if (moment == Moment.SUBAGENT_STOP
                || (moment == Moment.TOOL_AHEAD && !seats.isAsked(visit.name()))) {
            return SILENCE;
        }
        Optional<Closeable> lock =
                seats.lock(visit.name(), moment.isTurning() ? WAIT : Duration.ZERO);
        if (lock.isEmpty()) {
            // Another hook of this session rings for what there is.
            return SILENCE;
        }
        try (Closeable _ = lock.get()) {
            return ring(moment, visit);
        }
    }

    private Ringing ring(Moment moment, Visit visit) throws IOException {
        Seats.Entry kept = seats.read(visit.name()).orElse(null);
        boolean isNew = kept == null || moment == Moment.START;
        Memory memory = kept == null ? new Memory() : kept.memory();
        Seat before = kept == null ? null : kept.seat();
        Seat seat = noted(moment, visit, before);
        List<RseEvent> events = new ArrayList<>();
        if (!visit.isSubagent()) {
            lookForAnswers(moment, visit, seat, memory, events);
        }
        if (moment == Moment.START) {
            seats.tidy(now);
            seats.makeWakes();
        }
        if (moment == Moment.PROMPT) {
            memory.beginTurn();
        }
        Ringing ringing =
                moment == Moment.END || moment == Moment.TOOL_AHEAD
                        ? SILENCE
                        : mail(moment, visit, seat, memory);
        boolean isChanged =
                isNew
                        || ringing instanceof Ringing.Rung
                        || !events.isEmpty()
                        || isMemoryChanged
                        || !seat.equals(before);
        if (isChanged && !isWritten) {
            seats.write(new Seats.Entry(seat, memory));
        } else if (!isChanged
                && before != null
                && before.lastSeenAt().plus(Seats.BETWEEN_SIGNS).isBefore(now)) {
            seats.touch(seat, now);
        }
        write(events);
        return ringing;
    }

    /// The seat as the call shows it.
    private Seat noted(Moment moment, Visit visit, @Nullable Seat before) {
        Turn turn =
                switch (moment) {
                    case START, STOP -> Turn.IDLE;
                    case PROMPT, TOOL_AHEAD, TOOL -> Turn.WORKING;
                    case END -> Turn.OVER;
                    case CHANGE, SUBAGENT_STOP -> before == null ? Turn.IDLE : before.turn();
                };
        List<Domain> serves = new ArrayList<>(visit.serves());
        HarnessProcess process = before == null ? null : before.process();
        if (before != null) {
            for (Domain domain : before.serves()) {
                if (!serves.contains(domain)) {
                    serves.add(domain);
                }
            }
        }
        boolean isLookedFor =
                before == null
                        || moment == Moment.START
                        || (process == null && moment == Moment.PROMPT);
        if (visit.caller() > 0 && isLookedFor) {
            process = HarnessProcess.above(visit.harness(), visit.caller()).orElse(process);
        }
        boolean isSame = before != null && before.turn() == turn;
        return new Seat(
                visit.actor(),
                visit.harness(),
                visit.session(),
                visit.version().isEmpty() && before != null ? before.version() : visit.version(),
                visit.transcript().isEmpty() && before != null
                        ? before.transcript()
                        : visit.transcript(),
                process,
                turn,
                isSame && before != null ? before.since() : now,
                visit.isAttended() || (before != null && before.attended()),
                serves,
                before == null ? now : before.lastSeenAt());
    }

    /// Notes which rings a model is known to have seen by now.
    private void lookForAnswers(
            Moment moment, Visit visit, Seat seat, Memory memory, List<RseEvent> events) {
        List<Ring> open = memory.rings();
        if (open.isEmpty()) {
            return;
        }
        Set<String> answered = new HashSet<>();
        if (moment == Moment.TOOL
                || moment == Moment.STOP
                || moment == Moment.PROMPT
                || moment == Moment.END) {
            answered.addAll(answeredInTranscript(visit, seat, open));
        }
        for (Ring ring : open) {
            String by = null;
            if (answered.contains(ring.nonceHash())) {
                by = "transcript";
            } else if (moment == Moment.STOP && isInContext(ring.moment())) {
                by = "stop";
            } else if (moment == Moment.TOOL_AHEAD && ring.moment() == Moment.PROMPT) {
                by = "tool";
            }
            if (by != null) {
                memory.seen(ring);
                for (Heard mail : ring.named()) {
                    events.add(event(Notice.SEEN, seat, mail, by, ring.nonceHash()));
                }
            }
        }
    }

    /// Whether what was printed at such a moment stands in the next request: a text that wakes a
    /// session may come after the stop.
    private static boolean isInContext(Moment moment) {
        return switch (moment) {
            case START, PROMPT, TOOL, STOP -> true;
            case TOOL_AHEAD, SUBAGENT_STOP, CHANGE, END -> false;
        };
    }

    private Set<String> answeredInTranscript(Visit visit, Seat seat, List<Ring> open) {
        boolean isYoung = open.stream().anyMatch(ring -> ring.at().plus(LOOKED_AT).isAfter(now));
        if (!isYoung || seat.transcript().isEmpty()) {
            return Set.of();
        }
        try {
            return Transcript.answered(
                    seat.harness(), visit.files().read(seat.transcript(), Transcript.BYTES_MAX));
        } catch (IOException | RuntimeException e) {
            // Locked, gone, or no file: nothing is proven.
            return Set.of();
        }
    }

    private RseEvent event(Notice step, Seat seat, Heard mail, String by, String nonceHash) {
        return step.event(
                now,
                seat.actor(),
                Memory.id(mail),
                mail.inbox(),
                mail.lane(),
                mail.consent(),
                by,
                nonceHash);
    }

    /// Notes in the log that the text of `rung` was printed.
    public void printed(Ringing.Rung rung) throws IOException {
        List<RseEvent> events = new ArrayList<>();
        for (Heard mail : rung.named()) {
            events.add(
                    event(
                            rung.nonceHash().isEmpty() ? Notice.ANNOUNCED : Notice.HANDED_OVER,
                            rung.seat(),
                            mail,
                            rung.moment().toString(),
                            rung.nonceHash()));
        }
        write(events);
    }

    private void write(List<RseEvent> events) throws IOException {
        if (events.isEmpty()) {
            return;
        }
        try (RseLog log = JsonlRseLog.of(files, layout)) {
            // Evidence that a power cut takes is no evidence: nobody waits for the disk.
            log.append(events, RseLog.Durability.PROVEN);
        }
    }

    private Ringing mail(Moment moment, Visit visit, Seat seat, Memory memory) throws IOException {
        boolean isAsListed = true;
        for (Domain inbox : inboxes(seat)) {
            String mark = mark(inbox);
            if (mark.isEmpty() || !memory.isAsListed(inbox, mark)) {
                isAsListed = false;
                isMemoryChanged = true;
                boolean isMore = listen(inbox, seat, memory);
                memory.listed(inbox, isMore ? "" : mark);
            }
        }
        if (isAsListed && !moment.repeats() && !memory.isDue(now) && moment != Moment.STOP) {
            return SILENCE;
        }
        try (Closeable _ = domains(seat)) {
            List<Heard> due = due(moment, seat, memory);
            if (moment == Moment.STOP) {
                due.removeIf(mail -> !mayHold(mail, seat));
                boolean holds =
                        seat.attended()
                                && !visit.isHeld()
                                && !visit.isSubagent()
                                && !memory.hasHeld()
                                && !due.isEmpty();
                if (!holds) {
                    return SILENCE;
                }
                memory.noteHeld();
            }
            // What a subagent is told stands in its own requests, and the session's would prove it.
            Nonce nonce = visit.isSubagent() ? null : Nonce.random();
            Seat goingOn = moment == Moment.STOP ? seat.working(now) : seat;
            return due.isEmpty()
                    ? SILENCE
                    : rung(moment, nonce, new Seats.Entry(goingOn, memory), due, false);
        }
    }

    private static List<Domain> inboxes(Seat seat) {
        List<Domain> inboxes = new ArrayList<>();
        inboxes.add(seat.ownInbox());
        inboxes.addAll(seat.serves());
        return inboxes;
    }

    /// Keeps other seats from ringing for domains meanwhile. If another one does, only own mail is
    /// rung now.
    private Closeable domains(Seat seat) throws IOException {
        areDomainsOurs = seat.serves().isEmpty();
        if (areDomainsOurs) {
            return () -> {};
        }
        Optional<Closeable> lock = seats.lockDomains();
        areDomainsOurs = lock.isPresent();
        return lock.orElse(() -> {});
    }

    /// What tells the folder of an inbox from every other state of it; empty if nothing does.
    private String mark(Domain inbox) throws IOException {
        Optional<Stat> stat = files.stat(layout.inbox(inbox));
        if (stat.isEmpty()) {
            return "none";
        }
        Stat found = stat.get();
        boolean isYoung =
                found.modified().plus(TICK_MAX).isAfter(now)
                        || found.changed().plus(TICK_MAX).isAfter(now);
        return isYoung ? "" : found.inode() + " " + found.modified() + " " + found.changed();
    }

    /// Learns what came into an inbox and what left it; says whether there is more to look at.
    private boolean listen(Domain inbox, Seat seat, Memory memory) throws IOException {
        List<Path> listed = files.listIfFew(layout.inbox(inbox), NAMES_MAX).orElse(null);
        if (listed == null) {
            return false;
        }
        Set<String> names = new HashSet<>();
        Inspector inspector = null;
        boolean isMore = false;
        int looks = 0;
        for (Path file : listed) {
            String name = String.valueOf(file.getFileName());
            if (!InboxIndex.isMailName(file)) {
                continue;
            }
            names.add(name);
            if (memory.heard(inbox, name) != null) {
                continue;
            }
            if (looks++ == LOOKS_MAX) {
                isMore = true;
                break;
            }
            if (inspector == null) {
                inspector = new Inspector(files, layout, FileLimits.defaults());
            }
            switch (inspector.glance(file, now)) {
                case Sight.Glimpse(var header, var _) ->
                        memory.put(
                                Heard.of(inbox, name, header, header.from().equals(seat.actor())));
                case Sight.Bad _ -> memory.put(Heard.noMail(inbox, name));
                case Sight.Unfinished _, Sight.Mail _ -> isMore = true;
                case Sight.Gone _ -> names.remove(name);
            }
        }
        if (looks <= LOOKS_MAX) {
            for (Heard mail : memory.all()) {
                if (mail.inbox().equals(inbox) && !names.contains(mail.file())) {
                    memory.forget(mail);
                }
            }
        }
        return isMore;
    }

    /// What is to be rung now, most urgent first. What is not to be rung yet is looked at again
    /// when its time has come.
    private List<Heard> due(Moment moment, Seat seat, Memory memory) throws IOException {
        List<Heard> due = new ArrayList<>();
        Instant again = null;
        boolean isUrgent = false;
        for (Heard mail : memory.all()) {
            if (mail.isNoMatter()
                    || mail.isSeen()
                    || !mail.expiresAt().isAfter(now)
                    || (mail.isRung() && !moment.repeats())) {
                continue;
            }
            Instant turn = turnOf(mail, seat);
            if (turn.isAfter(now)) {
                again = again == null || turn.isBefore(again) ? turn : again;
                continue;
            }
            due.add(mail);
            isUrgent |= mail.priority() == Priority.P0;
        }
        boolean isBounded =
                moment == Moment.TOOL || (moment == Moment.CHANGE && seat.turn() == Turn.WORKING);
        Instant next = memory.rangAt().plus(BETWEEN_RINGS);
        if (!due.isEmpty() && isBounded && !isUrgent && next.isAfter(now)) {
            again = again == null || next.isBefore(again) ? next : again;
            due.clear();
        } else if (!due.isEmpty() && moment == Moment.STOP) {
            // Whatever a stop does not ring for, the next tool does.
            again = now;
        }
        memory.lookAgain(again);
        isMemoryChanged |= again != null;
        due.sort(Comparator.comparing(Heard::priority).thenComparing(Heard::file));
        return due;
    }

    /// When this seat may be rung for mail.
    private Instant turnOf(Heard mail, Seat seat) throws IOException {
        if (mail.inbox().equals(seat.ownInbox()) || mail.priority() == Priority.P0) {
            return Instant.EPOCH;
        }
        if (!areDomainsOurs) {
            return now.plusMillis(1);
        }
        if (!areOthersKnown) {
            areOthersKnown = true;
            lookAtOthers(seat);
        }
        Instant rung = rungByOthers.get(mail.key());
        return rung == null || rung.isBefore(mail.rungAt()) ? Instant.EPOCH : rung.plus(TURN);
    }

    private void lookAtOthers(Seat seat) throws IOException {
        for (Seats.Entry other : seats.entries()) {
            boolean isThere =
                    !other.seat().isGone()
                            && (other.seat().process() != null
                                    || other.seat().lastSeenAt().plus(THERE).isAfter(now));
            if (other.seat().name().equals(seat.name()) || !isThere) {
                continue;
            }
            for (Heard mail : other.memory().all()) {
                if (mail.isRung()) {
                    Instant _ =
                            rungByOthers.merge(
                                    mail.key(), mail.rungAt(), (a, b) -> a.isAfter(b) ? a : b);
                }
            }
        }
    }

    /// Whether mail is worth a held stop: it is for this session alone, and urgent, an answer, or a
    /// question that waits for one.
    private boolean mayHold(Heard mail, Seat seat) {
        if (!mail.inbox().equals(seat.ownInbox())) {
            return false;
        }
        return mail.priority().compareTo(Priority.P1) <= 0
                || opened(mail).filter(envelope -> isAnswerOrAsks(envelope, seat)).isPresent();
    }

    private boolean isAnswerOrAsks(Envelope envelope, Seat seat) {
        if (envelope.correlationId().isPresent()) {
            return true;
        }
        Question question = Question.of(envelope).orElse(null);
        if (question == null || !now.isBefore(question.endsAt())) {
            return false;
        }
        for (Address of : question.of()) {
            if (of.domain().equals(seat.ownInbox())) {
                return true;
            }
        }
        return false;
    }

    private Optional<Envelope> opened(Heard mail) {
        try {
            Path file = layout.inbox(mail.inbox()).resolve(mail.file());
            return new Inspector(files, layout, FileLimits.defaults()).look(mail.inbox(), file, now)
                            instanceof Sight.Mail(var envelope, var _)
                    ? Optional.of(envelope)
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// A text for whoever has to be told by another way than a hook: all that waits for the session
    /// of that name and that no model is known to have seen.
    Ringing forQueue(String name) throws IOException {
        Optional<Closeable> lock = seats.lock(name, WAIT);
        if (lock.isEmpty()) {
            return SILENCE;
        }
        try (Closeable _ = lock.get()) {
            Seats.Entry kept = seats.read(name).orElse(null);
            if (kept == null) {
                return SILENCE;
            }
            for (Domain inbox : inboxes(kept.seat())) {
                boolean isMore = listen(inbox, kept.seat(), kept.memory());
                kept.memory().listed(inbox, isMore ? "" : mark(inbox));
            }
            try (Closeable _ = domains(kept.seat())) {
                List<Heard> due = due(Moment.START, kept.seat(), kept.memory());
                return due.isEmpty()
                        ? SILENCE
                        : rung(Moment.CHANGE, Nonce.random(), kept, due, true);
            }
        }
    }

    private Ringing rung(
            Moment moment,
            @Nullable Nonce nonce,
            Seats.Entry at,
            List<Heard> due,
            boolean isUsersWords)
            throws IOException {
        Seat seat = at.seat();
        Memory memory = at.memory();
        Digest.Text text =
                digest(moment, seat, memory, due, nonce, isUsersWords || seat.speaksAsUser(moment));
        if (text.named().isEmpty()) {
            return SILENCE;
        }
        String hash = nonce == null ? "" : nonce.hash();
        memory.ring(new Ring(hash, now, moment, text.named()), text.named());
        if (text.named().size() < due.size()) {
            memory.lookAgain(now.plus(BETWEEN_RINGS));
        }
        // While other seats are kept from ringing for the same mail.
        seats.write(at);
        isWritten = true;
        return new Ringing.Rung(
                text.text(), moment == Moment.STOP, seat, moment, hash, text.named());
    }

    private Digest.Text digest(
            Moment moment,
            Seat seat,
            Memory memory,
            List<Heard> due,
            @Nullable Nonce nonce,
            boolean isUsersWords) {
        Map<Domain, Integer> waiting = new HashMap<>();
        for (Heard mail : memory.all()) {
            if (!mail.isNoMatter() && mail.expiresAt().isAfter(now)) {
                int _ = waiting.merge(mail.inbox(), 1, Integer::sum);
            }
        }
        List<Heard> first = due.subList(0, Math.min(PROVEN_MAX, due.size()));
        TrustList trust = trust();
        return new Digest(seat, moment, nonce == null ? "" : nonce.text(), isUsersWords)
                .of(
                        due,
                        inbox -> waiting.getOrDefault(inbox, 0),
                        mail -> first.contains(mail) ? sender(mail, trust) : null);
    }

    private Digest.@Nullable Sender sender(Heard mail, TrustList trust) {
        if (trust.keys().isEmpty()) {
            return null;
        }
        Envelope envelope = opened(mail).orElse(null);
        return envelope != null
                        && trust.check(envelope, now, SignaturePolicy.OPTIONAL)
                                instanceof SignatureCheck.Valid(var _, var actor, var _)
                ? new Digest.Sender(actor.name(), envelope.topic())
                : null;
    }

    private TrustList trust() {
        try {
            return new HiveFiles(files, layout).trust();
        } catch (IOException | MalformedYamlException e) {
            // Nobody is proven then.
            return TrustList.empty();
        }
    }
}
