package dev.pheromone;

import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Which inboxes of a server an envelope goes to, and the sending of a copy to each. For transports
/// that ask a server which inboxes there are.
public final class Recipients {

    /// The inboxes of a server.
    public interface Inboxes {
        /// All that there are.
        List<Domain> list() throws IOException;

        /// Makes one more.
        void make(Domain inbox) throws IOException;
    }

    /// Puts one copy into its inbox.
    public interface Way {
        /// Puts it there. A failure is that of this copy alone.
        SendResult put(Envelope envelope, Domain inbox) throws IOException;
    }

    private final Inboxes inboxes;
    private final HiveConfig config;
    private final Reach reach;
    private final PublicCheck publicCheck;
    private final Way way;

    /// Those that were there when we last looked: inboxes are not taken away.
    private final Set<Domain> known = ConcurrentHashMap.newKeySet();

    /// @param config says which inboxes serve a lane
    /// @param reach how far mail gets on this way
    /// @param publicCheck looks through public mail
    public Recipients(
            Inboxes inboxes, HiveConfig config, Reach reach, PublicCheck publicCheck, Way way) {
        this.inboxes = inboxes;
        this.config = config;
        this.reach = reach;
        this.publicCheck = publicCheck;
        this.way = way;
    }

    /// The inboxes that there are now.
    public List<Domain> domains() throws IOException {
        List<Domain> domains = inboxes.list();
        known.addAll(domains);
        return domains;
    }

    /// Makes those of `wanted` that are not there.
    public void make(List<Domain> wanted) throws IOException {
        if (wanted.isEmpty()) {
            return;
        }
        List<Domain> there = domains();
        for (Domain inbox : wanted) {
            if (!there.contains(inbox)) {
                inboxes.make(inbox);
                known.add(inbox);
            }
        }
    }

    /// Fails unless there is the inbox `domain`, which `address` means.
    public void check(Address address, Domain domain) throws IOException, NoSuchInboxException {
        if (!known.contains(domain)) {
            List<Domain> domains = domains();
            if (!known.contains(domain)) {
                throw new NoSuchInboxException(address, domains);
            }
        }
    }

    /// Sends a copy to each inbox that the envelope is addressed to; none if one is missing.
    public Receipt send(Envelope envelope) throws IOException, NoSuchInboxException {
        Map<Domain, Address> targets = new LinkedHashMap<>();
        for (Address address : envelope.to()) {
            for (Domain domain : config.domainsOf(address)) {
                check(address, domain);
                targets.putIfAbsent(domain, address);
            }
        }
        Optional<SendResult> refusal = refusal(envelope);
        List<Receipt.Copy> copies = new ArrayList<>();
        targets.forEach((domain, address) ->
                copies.add(
                        new Receipt.Copy(
                                address,
                                domain,
                                refusal.orElseGet(() -> result(envelope, domain)))));
        return new Receipt(envelope.id(), envelope.hash(), copies);
    }

    /// Sends a copy to this inbox alone.
    public Receipt send(Envelope envelope, Domain inbox) throws IOException, NoSuchInboxException {
        check(inbox.address(), inbox);
        SendResult result = refusal(envelope).orElseGet(() -> result(envelope, inbox));
        return Receipt.forAll(envelope, List.of(inbox.address()), result);
    }

    private Optional<SendResult> refusal(Envelope envelope) throws IOException {
        return refusal(envelope, reach, publicCheck);
    }

    /// Why no copy of `envelope` may go where mail reaches `reach`; empty if they may.
    public static Optional<SendResult> refusal(
            Envelope envelope, Reach reach, PublicCheck publicCheck) throws IOException {
        return envelope.consent().allows(reach)
                ? publicCheck.refusal(envelope).map(refused -> refused)
                : Optional.of(new SendResult.BeyondConsent(envelope.consent(), reach));
    }

    private SendResult result(Envelope envelope, Domain inbox) {
        try {
            return way.put(envelope, inbox);
        } catch (IOException e) {
            return new SendResult.Failed(e);
        }
    }
}
