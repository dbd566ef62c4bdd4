package dev.pheromone.file;

import dev.pheromone.Consent;
import dev.pheromone.Domain;
import dev.pheromone.HalfLife;
import dev.pheromone.HiveConfig;
import dev.pheromone.HiveConfig.ArchivePolicy;
import dev.pheromone.HiveConfig.BackpressureLimits;
import dev.pheromone.HiveConfig.DomainConfig;
import dev.pheromone.HiveConfig.LeaseDefaults;
import dev.pheromone.HiveConfig.ScopePolicy;
import dev.pheromone.HiveConfig.SenderLimits;
import dev.pheromone.HiveConfig.TransportConfig;
import dev.pheromone.HiveConfig.TtlDefaults;
import dev.pheromone.Lane;
import dev.pheromone.SignaturePolicy;
import dev.pheromone.Ttl;

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
                root.map("transports").named(Domain::parse).entrySet()) {
            YamlFields transport = entry.getValue().only("url", "token_file", "reach");
            transports.put(
                    entry.getKey().name(),
                    new TransportConfig(
                            transport.required("url", text -> text),
                            transport.optional("token_file", text -> text),
                            transport.optional("reach", HiveYamlReader::parseReach)));
        }
        return transports;
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

    private static Consent parseReach(String text) {
        return switch (text) {
            case "team" -> Consent.TEAM;
            case "public" -> Consent.PUBLIC;
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
