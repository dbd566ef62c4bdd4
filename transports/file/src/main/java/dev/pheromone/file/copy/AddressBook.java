package dev.pheromone.file.copy;

import dev.pheromone.HiveConfig;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/// Which inboxes there are, and which of them an address means.
public final class AddressBook {

    private final Disk files;
    private final HiveLayout layout;
    private final HiveConfig config;

    public AddressBook(Disk files, HiveLayout layout, HiveConfig config) {
        this.files = files;
        this.layout = layout;
        this.config = config;
    }

    public List<Domain> domains() throws IOException {
        TreeSet<Domain> domains = new TreeSet<>(config.domains().keySet());
        for (Path folder : files.list(layout.inboxes())) {
            String name = String.valueOf(folder.getFileName());
            if (!name.startsWith(".")
                    && files.stat(folder).filter(s -> s.kind() == Stat.Kind.FOLDER).isPresent()) {
                // A folder that no address could name stops nothing: `doctor` shows it.
                Domain.find(name).ifPresent(domains::add);
            }
        }
        return List.copyOf(domains);
    }

    public boolean exists(Domain domain) throws IOException {
        return config.domains().containsKey(domain)
                || files.stat(layout.inbox(domain))
                        .filter(s -> s.kind() == Stat.Kind.FOLDER)
                        .isPresent();
    }

    /// The inboxes that `addresses` mean, each with the first address that means it.
    public Map<Domain, Address> resolve(List<Address> addresses)
            throws IOException, NoSuchInboxException {
        Map<Domain, Address> targets = new LinkedHashMap<>();
        for (Address address : addresses) {
            for (Domain domain : config.domainsOf(address)) {
                if (!exists(domain)) {
                    throw new NoSuchInboxException(address, domains());
                }
                targets.putIfAbsent(domain, address);
            }
        }
        return targets;
    }
}
