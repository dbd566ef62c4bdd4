package dev.pheromone.mqtt;

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

    private static final byte[] EXISTS = {'1'};

    private final Link link;
    private final Names names;
    private final HiveConfig config;

    /// Those that were there when we last looked: inboxes are not taken away.
    private final Set<Domain> known = ConcurrentHashMap.newKeySet();

    Recipients(Link link, Names names, HiveConfig config) {
        this.link = link;
        this.names = names;
        this.config = config;
    }

    void make(List<Domain> wanted) throws IOException {
        if (wanted.isEmpty()) {
            return;
        }
        List<Domain> there = domains();
        for (Domain domain : wanted) {
            if (!there.contains(domain)) {
                link.store(Post.kept(names.inbox(domain.name()), EXISTS));
                known.add(domain);
            }
        }
    }

    List<Domain> domains() throws IOException {
        List<Domain> domains =
                link.read(List.of(names.inbox("+")), Link.Width.NARROW).keySet().stream()
                        .map(Names::lastPart)
                        .filter(Domain::isName)
                        .map(Domain::parse)
                        .sorted()
                        .toList();
        known.addAll(domains);
        return domains;
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

    void check(Address address, Domain domain) throws IOException, NoSuchInboxException {
        if (known.contains(domain)) {
            return;
        }
        List<Domain> domains = domains();
        if (!domains.contains(domain)) {
            throw new NoSuchInboxException(address, domains);
        }
    }

    static List<Domain> domainsOf(Address address, HiveConfig config) {
        return address instanceof Address.OfLane(var lane)
                ? config.domainsOf(lane)
                : List.of(address.domain());
    }
}
