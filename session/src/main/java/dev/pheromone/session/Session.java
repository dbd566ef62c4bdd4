package dev.pheromone.session;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.Reach;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.admission.Mute;
import dev.pheromone.file.log.KeyRecords;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.hive.Pheromone;
import dev.pheromone.hive.ServiceReport;
import dev.pheromone.life.ClaimToken;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseScope;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.caller.AgentSession;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.Lanes;
import dev.pheromone.session.caller.PasskeyFiles;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.hive.Ack;
import dev.pheromone.session.hive.ArchivedCopy;
import dev.pheromone.session.hive.Authority;
import dev.pheromone.session.hive.ClaimLookup;
import dev.pheromone.session.hive.ClaimNames;
import dev.pheromone.session.hive.GuardedTransport;
import dev.pheromone.session.hive.Lookup;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.session.hive.OwnAddress;
import dev.pheromone.session.hive.Passage;
import dev.pheromone.session.hive.PathCheck;
import dev.pheromone.session.hive.Reserving;
import dev.pheromone.session.hive.Take;
import dev.pheromone.session.look.EventWalk;
import dev.pheromone.session.look.HiveState;
import dev.pheromone.session.look.InboxView;
import dev.pheromone.session.look.LegWait;
import dev.pheromone.session.look.Legs;
import dev.pheromone.session.look.LogReader;
import dev.pheromone.session.look.NeedsYou;
import dev.pheromone.session.look.Promises;
import dev.pheromone.session.look.Search;
import dev.pheromone.session.look.Signals;
import dev.pheromone.session.look.Story;
import dev.pheromone.session.look.TransportCheckup;
import dev.pheromone.session.mail.Composer;
import dev.pheromone.session.mail.Draft;
import dev.pheromone.session.mail.Mailing;
import dev.pheromone.session.mail.Reply;
import dev.pheromone.session.mail.Retry;
import dev.pheromone.session.mail.Sending;
import dev.pheromone.session.mail.Sent;
import dev.pheromone.session.passkey.AssertionRecords;
import dev.pheromone.session.passkey.Deed;
import dev.pheromone.session.question.AnswerWait;
import dev.pheromone.session.question.Conversation;
import dev.pheromone.session.question.OpenQuestions;
import dev.pheromone.session.question.QuestionView;
import dev.pheromone.session.question.Questions;
import dev.pheromone.session.seat.Presence;
import dev.pheromone.session.seat.Seat;
import dev.pheromone.session.seat.Seats;
import dev.pheromone.session.seat.Waking;
import dev.pheromone.trust.Key;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/// One caller at one hive: all that a person or an agent can do there, a method a verb.
///
/// Mail is named by `said`: an id, the end of one, or a claim's name.
public final class Session {

    /// How long a wait takes to notice that the caller is gone.
    private static final Duration SLICE = Duration.ofMillis(500);

    private final Caller caller;
    private final OpenHive hive;

    /// Which mail the caller may be shown; null for all.
    private final @Nullable Passage passage;

    /// @param hive opened for the same caller, who closes it
    public Session(Caller caller, OpenHive hive) {
        this(caller, hive, Passage.of(caller, hive));
    }

    private Session(Caller caller, OpenHive hive, @Nullable Passage passage) {
        this.caller = caller;
        this.hive = hive;
        this.passage = passage;
    }

    /// A session for a caller whom a network brings: mail and words about it go no further than
    /// their sender's consent.
    public static Session overNetwork(Caller caller, OpenHive hive, Reach reach) {
        return new Session(
                caller, hive, new Passage(caller, hive, hive.publicPass().untold(), reach));
    }

    /// Takes the most urgent copy that is ready.
    ///
    /// @param address whose inbox; null for the caller's own, which is made if there is none
    /// @param lease how long the copy is the caller's; null for what the hive usually gives
    /// @param wait how long to wait for a copy
    public Take select(@Nullable Address address, @Nullable Duration lease, Duration wait)
            throws IOException {
        return select(address, lease, new Patience(wait, () -> false));
    }

    /// How long a caller waits.
    ///
    /// @param longest at most so long
    /// @param isOver asked about twice a second: whether the caller waits no more
    public record Patience(Duration longest, BooleanSupplier isOver) {}

