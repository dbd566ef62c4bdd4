package dev.pheromone.session;

import dev.pheromone.Capability;
import dev.pheromone.Lag;
import dev.pheromone.Outcome;
import dev.pheromone.PublicCheck;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.OnBehalf;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.hive.ServiceReport;
import dev.pheromone.rse.Disclosure;
import dev.pheromone.rse.RseLog;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.Passage;
import dev.pheromone.session.look.HiveState;
import dev.pheromone.session.look.Promises;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A hive that is served: as [Session], for clients whom only their requests name. A sender is who
/// the envelope is from, a worker is named with each selection, and how work ended is told in the
/// name of whoever holds the claim. Mail, and what the log says of it, goes no further than its
/// sender's consent.
public final class ServedSession {

    private final Caller caller;
    private final OpenHive hive;
    private final Transport mail;
    private final Passage passage;

    /// Inboxes that were asked for: under a lock no more can be, but these keep how work ended.
    private final Map<Domain, ServedInbox> known = new ConcurrentHashMap<>();

    /// @param mail the hive's inboxes, in the name of those who hold claims
    /// @param publicCheck looks through public mail before the public sees it
    /// @param reach how far what is given out may get
    public ServedSession(
            Caller caller, OpenHive hive, Transport mail, PublicCheck publicCheck, Reach reach) {
        this.caller = caller;
        this.hive = hive;
        this.mail = mail;
        this.passage = new Passage(caller, hive, publicCheck, reach);
    }

    /// Serves `hive`, which `caller` opened and closes, to all whom `reach` means.
    public static ServedSession of(Caller caller, OpenHive hive, Reach reach) {
        return new ServedSession(
                caller, hive, new OnBehalf(hive.transport()), hive.publicPass().untold(), reach);
    }

    public Reach reach() {
        return passage.reach();
    }

    public Instant now() {
        return caller.now();
    }

    public Set<Capability> capabilities() {
        return mail.capabilities();
    }

    public Lag lag() {
        return mail.lag();
    }

    public RseLog log() {
        return hive.log();
    }

    /// What clients may know of an event.
    public Disclosure disclosure() {
        return new Disclosure(reach());
    }

    /// Tells the log what a lock kept from a client. Where mail itself meets a lock, its transport
    /// tells.
    public void report(WithheldException e) {
        hive.transport().report(e);
    }

    public List<Domain> domains() throws IOException {
        return mail.domains();
    }

    public void createInbox(Domain inbox) throws IOException {
        mail.createInbox(inbox);
    }

    /// The inbox of `domain`; fails under a lock that hides it.
    public ServedInbox inbox(Domain domain) throws IOException, NoSuchInboxException {
        var inbox = mail.inbox(domain);
        return known.computeIfAbsent(domain, _ -> new ServedInbox(inbox, passage));
    }

    /// Sends a client's envelope as it is.
    ///
    /// @param only the inbox whose copy is sent; null for all that the envelope is addressed to
    public Receipt send(Envelope envelope, @Nullable Domain only)
            throws IOException, NoSuchInboxException {
        if (!envelope.consent().allows(reach())) {
            return Receipt.forAll(
                    envelope,
                    only == null ? envelope.to() : List.of(only.address()),
                    new SendResult.BeyondConsent(envelope.consent(), reach()));
        }
        return only == null ? mail.send(envelope) : mail.send(envelope, only);
    }

    /// A copy of an envelope, wherever it is in its life; empty if there is none that may be shown.
    ///
    /// @param inbox where; null for the liveliest copy of all
    public Optional<Transport.Found> find(EnvelopeId id, @Nullable Domain inbox)
            throws IOException {
        Transport.Found found =
                (inbox == null ? hive.transport().find(id) : hive.transport().find(id, inbox))
                        .orElse(null);
        return found != null && passage.allows(found) ? Optional.of(found) : Optional.empty();
    }

    /// Ends a claim, or keeps how it ended while a lock forbids more.
    public Settlement settle(Domain domain, String token, Outcome outcome)
            throws IOException, NoSuchInboxException {
        try {
            return inbox(domain).settle(token, outcome);
        } catch (WithheldException e) {
            ServedInbox before = known.get(domain);
            if (before == null) {
                throw e;
            }
            return before.settle(token, outcome);
        }
    }

    /// How the hive keeps its promises, in the last `span`.
    public ServiceReport slo(Duration span) throws IOException {
        return Promises.report(hive, now().minus(span), now(), _ -> {});
    }

    /// An inbox in numbers: all mail, also what may not be given out.
    ///
    /// @param ended how many copies ended, by how they did
    public record Figures(HiveState.Box box, Map<State, Long> ended) {

        public Figures {
            ended = Map.copyOf(ended);
        }
    }

    /// The inboxes in numbers; one that was taken away meanwhile is left out.
    public List<Figures> figures(List<Domain> domains) throws IOException {
        List<Figures> all = new ArrayList<>();
        for (Domain domain : domains) {
            try {
                Map<State, Long> ended = new EnumMap<>(State.class);
                for (State state : State.values()) {
                    if (state.isFinal()) {
                        ended.put(state, (long) hive.catalog().archived(domain, state).size());
                    }
                }
                all.add(
                        new Figures(
                                HiveState.box(
                                        hive,
                                        mail.inbox(domain),
                                        hive.catalog().active(domain).size()),
                                ended));
            } catch (NoSuchInboxException e) {
                // Nothing is left to count.
            }
        }
        return all;
    }
}
