package dev.pheromone.nats;

import dev.pheromone.Address;
import dev.pheromone.Domain;
import dev.pheromone.HiveConfig;
import dev.pheromone.NoSuchInboxException;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Which inboxes there are, and which of them an address means.
final class Recipients {

    private final ServerSetup setup;
    private final HiveConfig config;

    /// Those that were there when we last looked: inboxes are not taken away.
    private final Set<Domain> known = ConcurrentHashMap.newKeySet();

    Recipients(ServerSetup setup, HiveConfig config) {
        this.setup = setup;
        this.config = config;
    }

    List<Domain> domains() throws IOException {
        List<Domain> domains = setup.inboxes();
        known.addAll(domains);
        return domains;
    }

    void check(Address address, Domain domain) throws IOException, NoSuchInboxException {
        if (!known.contains(domain)) {
            List<Domain> domains = domains();
            if (!known.contains(domain)) {
                throw new NoSuchInboxException(address, domains);
            }
        }
    }

    /// The inboxes that `addresses` mean, each with the first address that means it.
    Map<Domain, Address> resolve(List<Address> addresses) throws IOException, NoSuchInboxException {
        Map<Domain, Address> targets = new LinkedHashMap<>();
        for (Address address : addresses) {
            for (Domain domain : domainsOf(address, config)) {
                check(address, domain);
                targets.putIfAbsent(domain, address);
            }
        }
        return targets;
    }

    static List<Domain> domainsOf(Address address, HiveConfig config) {
        return address instanceof Address.OfLane(var lane)
                ? config.domainsOf(lane)
                : List.of(address.domain());
    }
}
