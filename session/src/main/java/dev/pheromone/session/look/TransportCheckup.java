package dev.pheromone.session.look;

import dev.pheromone.AwayException;
import dev.pheromone.Capability;
import dev.pheromone.HiveConfig.TransportConfig;
import dev.pheromone.Transport;
import dev.pheromone.file.remote.Outbox;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.file.setup.Finding.Severity;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.mqtt.Grants;
import dev.pheromone.mqtt.MqttCarrier;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.hive.NamedTransport;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.mail.Forwarding;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// What `rsm doctor` has to say of the transports in `hive.yaml`: whether somebody answers, what
/// they promise and what not, and what waits for them.
public final class TransportCheckup {

    private final Caller caller;
    private final OpenHive hive;

    public TransportCheckup(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
    }

    /// What there is to say, with all mail where it is.
    public List<Finding> look() throws IOException {
        List<Finding> findings = transports();
        waiting(findings);
        return findings;
    }

    /// As [#look], once what waits in the outboxes was sent on as far as possible.
    public List<Finding> fix() throws IOException {
        List<Finding> findings = transports();
        try (Forwarding forwarding = new Forwarding(caller, hive, Outbox.Pace.AT_ONCE)) {
            forwarding.round().forEach(round -> findings.addAll(findings(round)));
        }
        return findings;
    }

    private List<Finding> transports() throws IOException {
        List<Finding> findings = new ArrayList<>();
        if (!hive.config().notifying().isEmpty()) {
            findings.add(note("hive.yaml", "it has notify, which rsm 0.1 can't read", ""));
        }
        for (var transport : new TreeMap<>(hive.config().transports()).entrySet()) {
            findings.addAll(look(transport.getKey(), transport.getValue().isCarrier()));
            newKeys(transport.getKey(), transport.getValue()).ifPresent(findings::add);
        }
        return findings;
    }