    /// As [#select(Address, Duration, Duration)], for a caller who may go away meanwhile: then
    /// nothing is taken any more.
    public Take select(@Nullable Address address, @Nullable Duration lease, Patience patience)
            throws IOException {
        Inbox inbox = inbox(address);
        ServedInbox served = passage == null ? null : new ServedInbox(inbox, passage);
        Lease given = lease(lease);
        Instant deadline = caller.now().plus(patience.longest());
        while (true) {
            if (patience.isOver().getAsBoolean()) {
                return nothing(inbox);
            }
            switch (served == null
                    ? inbox.select(caller.actor(), given)
                    : served.select(caller.actor(), given)) {
                case Selection.Taken(var claim) -> {
                    return taken(claim);
                }
                case Selection.Withheld(var lock, var reason) -> {
                    return new Take.Withheld(lock, reason, inbox.domain().address());
                }
                case Selection.Nothing _ -> {
                    Duration left = Duration.between(caller.now(), deadline);
                    if (left.isNegative() || left.isZero()) {
                        return nothing(inbox);
                    }
                    Duration slice = left.compareTo(SLICE) < 0 ? left : SLICE;
                    if (served == null) {
                        await(inbox, slice);
                    } else {
                        served.await(slice);
                    }
                }
            }
        }
    }

    /// Takes the copy that `said` means, whatever else waits.
    ///
    /// @param address in whose inbox; null for the caller's own, else the only one where it waits
    public Take take(String said, @Nullable Address address, @Nullable Duration lease)
            throws IOException {
        hive.mail().requireChoice();
        Catalog.Item copy = waiting(said, address);
        EnvelopeId id = Objects.requireNonNull(copy.id());
        if (passage != null) {
            OpenedCopy _ = shown(new Lookup(hive).open(copy), said);
        }
        return switch (hive.transport()
                .picking(copy.inbox())
                .take(id, caller.actor(), lease(lease))) {
            case Selection.Taken(var claim) -> taken(claim);
            case Selection.Withheld(var lock, var reason) ->
                    new Take.Withheld(lock, reason, copy.inbox().address());
            case Selection.Nothing _ -> throw notWaiting(said, copy.inbox());
        };
    }

    /// What [#select] would take now; takes nothing.
    public Take.Look preview(@Nullable Address address) throws IOException {
        Inbox inbox = inbox(address);
        Optional<Take.Next> next = hive.mail().next(inbox.domain());
        return next.isPresent() && isShown(next.get().opened()) ? next.get() : nothing(inbox);
    }

    /// Gives back a claim whose holder can't be told of it.
    public Settlement giveBack(Claim claim, String note) throws IOException {
        return hive.inbox(claim.inbox().address())
                .settle(claim.token(), new Outcome.Released(note));
    }

    /// Says that the work goes on: the lease begins anew, and the log gets `note`.
    public Ack renew(String said, String note, @Nullable Reply reply) throws IOException {
        ClaimLookup.Found claim;
        try {
            claim = hive.mail().claim(said);
            if (reply != null) {
                send(reply, claim, null);
            }
        } catch (WithheldException e) {
            return new Ack.Hidden(e, hive.mail().hidden(e));
        }
        return ack(claim, claim.inbox().accept(claim.token(), note));
    }

    /// Says how the work ended. Mail that waits in the caller's own inbox can be done without being
    /// taken first.
    public Ack settle(String said, Outcome outcome, @Nullable Reply reply) throws IOException {
        boolean isDone = outcome instanceof Outcome.Done;
        ClaimLookup.Found claim;
        try {
            EnvelopeId before = isDone && reply == null ? hive.mail().doneBefore(said) : null;
            if (before != null) {
                return new Ack.Settled(before, State.DONE);
            }
            switch (isDone ? hive.mail().claimOrTake(said) : hive.mail().claim(said)) {
                case ClaimLookup.Found found -> claim = found;
                case ClaimLookup.Withheld(var lock, var reason, var inbox) -> {
                    return new Ack.Withheld(lock, reason, inbox.address(), "");
                }
            }
            askForOthers(claim, outcome);
            if (reply != null) {
                send(
                        reply,
                        claim,
                        isDone ? EnvelopeId.ofReply(claim.id(), claim.inbox().domain()) : null);
            }
        } catch (WithheldException e) {
            return new Ack.Hidden(
                    e,
                    hive.mail()
                            .keep(
                                    said,
                                    outcome,
                                    reply == null ? null : () -> reply.draft().body(),
                                    e));
        }
        Settlement settlement = claim.inbox().settle(claim.token(), outcome);
        if (settlement instanceof Settlement.Settled(var state, var _) && state == State.DONE) {
            hive.mail().noteDone(claim.token());
        }
        return ack(claim, settlement);
    }

    /// Has a person at a page who has a passkey confirm that `reply` is their answer, unless they
    /// want it to be unproven.
    public void proveAnswer(OpenedCopy request, Envelope reply) throws IOException {
        Authority authority = new Authority(caller, hive);
        if (caller.page() != null && caller.page().wantsProof() && authority.hasPasskey()) {
            Authority.Person _ =
                    authority.confirmed(Deed.answer(request.envelope().id().text(), reply));
        }
    }

