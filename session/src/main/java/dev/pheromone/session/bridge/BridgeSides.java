package dev.pheromone.session.bridge;

import dev.pheromone.Transport;
import dev.pheromone.address.Domain;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.remote.BridgeTrail;
import dev.pheromone.file.setup.HiveRoot;
import dev.pheromone.file.setup.NoHiveException;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.hive.Bridge.Route;
import dev.pheromone.hive.Bridge.Side;
import dev.pheromone.hive.Bridge.Trail;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.OwnKeys;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.caller.UserFolder;
import dev.pheromone.session.hive.NamedTransport;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.seat.WakeUpCalls;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/// The two sides that were typed: this hive (`.`), another hive by its folder, or a transport of
/// `hive.yaml`.
public final class BridgeSides implements Trail, AutoCloseable {

    private static final String THIS_HIVE = ".";

    /// How logs call a hive: where it is on this machine is not for everybody who reads them.
    private static final String ANOTHER_HIVE = "another hive";

    private final Caller caller;
    private final OpenHive hive;
    private final BridgeTrail trail;
    private final Function<String, Path> folders;

    /// What the trail calls each side: where a hive is, whatever was typed for it.
    private final Map<String, String> places = new HashMap<>();

    /// The sides that only carry.
    private final Map<String, NamedTransport> brokers = new HashMap<>();

    private final Side first;
    private final Side second;

    /// @param folders where the folder is that a word means
    public BridgeSides(
            Caller caller,
            OpenHive hive,
            String first,
            String second,
            Function<String, Path> folders)
            throws IOException {
        this.caller = caller;
        this.hive = hive;
        this.trail = hive.transport().remote().trail();
        this.folders = folders;
        this.first = side(first);
        this.second = side(second);
        if (place(this.first).equals(place(this.second))) {
            throw new ProblemException(
                    Code.USAGE, "sides: found " + first + " twice, expected two different ones");
        }
        if (isCarrier(this.first) && isCarrier(this.second)) {
            throw new ProblemException(
                    Code.USAGE,
                    "sides: found two MQTT brokers, which keep nothing, expected a hive or a"
                            + " transport over HTTP or NATS on one side");
        }
    }

    /// Whether a side only carries: its mail is received, and not taken from it.
    public boolean isCarrier(Side side) {
        return brokers.containsKey(side.name());
    }

    public boolean hasCarrier() {
        return !brokers.isEmpty();
    }

    /// The transport of `hive.yaml` behind a side that only carries.
    public NamedTransport broker(Side side) {
        return Objects.requireNonNull(brokers.get(side.name()));
    }

    public boolean isThisHive(Side side) {
        return side.transport() == hive.transport();
    }

    public Side first() {
        return first;
    }

    public Side second() {
        return second;
    }

    private Side side(String typed) throws IOException {
        if (typed.equals(THIS_HIVE)) {
            places.put(typed, hive.layout().root().toString());
            return new Side(typed, ANOTHER_HIVE, hive.transport());
        }
        if (Domain.isName(typed) && hive.config().transports().containsKey(typed)) {
            places.put(typed, typed);
            if (hive.config().transports().get(typed).isCarrier()) {
                brokers.put(typed, hive.named(typed));
            }
            return new Side(typed, hive.otherOfBridge(typed));
        }
        Path folder = folders.apply(typed);
        if (hive.guard().check(folder, Access.READ) instanceof Verdict.Blocked blocked) {
            throw new WithheldException(folder, blocked);
        }
        if (!UserFolder.isFolder(folder)) {
            throw new ProblemException(
                            Code.USAGE,
                            "side: found \""
                                    + typed
                                    + "\", expected . for this hive, the folder of another, or a"
                                    + " transport of hive.yaml")
                    .hint("hive.yaml has " + names());
        }
        return new Side(typed, ANOTHER_HIVE, otherHive(typed, folder));
    }

    private String names() {
        return hive.config().transports().isEmpty()
                ? "none"
                : Phrase.and(hive.config().transports().keySet().stream().sorted().toList());
    }

    private Transport otherHive(String typed, Path folder) throws IOException {
        try {
            HiveLayout layout = HiveRoot.at(folder);
            places.put(typed, layout.root().toString());
            if (layout.root().equals(hive.layout().root())) {
                return hive.transport();
            }
            LockFiles guard = OpenHive.guard(caller, layout);
            FileTransport other =
                    FileTransport.open(
                            layout,
                            guard,
                            caller.actor(),
                            caller.clock(),
                            new OwnKeys(caller)::sharedSecret,
                            hive.publicPass());
            other.onArrival(new WakeUpCalls(caller, layout, guard));
            return other;
        } catch (NoHiveException e) {
            throw new ProblemException(Code.NO_HIVE, String.valueOf(e.getMessage()), e)
                    .hint(e.hint());
        } catch (MalformedYamlException e) {
            throw new ProblemException(Code.BAD_CONFIGURATION, typed + ": " + e.getMessage(), e);
        }
    }

    private String place(Side side) {
        return places.getOrDefault(side.name(), side.name());
    }

    @Override
    public boolean isBegun(Route route, EnvelopeId id) throws IOException {
        return trail.isBegun(place(route.from()), place(route.to()), route.inbox(), id);
    }

    @Override
    public boolean begin(Route route, EnvelopeId id) throws IOException {
        return trail.begin(place(route.from()), place(route.to()), route.inbox(), id);
    }

    @Override
    public void end(Route route, EnvelopeId id) throws IOException {
        trail.end(place(route.from()), place(route.to()), route.inbox(), id);
    }

    /// Where inboxes are at home that an earlier run made on the other side.
    Map<Domain, Side> homes() throws IOException {
        Map<Domain, Side> homes = new HashMap<>();
        trail.homes(place(first), place(second))
                .forEach((inbox, home) ->
                        homes.put(inbox, home.equals(place(first)) ? first : second));
        return homes;
    }

    void setHome(Domain inbox, Side home) throws IOException {
        trail.setHome(place(first), place(second), inbox, place(home));
    }

    @Override
    public void close() throws IOException {
        for (Side side : new Side[] {first, second}) {
            // This hive is closed by whoever opened it.
            if (side.transport() != hive.transport()) {
                side.transport().close();
            }
        }
    }
}