    /// What 0.1 does not know makes it refuse the whole file.
    private static Optional<Finding> newKeys(String name, TransportConfig config) {
        List<String> keys = new ArrayList<>();
        if (!config.receive().isEmpty()) {
            keys.add("receive");
        }
        if (!config.receivers().isEmpty()) {
            keys.add("receivers");
        }
        if (config.events()) {
            keys.add("events");
        }
        return keys.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        note(
                                "transport " + name,
                                "hive.yaml has %s, which rsm 0.1 can't read"
                                        .formatted(Phrase.and(keys)),
                                ""));
    }

    private List<Finding> look(String name, boolean isCarrier) throws IOException {
        try {
            return isCarrier ? broker(hive.named(name)) : List.of(transport(name));
        } catch (WithheldException e) {
            throw e;
        } catch (AwayException e) {
            return List.of(
                    warning(
                            "transport " + name,
                            "no answer (" + FileProblem.describe(e) + ")",
                            "one; mail for it is kept until then"));
        } catch (IOException e) {
            return List.of(unusable(name, FileProblem.describe(e)));
        } catch (ProblemException e) {
            return List.of(unusable(name, String.valueOf(e.getMessage())));
        }
    }

    private Finding transport(String name) throws IOException {
        try (Transport transport = hive.other(name)) {
            int inboxes = transport.domains().size();
            List<String> troubles = transport.troubles();
            if (!troubles.isEmpty()) {
                return warning(
                        "transport " + name,
                        "it answers, but " + String.join("; ", troubles),
                        "a hive from which nothing was deleted");
            }
            return note(
                    "transport " + name,
                    "it answers, has %d inboxes, and reaches %s; it promises %s%s"
                            .formatted(
                                    inboxes,
                                    transport.reach(),
                                    texts(transport.capabilities(), "what all transports do"),
                                    missing(transport)),
                    "an answer");
        }
    }

    /// What a broker grants, and what that means.
    private List<Finding> broker(NamedTransport named) throws IOException {
        String thing = "transport " + named.name();
        List<Finding> findings = new ArrayList<>();
        try (MqttCarrier broker = named.broker(options -> options)) {
            Grants grants = broker.grants();
            List<String> receivers = new ArrayList<>();
            broker.domains().forEach(inbox -> receivers.add(inbox.name()));
            findings.add(
                    note(
                            thing,
                            "it answers, reaches %s, and carries mail without keeping it; %s"
                                    .formatted(
                                            broker.reach(),
                                            receivers.isEmpty()
                                                    ? "nobody receives there now"
                                                    : "somebody receives for "
                                                            + Phrase.and(receivers)),
                            "an answer"));
            findings.add(note(thing, text(grants), ""));
            for (String trouble : broker.troubles()) {
                findings.add(warning(thing, trouble, "a broker that grants what a hive needs"));
            }
            findings.addAll(leftByOlder(broker, named.name()));
        }
        return findings;
    }

    /// What rsm 0.1 left on a broker; whatever is wrong there keeps back no other finding.
    private static List<Finding> leftByOlder(MqttCarrier broker, String name) {
        String thing = "transport " + name;
        String wanted = "none: nobody reads them there any more";
        try {
            int left = broker.leftByOlder();
            return left == 0
                    ? List.of()
                    : List.of(
                            warning(
                                    thing,
                                    Phrase.count(left, "message")
                                            + " that rsm 0.1 left on the broker",
                                    wanted,
                                    "rsm bridge . " + name + " --fetch-old"));
        } catch (IOException e) {
            return List.of(
                    warning(
                            thing,
                            "what rsm 0.1 left on the broker can't be counted: "
                                    + FileProblem.describe(e),
                            wanted));
        }
    }

    private static String text(Grants grants) {
        return "the broker keeps mail for "
                + Ages.span(grants.sessionExpiry())
                + " for a receiver that is gone, takes "
                + grants.receiveMaximum()
                + " messages at once, of at most "
                + grants.packetBytesMax()
                + " bytes, "
                + (grants.isRetainAvailable()
                        ? "shows who receives (retained messages)"
                        : "can't show who receives (no retained messages)")
                + ", and knows "
                + (grants.areWildcardsAvailable() ? "wildcards" : "no wildcards");
    }

    private static Finding note(String thing, String found, String expected) {
        return new Finding(Severity.NOTE, thing, found, expected, null);
    }

    private static Finding warning(String thing, String found, String expected) {
        return warning(thing, found, expected, null);
    }

    private static Finding warning(
            String thing, String found, String expected, @Nullable String fix) {
        return new Finding(Severity.WARNING, thing, found, expected, fix);
    }

    /// Somebody has to fix something: what is sent by it fails, and is not kept.
    private static Finding unusable(String name, String problem) {
        return new Finding(
                Severity.ERROR, "transport " + name, problem, "one that can be used", null);
    }

    private static String missing(Transport transport) {
        Set<Capability> missing = EnumSet.allOf(Capability.class);
        missing.removeAll(transport.capabilities());
        return missing.isEmpty() ? "" : ", and not " + texts(missing, "");
    }

    private static String texts(Set<Capability> capabilities, String none) {
        List<String> texts = new ArrayList<>();
        capabilities.forEach(capability -> texts.add(capability.toString()));
        return texts.isEmpty() ? none : Phrase.and(texts);
    }

    private void waiting(List<Finding> findings) throws IOException {
        for (String name : hive.transport().remote().outboxes()) {
            List<Outbox.Item> items = hive.transport().remote().outbox(name).waiting();
            List<Instant> unanswered =
                    items.stream()
                            .map(Outbox.Item::atBrokerSince)
                            .filter(Objects::nonNull)
                            .sorted()
                            .toList();
            findings.add(
                    warning(
                            ".deia/outbox/" + name,
                            items.size()
                                    + (items.size() == 1
                                            ? " envelope that waits"
                                            : " envelopes that wait")
                                    + (unanswered.isEmpty() ? "" : atBroker(unanswered)),
                            "none",
                            "rsm doctor --fix"));
        }
    }

    private String atBroker(List<Instant> since) {
        Duration longest = Duration.between(since.getFirst(), caller.now());
        return ", %d of them at the broker, without a receipt for %s%s"
                .formatted(
                        since.size(),
                        Ages.span(longest),
                        longest.compareTo(Outbox.SILENCE_MAX) < 0 ? "" : ": nobody receives");
    }

    private static List<Finding> findings(Forwarding.Round round) {
        String place = ".deia/outbox/" + round.transport();
        List<Finding> findings = new ArrayList<>();
        if (round.sent() > 0) {
            findings.add(
                    new Finding(
                            Severity.MENDED,
                            place,
                            "sent "
                                    + Phrase.count(round.sent(), "message")
                                    + (round.sent() == 1 ? " that was" : " that were")
                                    + " waiting for "
                                    + round.transport(),
                            "none",
                            null));
        }
        if (round.ended() > 0) {
            findings.add(
                    warning(
                            place,
                            round.ended() + " that could not be delivered, now in the archive",
                            "none",
                            "rsm archive; rsm retry ID sends one anew"));
        }
        if (round.left() > 0) {
            findings.add(
                    warning(
                            place,
                            round.left() + " that wait on (" + round.trouble() + ")",
                            "none"));
        }
        return findings;
    }
}