    /// Whoever knows a claim's whole name may end it; at a page, which knows them all, that is for
    /// people where another holds the claim.
    private void askForOthers(ClaimLookup.Found claim, Outcome outcome) throws IOException {
        ClaimToken token = ClaimToken.parse(claim.token());
        if (caller.page() != null && !token.worker().equals(caller.actor())) {
            String how = outcome.getClass().getSimpleName();
            Authority.Person _ =
                    new Authority(caller, hive).confirmed(Deed.end(token, how, outcome.note()));
        }
    }

    /// What waits in an inbox; takes nothing. Mail whose lease has expired comes back first, as
    /// with a selection.
    ///
    /// @param address whose; null for the caller's own, which need not be there
    public InboxView inbox(@Nullable Address address, InboxView.Filter wanted) throws IOException {
        GuardedTransport transport = hive.mail();
        String name = transport.name().orElse(null);
        if (address == null && !hive.hasOwnInbox()) {
            // The first mail makes it; to look is not to make.
            Domain own = hive.ownAddress().domain();
            return new InboxView(own, name, List.of(), List.of(), transport.active(own));
        }
        Inbox inbox = hive.inbox(address == null ? hive.ownAddress() : address);
        transport.reap(inbox.domain());
        List<Waiting.Mail> mail = new ArrayList<>();
        List<Waiting.Bad> bad = new ArrayList<>();
        Set<Lane> lanes = new HashSet<>();
        for (Waiting waiting : inbox.waiting()) {
            if (passage != null && !passage.allows(inbox.domain(), waiting)) {
                continue;
            }
            switch (waiting) {
                case Waiting.Mail item -> {
                    lanes.add(item.header().lane());
                    transport.tellIfKept(item.urgency().expiresAt());
                    if (wanted.allows(item)) {
                        mail.add(item);
                    }
                }
                case Waiting.Bad item -> bad.add(item);
            }
        }
        Lanes.require(hive.config(), wanted.lane(), lanes.stream());
        return new InboxView(inbox.domain(), name, mail, bad, transport.active(inbox.domain()));
    }

    /// What the signature of waiting mail is worth, in a word; the header alone only tells whether
    /// there is one. Empty if the mail went on its way.
    public Optional<String> signature(Domain inbox, Waiting.Mail mail) throws IOException {
        return hive.mail().signature(inbox, mail);
    }

    /// The copies that ended, newest first where it is known when that was.
    ///
    /// @param state how; null for every end
    /// @param since the earliest end that counts; null for any
    public GuardedTransport.Archived archive(
            @Nullable State state, @Nullable Instant since, int countMax) throws IOException {
        GuardedTransport.Archived all = hive.mail().archived(state, since, countMax);
        if (passage == null) {
            return all;
        }
        List<ArchivedCopy> shown = new ArrayList<>();
        for (ArchivedCopy copy : all.copies()) {
            if (passage.allows(copy.inbox(), copy.header())) {
                shown.add(copy);
            }
        }
        return new GuardedTransport.Archived(shown, shown.size());
    }

    /// What goes on in the hive now, as far as the caller should know.
    public HiveState state() throws IOException {
        return HiveState.of(caller, hive, passage);
    }

    /// What does not go on before the caller does something, in a hive whose [#state] this is.
    public NeedsYou needsYou(HiveState state) throws IOException {
        List<NeedsYou.Asked> asked = new ArrayList<>();
        for (QuestionView view : OpenQuestions.toAnswer(caller, hive)) {
            asked.add(new NeedsYou.Asked(view.envelope(), view.question()));
        }
        List<NeedsYou.Silent> silent = new ArrayList<>();
        for (Agent agent : agents()) {
            Presence presence = agent.presence();
            if (presence.state() == Presence.State.SILENT) {
                silent.add(new NeedsYou.Silent(agent.seat(), presence.evidence()));
            }
        }
        return NeedsYou.of(hive, state, asked, silent);
    }

    /// A session of an agent program, and what it does now.
    public record Agent(Seat seat, Presence presence) {}

    /// The sessions of agent programs that are known here, the one that showed a sign of life last
    /// first.
    public List<Agent> agents() throws IOException {
        List<Agent> agents = new ArrayList<>();
        if (!hasSeats()) {
            return agents;
        }
        for (Seat seat : seats().all()) {
            agents.add(new Agent(seat, Presence.of(seat, caller.now())));
        }
        return agents;
    }

    /// Whether anybody ever sat here: asked by every command that sends, and told by a folder.
    private boolean hasSeats() {
        return new GuardedFiles(new LocalDisk(), hive.guard()).exists(hive.layout().seats());
    }

