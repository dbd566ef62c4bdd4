package dev.pheromone.config;

import dev.pheromone.HiveConfig;
import dev.pheromone.HiveConfig.ArchivePolicy;
import dev.pheromone.HiveConfig.BackpressureLimits;
import dev.pheromone.HiveConfig.DomainConfig;
import dev.pheromone.HiveConfig.LeaseDefaults;
import dev.pheromone.HiveConfig.Login;
import dev.pheromone.HiveConfig.ScopePolicy;
import dev.pheromone.HiveConfig.SenderLimits;
import dev.pheromone.HiveConfig.TransportConfig;
import dev.pheromone.HiveConfig.TtlDefaults;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.Reach;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.selection.HalfLife;
import dev.pheromone.trust.SignaturePolicy;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The keys of `hive.yaml` and the types of their values.
final class HiveYamlReader {

    private static final HiveConfig DEFAULTS = HiveConfig.defaults();

    private final YamlFields root;

    private HiveYamlReader(YamlFields root) {
        this.root = root;
    }

    static HiveConfig read(byte[] bytes) throws MalformedYamlException {
        YamlFields root = YamlFields.ofRoot(YamlText.parse(bytes));
        FormatNumber.check(root, HiveConfig.FORMAT);
        root.only(
                "format",
                "domains",
                "lanes",
                "signatures",
                "archive",
                "ttl",
                "decay",
                "selection",
                "backpressure",
                "sender",
                "lease",
                "attempts",
                "scopes",
                "transports",
                "notify",
                "separate");
        return new HiveYamlReader(root).config();
    }

    private HiveConfig config() throws MalformedYamlException {
        List<Lane> lanes = root.values("lanes", Lane::parse);
        return new HiveConfig(
                domains(lanes),
                lanes,
                root.value("signatures", SignaturePolicy::parse, DEFAULTS.signatures()),
                root.value("archive", ArchivePolicy::parse, DEFAULTS.archive()),
                ttl(root.map("ttl").only("default", "user")),
                root.map("decay")
                        .only("half_life")
                        .value("half_life", HalfLife::parse, DEFAULTS.halfLife()),
                root.map("selection")
                        .only("due_turn")
                        .value("due_turn", Count::parse, DEFAULTS.dueTurn()),
                backpressure(root.map("backpressure").only("depth", "oldest_age")),
                sender(root.map("sender").only("waiting", "rate", "p0")),
                lease(root.map("lease").only("select", "work")),
                root.value("attempts", Count::parse, DEFAULTS.attempts()),
                root.value("scopes", ScopePolicy::parse, DEFAULTS.scopes()),
                transports(),
                root.values("notify", text -> text),
                root.truth("separate", DEFAULTS.separate()));
    }

    private Map<Domain, DomainConfig> domains(List<Lane> ownLanes) throws MalformedYamlException {
        Map<Domain, DomainConfig> domains = new LinkedHashMap<>();
        for (Map.Entry<Domain, YamlFields> entry :
                root.map("domains").named(Domain::parse).entrySet()) {
            YamlFields domain = entry.getValue().only("lanes");
            List<Lane> lanes = domain.values("lanes", text -> parseListedLane(text, ownLanes));
            domains.put(entry.getKey(), new DomainConfig(lanes));
        }
        return domains;
    }

    private Map<String, TransportConfig> transports() throws MalformedYamlException {
        Map<String, TransportConfig> transports = new LinkedHashMap<>();
        for (Map.Entry<Domain, YamlFields> entry :
                root.map("transports").named(HiveYamlReader::parseTransportName).entrySet()) {
            String name = entry.getKey().name();
            transports.put(
                    name,
                    transport(
                            name,
                            entry.getValue()
                                    .only(
                                            "url",
                                            "hive",
                                            "reach",
                                            "token_file",
                                            "user",
                                            "password_file",
                                            "ca_file",
                                            "replicas",
                                            "receive",
                                            "receivers",
                                            "events")));
        }
        return transports;
    }

