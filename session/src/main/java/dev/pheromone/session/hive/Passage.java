package dev.pheromone.session.hive;

import dev.pheromone.PublicCheck;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.life.Acceptance;
import dev.pheromone.rse.Disclosure;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.caller.Caller;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Decides which mail of a hive may be shown to those whom a server reaches, and what of its
/// events: none beyond its sender's consent. Where the public reaches the server, mail is looked
/// through once more before it is shown, because anybody who can write to an inbox may have put it
/// there.
public final class Passage {

    /// The texts of an event that may name mail.
    private static final List<String> NAMES = List.of("id", "ref", "original");

    private final Caller caller;
    private final OpenHive hive;
    private final PublicCheck publicCheck;
    private final Reach reach;

    /// Whose own mail may be shown whatever its consent; null if nobody's.
    private final @Nullable Actor owner;

    /// Whether mail that events speak of may be shown; of mail that is not there nothing is known.
    private final Map<EnvelopeId, Optional<Boolean>> known = new ConcurrentHashMap<>();

    /// The passage to those whom `reach` means.
    ///
    /// @param publicCheck looks through public mail
    public Passage(Caller caller, OpenHive hive, PublicCheck publicCheck, Reach reach) {
        this(caller, hive, publicCheck, reach, null);
    }

    private Passage(
            Caller caller,
            OpenHive hive,
            PublicCheck publicCheck,
            Reach reach,
            @Nullable Actor owner) {
        this.caller = caller;
        this.hive = hive;
        this.publicCheck = publicCheck;
        this.reach = reach;
        this.owner = owner;
    }

    /// What `caller` may be shown, as far as the caller's reach says; null for all.
    public static @Nullable Passage of(Caller caller, OpenHive hive) {
        Reach reach = caller.reach();
        return reach == null
                ? null
                : new Passage(caller, hive, hive.publicPass().untold(), reach, caller.actor());
    }

    public Caller caller() {
        return caller;
    }

    public Reach reach() {
        return reach;
    }

    /// Whether the consent goes as far as the server does.
    public boolean isWithinConsent(Waiting waiting) {
        return !(waiting instanceof Waiting.Mail mail) || mail.header().consent().allows(reach);
    }

    /// Whether `waiting`, a file in `inbox`, may be shown.
    public boolean allows(Domain inbox, Waiting waiting) throws IOException {
        if (waiting instanceof Waiting.Mail own && isOwn(own.header(), inbox)) {
            return true;
        }
        if (!isWithinConsent(waiting)) {
            return false;
        }
        if (!(waiting instanceof Waiting.Mail mail) || reach != Reach.PUBLIC) {
            return true;
        }
        Transport.Found found = hive.transport().find(mail.header().id(), inbox).orElse(null);
        // Another file may have the same id: what was found must be what is shown.
        return found != null && Header.of(found.envelope()).equals(mail.header()) && allows(found);
    }

    /// Whether a copy may be shown, wherever it is in its life.
    public boolean allows(Transport.Found found) throws IOException {
        Envelope envelope = found.envelope();
        return allows(envelope)
                && (reach != Reach.PUBLIC
                        || Acceptance.objections(
                                        envelope,
                                        caller.now(),
                                        hive.checkSignature(envelope),
                                        found.inbox(),
                                        hive.config())
                                .isEmpty());
    }

    /// Whether an envelope that its inbox has accepted may be shown.
    public boolean allows(Envelope envelope) throws IOException {
        return isOwn(envelope)
                || (envelope.consent().allows(reach)
                        && (reach != Reach.PUBLIC || publicCheck.refusal(envelope).isEmpty()));
    }

    /// Whether what `header` says of a copy in `inbox` may be shown; null, which is no mail, never.
    public boolean allows(Domain inbox, @Nullable Header header) throws IOException {
        if (header == null) {
            return false;
        }
        if (reach == Reach.PUBLIC) {
            Transport.Found found = hive.transport().find(header.id(), inbox).orElse(null);
            return found != null && allows(found);
        }
        return isOwn(header, inbox) || header.consent().allows(reach);
    }

    /// What may be told of `event`; empty if nothing.
    public Optional<RseEvent> told(RseEvent event) {
        Optional<RseEvent> told = new Disclosure(reach).of(event);
        if (told.equals(Optional.of(event))) {
            return told;
        }
        Boolean isShown = null;
        for (String name : NAMES) {
            Optional<EnvelopeId> id =
                    event.data().optionalText(name).filter(EnvelopeId::isId).map(EnvelopeId::parse);
            if (id.isPresent()) {
                Boolean known = this.known.computeIfAbsent(id.get(), this::isShown).orElse(null);
                if (known != null) {
                    isShown = isShown == null ? known : isShown && known;
                }
            }
        }
        if (isShown == null) {
            return told;
        }
        return isShown && reach != Reach.PUBLIC ? Optional.of(event) : Optional.empty();
    }

    /// A line that is no event, without what stands in it.
    public RseEntry.Bad told(RseEntry.Bad line) {
        return new RseEntry.Bad(line.offset(), line.end(), "not an event", "");
    }

    private Optional<Boolean> isShown(EnvelopeId id) {
        try {
            Optional<Transport.Found> found = hive.transport().find(id);
            return found.isPresent() ? Optional.of(allows(found.get())) : Optional.empty();
        } catch (IOException e) {
            // What can't be looked at is told to nobody.
            return Optional.of(false);
        }
    }

    private boolean isOwn(Header header, Domain inbox) {
        Actor own = owner;
        return own != null
                && (header.from().equals(own)
                        || addressesOf(own).stream()
                                .anyMatch(address -> address.domain().equals(inbox)));
    }

    private boolean isOwn(Envelope envelope) {
        Actor own = owner;
        return own != null
                && (envelope.from().equals(own)
                        || envelope.to().stream().anyMatch(addressesOf(own)::contains));
    }

    private static List<Address> addressesOf(Actor actor) {
        String name = OwnAddress.name(actor);
        return List.of(new Address.User(name), new Address.Worker(name));
    }
}