    private Seats seats() {
        return Seats.of(hive.layout(), hive.guard());
    }

    /// Tells the session of `actor` that mail waits for it, also while it is idle.
    ///
    /// @param env the variables of whoever calls, for the program that passes it on
    public Waking.Woken wake(Actor actor, Waking.Holders holders, Map<String, String> env)
            throws IOException {
        List<Seat> seats = seats().of(actor);
        if (seats.isEmpty()) {
            throw new ProblemException(Code.NO_SUCH_ID, "no session of " + actor + " is known here")
                    .hint("who is here:")
                    .fix("rsm agents");
        }
        return waking().wake(seats.getFirst(), holders, env);
    }

    private Waking waking() {
        return new Waking(hive.layout(), hive.guard(), caller.now());
    }

    /// Which sessions can be woken, and how, or why not.
    public List<Finding> checkWaking(Waking.Holders holders) throws IOException {
        List<Finding> findings = new ArrayList<>();
        for (Seat seat : seats().all()) {
            String deafness = waking().deafness(seat, holders);
            String how =
                    seat.waking() == Seat.Waking.WATCH
                            ? "it watches the inboxes"
                            : "its program takes messages for it";
            findings.add(
                    new Finding(
                            Finding.Severity.NOTE,
                            seat.actor().name(),
                            deafness.isEmpty()
                                    ? "can be woken: " + how
                                    : "can't be woken: " + deafness,
                            "",
                            null));
        }
        return findings;
    }

    /// Reads the event log, and returns where the reading ended.
    ///
    /// @param log is told each event, and each line that is none
    public LogReader.End log(LogReader.Wish wish, LogReader.Range range, LogReader.Log log)
            throws IOException {
        return new LogReader(caller, hive, passage, wish, range, log).run();
    }

    /// Where `text` stands in mail and events of these places. Words in it such as `from:ci` say of
    /// which.
    public List<Search.Hit> search(String text, Set<Search.Place> places) throws IOException {
        return new Search(hive, passage, text, caller.now()).in(places);
    }

    /// What the caller has to know to begin.
    public Start start() throws IOException {
        HiveState state = state();
        List<HiveState.Box> boxes = new ArrayList<>();
        for (HiveState.Box box : state.boxes()) {
            if (box.waiting() > 0) {
                boxes.add(box);
            }
        }
        List<HiveState.Claimed> own = new ArrayList<>();
        for (HiveState.Claimed claim : state.claims()) {
            if (claim.held().worker().equals(caller.actor())) {
                own.add(claim);
            }
        }
        return new Start(caller.actor(), state.address(), boxes, own, locks());
    }

    /// Leaves a signal that fades. Returns what can be sensed now of all such signals.
    ///
    /// @param corrects the earlier event that this one sets right; null if there is none
    public Pheromone drop(RseEvent.PheromoneDrop drop, @Nullable String corrects)
            throws IOException {
        return new Signals(caller, hive).drop(drop, corrects);
    }

    /// The signals that have not faded, strongest first, of those drops that are wanted.
    public List<Pheromone> sense(Predicate<RseEvent.PheromoneDrop> wanted) throws IOException {
        return new Signals(caller, hive)
                .sensed(drop ->
                        wanted.test(drop)
                                && (passage == null
                                        || passage.told(drop).equals(Optional.of(drop))));
    }

    /// May `path` be touched so? Who else is at work there is told, too.
    public PathCheck.Checked check(Path path, Access access) throws IOException {
        return new PathCheck(caller, hive).check(path, access);
    }

    /// What there is to say of the transports in hive.yaml, and of what waits for them.
    public List<Finding> checkTransports() throws IOException {
        return new TransportCheckup(caller, hive).look();
    }

    /// As [#checkTransports]; what waits is sent on as far as possible.
    public List<Finding> fixTransports() throws IOException {
        return new TransportCheckup(caller, hive).fix();
    }

    /// What is locked now.
    public List<HiveLocks.Active> locks() throws IOException {
        return new HiveLocks(caller, hive.layout(), hive.guard()).active();
    }

    /// How the hive keeps its promises, from `since` on.
    public ServiceReport slo(Instant since) throws IOException {
        return Promises.report(
                hive,
                since,
                caller.now(),
                e -> caller.warn("not everything could be measured: " + e.verdict().reason()));
    }

    /// As [#slo], for pictures: by the log alone, without what only the files show.
    public ServiceReport logged(Instant since) throws IOException {
        return Promises.logged(hive, since, caller.now());
    }