    private static TransportConfig transport(String name, YamlFields fields)
            throws MalformedYamlException {
        String hive = fields.optional("hive", text -> Domain.parse(text).name());
        Reach reach = fields.optional("reach", HiveYamlReader::parseReach);
        Login login = login(name, fields);
        String caFile = fields.optional("ca_file", text -> text);
        int replicas = fields.value("replicas", Count::parse, 1);
        List<Domain> receive = fields.values("receive", Domain::parse);
        List<Actor> receivers = fields.values("receivers", Actor::parse);
        boolean events = fields.truth("events", false);
        TransportConfig transport =
                fields.required(
                        "url",
                        url ->
                                new TransportConfig(
                                        url, hive, reach, login, caFile, replicas, receive,
                                        receivers, events));
        // What would be ignored is not what its writer meant.
        if (transport.scheme().startsWith("http")) {
            refuse(fields, "hive", "a server has one hive, expected no such key");
        }
        if (!transport.scheme().equals("nats") && !transport.scheme().equals("tls")) {
            refuse(fields, "replicas", "it is for NATS alone, expected no such key");
        }
        if (!transport.isCarrier()) {
            for (String key : List.of("receive", "receivers", "events")) {
                if (fields.has(key)) {
                    throw new MalformedYamlException(
                            fields.line(),
                            "transports: %s: %s: it is for MQTT alone, expected no such key"
                                    .formatted(name, key));
                }
            }
        }
        if (fields.has("receivers") && receivers.isEmpty()) {
            throw new MalformedYamlException(
                    fields.line(),
                    "transports: %s: receivers: found none, expected a name, or no such key"
                            .formatted(name));
        }
        return transport;
    }

    private static void refuse(YamlFields fields, String key, String why)
            throws MalformedYamlException {
        Object _ =
                fields.optional(
                        key,
                        text -> {
                            throw new IllegalArgumentException(
                                    "found \"" + text + "\", but " + why);
                        });
    }

    private static Login login(String name, YamlFields fields) throws MalformedYamlException {
        try {
            return new Login(
                    fields.optional("token_file", text -> text),
                    fields.optional("user", text -> text),
                    fields.optional("password_file", text -> text));
        } catch (IllegalArgumentException e) {
            throw new MalformedYamlException(
                    fields.line(), "transports: " + name + ": " + e.getMessage());
        }
    }

    /// A transport's mail waits in a folder of its name, beside that of muted senders.
    private static Domain parseTransportName(String text) {
        if (text.equals(HiveLayout.PARKED_FOLDER)) {
            throw new IllegalArgumentException(
                    "transport: found \"" + text + "\", expected another name");
        }
        return Domain.parse(text);
    }

    private static TtlDefaults ttl(YamlFields ttl) throws MalformedYamlException {
        return new TtlDefaults(
                ttl.value("default", Ttl::parse, DEFAULTS.ttl().usual()),
                ttl.value("user", Ttl::parse, DEFAULTS.ttl().user()));
    }

    private static BackpressureLimits backpressure(YamlFields limits)
            throws MalformedYamlException {
        return new BackpressureLimits(
                limits.value("depth", Count::parse, DEFAULTS.backpressure().depthMax()),
                limits.value(
                        "oldest_age",
                        HiveYamlReader::parseDuration,
                        DEFAULTS.backpressure().oldestAgeMax()));
    }

    private static SenderLimits sender(YamlFields limits) throws MalformedYamlException {
        return new SenderLimits(
                limits.value("waiting", Count::parse, DEFAULTS.sender().waitingMax()),
                limits.value("rate", Count::parsePerMinute, DEFAULTS.sender().perMinuteMax()),
                limits.value("p0", Count::parsePerMinute, DEFAULTS.sender().p0PerMinuteMax()));
    }

    private static LeaseDefaults lease(YamlFields lease) throws MalformedYamlException {
        return new LeaseDefaults(
                lease.value("select", HiveYamlReader::parseDuration, DEFAULTS.lease().select()),
                lease.value("work", HiveYamlReader::parseDuration, DEFAULTS.lease().work()));
    }

    private static Duration parseDuration(String text) {
        Duration duration = Ttl.parseDuration(text);
        if (duration.toSeconds() < 1) {
            throw new IllegalArgumentException(
                    "duration: found \"" + text + "\", expected at least 1s");
        }
        return duration;
    }

    private static Reach parseReach(String text) {
        return switch (text) {
            case "team" -> Reach.TEAM;
            case "public" -> Reach.PUBLIC;
            default ->
                    throw new IllegalArgumentException(
                            "reach: found \"" + text + "\", expected team or public");
        };
    }

    private static Lane parseListedLane(String text, List<Lane> ownLanes) {
        Lane lane = Lane.parse(text);
        if (!lane.isKnown() && !ownLanes.contains(lane)) {
            throw new IllegalArgumentException(
                    "lane: found \"" + text + "\", expected a known lane, or one of lanes");
        }
        return lane;
    }
}
