package dev.pheromone;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.Reach;
import dev.pheromone.address.ServerUrl;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.selection.HalfLife;
import dev.pheromone.trust.SignaturePolicy;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/// How one hive is set up: what `hive.yaml` says, and the defaults for what it does not say.
///
/// @param domains the inboxes it names; folders in `inbox/` are domains too
/// @param lanes lanes beyond the known ones that may be written
/// @param attempts after this many failed attempts an envelope is dead
/// @param notifying a command, word by word, that tells people of their mail; none if nobody wants
///   it
/// @param separate whether a linked git work tree has a hive of its own
public record HiveConfig(
        Map<Domain, DomainConfig> domains,
        List<Lane> lanes,
        SignaturePolicy signatures,
        ArchivePolicy archive,
        TtlDefaults ttl,
        HalfLife halfLife,
        int dueTurn,
        BackpressureLimits backpressure,
        SenderLimits sender,
        LeaseDefaults lease,
        int attempts,
        ScopePolicy scopes,
        Map<String, TransportConfig> transports,
        List<String> notifying,
        boolean separate) {

    /// The `format` that we read and write.
    public static final int FORMAT = 1;

    private static final HiveConfig DEFAULTS =
            new HiveConfig(
                    Map.of(),
                    List.of(),
                    SignaturePolicy.OPTIONAL,
                    ArchivePolicy.AUTO,
                    TtlDefaults.defaults(),
                    new HalfLife.PartOfTtl(4),
                    4,
                    BackpressureLimits.defaults(),
                    SenderLimits.defaults(),
                    LeaseDefaults.defaults(),
                    5,
                    ScopePolicy.WARN,
                    Map.of(),
                    List.of(),
                    false);

    public HiveConfig {
        domains = Map.copyOf(domains);
        lanes = List.copyOf(lanes);
        transports = Map.copyOf(transports);
        notifying = List.copyOf(notifying);
        checkAtLeastOne("selection: due_turn", dueTurn);
        checkAtLeastOne("attempts", attempts);
    }

    /// What holds where `hive.yaml` says nothing.
    public static HiveConfig defaults() {
        return DEFAULTS;
    }

    /// The inboxes that serve `lane`: those that list it, else the one of the lane's lower-case
    /// name.
    public List<Domain> domainsOf(Lane lane) {
        List<Domain> serving =
                domains.entrySet().stream()
                        .filter(domain -> domain.getValue().lanes().contains(lane))
                        .map(Map.Entry::getKey)
                        .sorted()
                        .toList();
        return serving.isEmpty() ? List.of(new Address.OfLane(lane).domain()) : serving;
    }

    /// The inboxes that `address` means, whether or not they are there.
    public List<Domain> domainsOf(Address address) {
        return address instanceof Address.OfLane(var lane)
                ? domainsOf(lane)
                : List.of(address.domain());
    }

    /// Whether mail to any of `addresses` belongs into the inbox `domain`.
    public boolean isAddressed(List<Address> addresses, Domain domain) {
        return addresses.stream().anyMatch(address -> domainsOf(address).contains(domain));
    }

    /// Whether mail in `lane` may be written here.
    public boolean allows(Lane lane) {
        return lane.isKnown() || lanes.contains(lane);
    }

    /// What is said of one inbox.
    ///
    /// @param lanes the lanes it serves
    public record DomainConfig(List<Lane> lanes) {
        public DomainConfig {
            lanes = List.copyOf(lanes);
        }
    }

    /// When expired mail moves to the archive.
    public enum ArchivePolicy {
        /// As soon as somebody comes by.
        AUTO,
        /// Only after a person said so; until then it stays, and is not selected.
        APPROVE;

        /// The policy of that name; fails on any other text.
        public static ArchivePolicy parse(String text) {
            return switch (text) {
                case "auto" -> AUTO;
                case "approve" -> APPROVE;
                default ->
                        throw new IllegalArgumentException(
                                "archive: found \"" + text + "\", expected auto or approve");
            };
        }
    }

    /// What happens when a path is in the scope of another's claim.
    public enum ScopePolicy {
        /// It is said, and allowed.
        WARN,
        /// It is refused.
        BLOCK,
        /// Nobody asks.
        OFF;

        /// The policy of that name; fails on any other text.
        public static ScopePolicy parse(String text) {
            return switch (text) {
                case "warn" -> WARN;
                case "block" -> BLOCK;
                case "off" -> OFF;
                default ->
                        throw new IllegalArgumentException(
                                "scopes: found \"" + text + "\", expected warn, block or off");
            };
        }
    }

    /// How long mail lives if its sender does not say: to a queen or worker, and to a person.
    public record TtlDefaults(Ttl usual, Ttl user) {
        /// A day, and a week for a person.
        public static TtlDefaults defaults() {
            return new TtlDefaults(Ttl.parse("1d"), Ttl.parse("7d"));
        }
    }

    /// From when on an inbox counts as too full.
    public record BackpressureLimits(int depthMax, Duration oldestAgeMax) {
        public BackpressureLimits {
            checkAtLeastOne("backpressure: depth", depthMax);
            checkPositive("backpressure: oldest_age", oldestAgeMax);
        }

        /// A thousand waiting, or one that has waited ten minutes.
        public static BackpressureLimits defaults() {
            return new BackpressureLimits(1_000, Duration.ofMinutes(10));
        }
    }

    /// What one sender may put into one inbox.
    public record SenderLimits(int waitingMax, int perMinuteMax, int p0PerMinuteMax) {
        public SenderLimits {
            checkAtLeastOne("sender: waiting", waitingMax);
            checkAtLeastOne("sender: rate", perMinuteMax);
            checkAtLeastOne("sender: p0", p0PerMinuteMax);
        }

        /// A hundred waiting, sixty a minute, five of them P0.
        public static SenderLimits defaults() {
            return new SenderLimits(100, 60, 5);
        }
    }

    /// How long claims last: of a command that exits, and of a worker that stays.
    public record LeaseDefaults(Duration select, Duration work) {
        public LeaseDefaults {
            checkPositive("lease: select", select);
            checkPositive("lease: work", work);
        }

        /// Half an hour for a command, a minute for a worker that renews it.
        public static LeaseDefaults defaults() {
            return new LeaseDefaults(Duration.ofMinutes(30), Duration.ofSeconds(60));
        }
    }

    /// Another way for mail to travel.
    ///
    /// @param url where it leads: `https://hive.example.org:7777`
    /// @param hive the hive's name there, where several share a server; null for `hive`
    /// @param reach how far mail gets on it (team or public), or null where nobody said so
    /// @param replicas on how many servers of a cluster mail is kept
    /// @param receive the inboxes whose mail a process of this hive that stays receives from a
    ///   broker
    /// @param receivers who must have said on a broker that mail arrived; empty if anybody may
    /// @param events whether such a process publishes this hive's events there
    public record TransportConfig(
            String url,
            @Nullable String hive,
            @Nullable Reach reach,
            Login login,
            @Nullable String caFile,
            int replicas,
            List<Domain> receive,
            List<Actor> receivers,
            boolean events) {

        /// A hive's name on a server, where none is given.
        public static final String HIVE = "hive";

        private static final List<String> SCHEMES =
                List.of("http", "https", "nats", "tls", "mqtt", "mqtts");

        public TransportConfig {
            receive = List.copyOf(receive);
            receivers = List.copyOf(receivers);
            if (!SCHEMES.contains(schemeOf(url))) {
                throw new IllegalArgumentException(
                        "url: found \"%s\", expected one that begins with %s"
                                .formatted(
                                        withoutLogin(url), String.join("://, ", SCHEMES) + "://"));
            }
            if (!withoutLogin(url).equals(url)) {
                throw new IllegalArgumentException(
                        "url: found a user or password in it, expected user and password_file"
                                + " beside it");
            }
            if (schemeOf(url).startsWith("http") && url.indexOf(',') >= 0) {
                throw new IllegalArgumentException(
                        "url: found several servers, expected one: only a broker has more");
            }
            ServerUrl.check(url);
            checkAtLeastOne("replicas", replicas);
        }

        public String scheme() {
            return schemeOf(url);
        }

        /// Whether the other side carries mail and keeps none: a broker of MQTT.
        public boolean isCarrier() {
            return scheme().startsWith("mqtt");
        }

        private static String schemeOf(String url) {
            int end = url.indexOf("://");
            return end < 0 ? "" : url.substring(0, end);
        }

        /// What is left when nobody's password may be shown.
        private static String withoutLogin(String url) {
            return url.replaceAll("://[^/,@]*@", "://");
        }
    }

    /// How to prove who we are: files, so that no secret is in `hive.yaml`.
    ///
    /// @param tokenFile a file with a token
    /// @param user the name that goes with the password
    /// @param passwordFile a file with a password
    public record Login(
            @Nullable String tokenFile, @Nullable String user, @Nullable String passwordFile) {

        public static final Login NONE = new Login(null, null, null);

        public Login {
            if ((user == null) != (passwordFile == null)) {
                throw new IllegalArgumentException(
                        "user and password_file: found one, expected both or none");
            }
            if (tokenFile != null && user != null) {
                throw new IllegalArgumentException(
                        "token_file and user: found both, expected one way to log in");
            }
        }
    }

    private static void checkAtLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + ": found " + value + ", expected at least 1");
        }
    }

    private static void checkPositive(String name, Duration value) {
        if (value.toSeconds() < 1) {
            throw new IllegalArgumentException(
                    name + ": found " + value + ", expected at least 1s");
        }
    }
}