    /// The envelope that `said` means, checked. Others see in the log that it was looked at.
    ///
    /// @param doing what the caller is doing, for the log; null if that is not told
    public OpenedCopy read(String said, @Nullable String doing) throws IOException {
        OpenedCopy opened = shown(hive.mail().opened(said), said);
        hive.mail().sensed(opened.envelope(), doing);
        return opened;
    }

    /// As [#read], and nobody is told that it was looked at.
    public OpenedCopy peek(String said) throws IOException {
        return shown(hive.mail().opened(said), said);
    }

    /// The mail around `copy`.
    public Conversation conversation(OpenedCopy copy) throws IOException {
        return Conversation.of(hive, copy.envelope(), this::isShown);
    }

    /// The file of the envelope that `said` means, byte for byte, and unchecked.
    public GuardedTransport.Raw raw(String said, @Nullable String doing) throws IOException {
        if (passage != null) {
            OpenedCopy _ = peek(said);
        }
        return hive.mail().raw(said, doing);
    }

    /// One copy of an envelope that is traced.
    ///
    /// @param claimName how its holder calls the claim; null if nobody holds the copy
    public record Traced(Catalog.Item copy, @Nullable String claimName) {}

    /// Everything known of one envelope.
    ///
    /// @param legs how far each copy came, by its evidence
    /// @param chapters what happened, oldest first
    /// @param question what it asks, and what that has come to; null if it asks nothing
    public record Trace(
            EnvelopeId id,
            List<Traced> copies,
            Legs legs,
            List<Story.Chapter> chapters,
            @Nullable QuestionView question) {}

    /// Everything known of the envelope that `said` means, from the event log and the files
    /// themselves.
    public Trace trace(String said) throws IOException {
        List<Catalog.Item> copies = new Lookup(hive).copies(said);
        if (passage != null) {
            OpenedCopy _ = peek(said);
        }
        EnvelopeId id = Objects.requireNonNull(copies.getFirst().id());
        // First, so that what the log lacks of it is told.
        QuestionView question = questionAmong(copies);
        Story story = new Story(id);
        Legs legs = new Legs();
        new EventWalk(hive)
                .forEach(
                        RseScope.ALL.about(Set.of(id.text())),
                        story::isAbout,
                        event -> {
                            story.addEvent(event);
                            legs.take(event);
                        });
        List<Domain> inboxes = new ArrayList<>();
        List<Traced> traced = new ArrayList<>();
        for (Catalog.Item copy : copies) {
            if (!inboxes.contains(copy.inbox())) {
                inboxes.add(copy.inbox());
                story.addHistory(copy.inbox(), hive.catalog().history(copy.inbox(), id));
            }
            Catalog.Held claim = copy.claim();
            traced.add(
                    new Traced(
                            copy,
                            claim == null
                                    ? null
                                    : new ClaimNames(hive).of(copy.inbox(), id, claim)));
        }
        return new Trace(id, traced, legs, story.chapters(), question);
    }

    private @Nullable QuestionView questionAmong(List<Catalog.Item> copies) throws IOException {
        try {
            return question(new Lookup(hive).open(copies.getFirst()).envelope()).orElse(null);
        } catch (ProblemException | NoSuchFileException e) {
            // It is no mail, or on its way: its story is told all the same.
            return null;
        }
    }

    /// An actor who is muted.
    ///
    /// @param kept how many copies of the actor's mail wait for the end of it
    public record Muted(Mute mute, int kept) {}

    /// Keeps the mail of `actor` from all inboxes for a time.
    public Muted mute(Actor actor, Duration length, String reason, Authority.Person person)
            throws IOException {
        Instant now = caller.now();
        Mute mute = new Mute(actor, now, now.plus(length), reason, person.name());
        return new Muted(mute, hive.transport().muted().add(mute, person.proof()));
    }

    /// Lets the mail of `actor` arrive again; empty if the actor was not muted.
    public Optional<Mute> unmute(Actor actor, Authority.Person person) throws IOException {
        return hive.transport().muted().remove(actor, person.name(), person.proof());
    }

    /// Who is muted.
    public List<Muted> muted() throws IOException {
        hive.transport().muted().deliverDue();
        List<Muted> muted = new ArrayList<>();
        for (Mute mute : hive.transport().muted().all()) {
            int kept = 0;
            for (Domain domain : hive.transport().domains()) {
                for (Catalog.Item item : hive.catalog().parked(domain)) {
                    kept += hive.catalog().isFrom(item, mute.actor()) ? 1 : 0;
                }
            }
            muted.add(new Muted(mute, kept));
        }
        return muted;
    }

    /// The paths that the caller reserves, and others.
    public Reserving reserving() {
        return new Reserving(caller, hive);
    }

    /// Takes a call for a sign of life of the caller, as a hook is one: it renews what the caller
    /// has reserved, and the seat of the caller's session. What can't be noted ends by its time.
    public void noteLife() {
        try {
            AgentSession session = caller.identity().session();
            if (session != null) {
                seats().noteLife(session, caller.now());
            }
            if (Reserving.isUsedAt(hive.layout(), hive.guard())) {
                reserving().renew();
            }
        } catch (IOException e) {
            // A lock, a full disk, or a session that ends: no call fails because of it.
        }
    }

    /// Has the hive trust `key`, in the place of an earlier one of its name.
    public void trust(Key key, Authority.Person person) throws IOException {
        hive.trust(key);
        new KeyEvents(caller, hive).tell(KeyRecords.TRUST, KeyRecords.json(key), person);
    }

    /// Has the hive trust `key` no more, from now on; returns the key as the hive knows it then.
    public Key revoke(Key key, Authority.Person person) throws IOException {
        Key revoked = key.revokedAt(caller.now());
        hive.trust(revoked);
        new KeyEvents(caller, hive).tell(KeyRecords.REVOKE, KeyRecords.json(revoked), person);
        return revoked;
    }

    /// The assertions of passkeys that the event log keeps, checked once more, and the deeds that
    /// they were given for: what is wrong with them.
    public List<Finding> checkAssertions() throws IOException {
        return AssertionRecords.audit(
                hive.log(),
                hive.transport().keptEvents(),
                hive.trust(),
                PasskeyFiles.hive(hive.layout().root()),
                hive.layout().nameOf(hive.layout().log()));
    }

    /// The keys that are in the hive's list without the log's knowledge: they came with git, from
    /// an earlier version, or by hand.
    public List<KeyRecords.Difference> unknownKeys() throws IOException {
        return KeyRecords.of(hive.log()).differences(hive.trustToChange());
    }

    /// Tells the log of such keys.
    public void confirm(List<KeyRecords.Difference> keys, Authority.Person person) {
        KeyEvents events = new KeyEvents(caller, hive);
        for (KeyRecords.Difference key : keys) {
            events.tell(key.type(), key.correction(), person);
        }
    }

    private boolean isShown(OpenedCopy opened) throws IOException {
        return passage == null || passage.allows(opened.envelope());
    }

    /// `opened`, if the caller may see it: else there is no such mail for them.
    private OpenedCopy shown(OpenedCopy opened, String said) throws IOException {
        if (isShown(opened)) {
            return opened;
        }
        throw new ProblemException(Code.NO_SUCH_ID, "no envelope " + said + " in this hive");
    }

    private Inbox inbox(@Nullable Address address) throws IOException {
        if (address == null) {
            hive.makeOwnInbox();
        }
        return hive.inbox(address == null ? hive.ownAddress() : address);
    }

    private Lease lease(@Nullable Duration wanted) {
        try {
            return Lease.unattended(wanted == null ? hive.config().lease().select() : wanted);
        } catch (IllegalArgumentException e) {
            throw new ProblemException(Code.USAGE, String.valueOf(e.getMessage()), e).in("lease");
        }
    }

    private Take taken(Claim claim) {
        noteServing(claim.inbox());
        String name;
        try {
            name = new ClaimNames(hive).of(claim);
        } catch (IOException e) {
            // The mail is taken, and its holder must learn how the claim is called.
            name = claim.token();
        }
        return new Take.Taken(claim, name);
    }

    /// Whoever took mail from an inbox is told of other mail there.
    private void noteServing(Domain inbox) {
        AgentSession session = caller.identity().session();
        try {
            if (session != null && hive.mail().name().isEmpty() && hasSeats()) {
                seats().noteServing(session, inbox);
            }
        } catch (IOException e) {
            // The mail is taken all the same.
        }
    }

    private Take.Nothing nothing(Inbox inbox) throws IOException {
        int paused = 0;
        for (Waiting item : inbox.waiting()) {
            paused +=
                    item instanceof Waiting.Mail mail && !mail.urgency().isReady(caller.now())
                            ? 1
                            : 0;
        }
        return new Take.Nothing(
                inbox.domain().address(), paused, hive.mail().active(inbox.domain()));
    }

    private static void await(Inbox inbox, Duration left) throws IOException {
        try {
            inbox.await(left);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting");
        }
    }

    /// The copy that is meant: in the inbox that was named, else in the caller's own, else in the
    /// only one where it waits.
    private Catalog.Item waiting(String said, @Nullable Address address) throws IOException {
        List<Catalog.Item> copies = new Lookup(hive).copiesAfterLeases(said);
        Domain wanted = address == null ? hive.ownAddress().domain() : hive.inbox(address).domain();
        List<Catalog.Item> others = new ArrayList<>();
        for (Catalog.Item copy : copies) {
            if (copy.state() == State.WAITING && copy.inbox().equals(wanted)) {
                return copy;
            }
            if (copy.state() == State.WAITING) {
                others.add(copy);
            }
        }
        if (address != null || others.isEmpty()) {
            throw notWaiting(said, address == null ? copies.getFirst().inbox() : wanted);
        }
        if (others.size() > 1) {
            List<Domain> inboxes = new ArrayList<>();
            others.forEach(copy -> inboxes.add(copy.inbox()));
            throw new ProblemException(
                            Code.USAGE,
                            said + " waits in " + others.size() + " inboxes, expected ADDRESS")
                    .hint("name one of " + Phrase.addresses(inboxes));
        }
        return others.getFirst();
    }

    /// Says where the copy of an inbox is instead.
    private ProblemException notWaiting(String said, Domain inbox) throws IOException {
        String state = "it never came there";
        for (Catalog.Item copy : new Lookup(hive).copies(said)) {
            if (copy.inbox().equals(inbox)) {
                state =
                        copy.claim() == null
                                ? "it is " + copy.state()
                                : copy.claim().worker() + " has it";
            }
        }
        return new ProblemException(
                        Code.NOTHING, said + " can't be taken at " + inbox.address() + ": " + state)
                .hint("what happened to it:")
                .fix("rsm trace " + said);
    }

    /// Sends a new envelope of what was said in `draft`, to inboxes that are there.
    public Sent mail(List<Address> to, Draft draft) throws IOException {
        return send(new Composer(caller, hive).compose(to, draft), Sending.ONCE);
    }

    /// Answers the envelope that `said` means: where it says, else its sender. The caller is warned
    /// if that does not count as the answer that it is.
    public Sent reply(String said, Draft draft) throws IOException {
        OpenedCopy opened = shown(hive.mail().opened(said), said);
        Envelope request = opened.envelope();
        Sent sent =
                send(
                        new Composer(caller, hive)
                                .reply(request, OwnAddress.forAnswerTo(request, hive), draft, null),
                        Sending.ONCE);
        warnIfNotCounted(opened, sent);
        return sent;
    }

    private void warnIfNotCounted(OpenedCopy request, Sent answer) throws IOException {
        answered(request, answer)
                .flatMap(Questions.Fate::objection)
                .ifPresent(why -> caller.warn("the answer does not count: " + why));
    }

    /// A question that was sent, and what it has come to: empty if that can't be seen now.
    public record Asked(Sent sent, Optional<QuestionView> view) {}

    /// Asks `of` what `draft` asks, and waits for the answer as long as `patience` lasts.
    public Asked ask(Address of, Draft draft, Patience patience) throws IOException {
        Envelope question = new Composer(caller, hive).compose(List.of(of), draft);
        boolean isWaitedFor = patience.longest().isPositive();
        AnswerWait wait = isWaitedFor ? awaiting(question) : null;
        Sent sent = send(question, Sending.ONCE);
        if (!(sent instanceof Sent.Accepted)) {
            return new Asked(sent, Optional.empty());
        }
        QuestionView view =
                wait == null
                        ? question(question).orElse(null)
                        : wait.within(patience.longest(), SLICE, patience.isOver()).view();
        return new Asked(sent, view == null ? Optional.empty() : Optional.of(requireShown(view)));
    }

    /// Sends `envelope`; fails before anything is sent if it is public and holds what must not be.
    public Sent send(Envelope envelope, Sending how) throws IOException {
        Sent sent = new Mailing(caller, hive).send(envelope, how);
        if (envelope.ask().isPresent()) {
            new Questions(caller, hive).asked(sent);
        }
        return sent;
    }

    /// As [#send], of an envelope that was redacted.
    public Sent sendRedacted(Envelope envelope) throws IOException {
        return new Mailing(caller, hive).post(envelope, Sending.ONCE);
    }

    /// Waits until every copy of `sent` has come as far as `wanted`, for at most `patience`.
    public LegWait.Waited await(Legs.Leg wanted, Sent sent, Duration patience) throws IOException {
        return new LegWait(caller, hive).until(wanted, sent, patience);
    }

    /// The wait for the answer to `question`, or for any mail in return to mail that asks nothing.
    /// It begins before the mail is sent.
    ///
    /// @throws ProblemException if no answer could come
    public AnswerWait awaiting(Envelope question) throws IOException {
        return new AnswerWait(caller, hive, question);
    }

    /// What the question that `said` means has come to.
    ///
    /// @throws ProblemException if it is no question
    public QuestionView question(String said) throws IOException {
        return new Questions(caller, hive).named(said);
    }

    /// As [#question(String)], once it was waited for an answer as long as `patience` lasts.
    ///
    /// @throws ProblemException if it is no question, or the answer is none of the caller's
    ///   business
    public QuestionView question(String said, Patience patience) throws IOException {
        OpenedCopy _ = shown(hive.mail().opened(said), said);
        QuestionView view = question(said);
        if (view.isOpen() && patience.longest().isPositive()) {
            view =
                    awaiting(view.envelope())
                            .within(patience.longest(), SLICE, patience.isOver())
                            .view();
        }
        return requireShown(view);
    }

    /// An answer goes no further than its own consent.
    private QuestionView requireShown(QuestionView view) throws IOException {
        OpenedCopy reply = view.reply();
        if (reply != null && !isShown(reply)) {
            throw new ProblemException(
                            Code.REFUSED,
                            "the answer to "
                                    + view.question().id().shortForm()
                                    + " goes no further than its hive")
                    .hint("whoever asked can read it there");
        }
        return view;
    }

    /// What the question `envelope` has come to; empty if it asks nothing.
    public Optional<QuestionView> question(Envelope envelope) throws IOException {
        return new Questions(caller, hive).of(envelope);
    }

    /// The open questions that the caller was asked, and those that the caller asked.
    public OpenQuestions questions() throws IOException {
        return OpenQuestions.of(caller, hive);
    }

    /// What came of an answer of the caller's that was sent; empty if that can't be told here.
    ///
    /// @param request the question, as it was opened
    public Optional<Questions.Fate> answered(OpenedCopy request, Sent answer) throws IOException {
        return new Questions(caller, hive).answered(request, answer);
    }

    /// Answers `request` with what its work came to, at `to`. If the process dies before the work
    /// is settled, the work is done again, and the answer, which has the same id then, is not sent
    /// twice.
    public Sent answer(Envelope request, Address to, Draft draft, EnvelopeId id)
            throws IOException {
        Envelope answer =
                new Composer(caller, hive)
                        .reply(request, to, draft.answering(Draft.Answering.IF_IT_FITS), id);
        return new Mailing(caller, hive).post(answer, Sending.ONCE);
    }

    /// Sends the dead or expired envelope that `said` means again: a new one for each inbox where
    /// the old one ended. Ends with the first that is not accepted.
    public List<Sent> retry(String said) throws IOException {
        if (passage != null) {
            OpenedCopy _ = peek(said);
        }
        return new Retry(caller, hive).send(said);
    }

    /// Sends the reply while the claim is the caller's.
    private void send(Reply reply, ClaimLookup.Found claim, @Nullable EnvelopeId id)
            throws IOException {
        if (claim.inbox().renew(claim.token()) instanceof Settlement.Lost(var reason)) {
            throw new ProblemException(
                    Code.CLAIM_LOST,
                    claim.id().shortForm()
                            + " is not yours any more: "
                            + reason
                            + "; nothing was sent");
        }
        try {
            OpenedCopy opened = hive.mail().opened(claim.token());
            Envelope request = opened.envelope();
            // Reports on the way speak of a question, and do not answer it.
            Draft draft =
                    reply.draft().answering(id == null ? Draft.Answering.NO : Draft.Answering.YES);
            Envelope answer =
                    new Composer(caller, hive)
                            .reply(request, OwnAddress.forAnswerTo(request, hive), draft, id);
            Sent sent = send(answer, Sending.ONCE);
            warnIfNotCounted(opened, sent);
            if (id != null && sent.isConflict()) {
                caller.warn("an earlier attempt has answered already, and that answer stands");
            } else {
                reply.sent(sent);
            }
        } catch (IOException | RuntimeException e) {
            if (claim.isNew()) {
                // Nobody was told of this claim: the mail waits on as it did.
                var _ =
                        claim.inbox()
                                .settle(
                                        claim.token(),
                                        new Outcome.Released("the answer could not be sent"));
            }
            throw e;
        }
    }

    private static Ack ack(ClaimLookup.Found claim, Settlement settlement) {
        return switch (settlement) {
            case Settlement.Renewed(var leaseEndsAt) -> new Ack.Renewed(claim.id(), leaseEndsAt);
            case Settlement.Settled(var state, var _) -> new Ack.Settled(claim.id(), state);
            case Settlement.Lost(var reason) -> new Ack.Lost(claim.id(), reason);
            case Settlement.Withheld(var lock, var reason, var embargo) ->
                    new Ack.Withheld(lock, reason, claim.inbox().domain().address(), embargo);
        };
    }
}
