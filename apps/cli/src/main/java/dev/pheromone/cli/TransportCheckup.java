package dev.pheromone.cli;

import dev.pheromone.AwayException;
import dev.pheromone.Capability;
import dev.pheromone.Transport;
import dev.pheromone.file.Finding;
import dev.pheromone.file.Finding.Severity;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.mqtt.MqttTransport;
import dev.pheromone.session.FileProblem;
import dev.pheromone.session.OpenHive;
import dev.pheromone.session.Phrase;
import dev.pheromone.session.ProblemException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/// What `rsm doctor` has to say of the transports in `hive.yaml`: whether somebody answers, what
/// they promise and what not, and what waits for them.
final class TransportCheckup {

    private static final String KNOWN_BROKER =
            "Mosquitto, the only broker known to keep the promises: with HiveMQ CE and Artemis mail"
                    + " was seen as absent or handed out twice in trials";

    private final Invocation call;
    private final OpenHive hive;

    TransportCheckup(Invocation call, OpenHive hive) {
        this.call = call;
        this.hive = hive;
    }

    List<Finding> findings() throws IOException {
        List<Finding> findings = new ArrayList<>();
        for (var transport : new TreeMap<>(hive.config().transports()).entrySet()) {
            findings.add(look(transport.getKey()));
            if (transport.getValue().scheme().startsWith("mqtt")) {
                findings.add(broker(transport.getKey()));
            }
        }
        try (Forwarding forwarding = new Forwarding(call, hive.transport())) {
            if (call.args().has("fix")) {
                forwarding.round().forEach(round -> findings.addAll(findings(round)));
            } else {
                waiting(findings);
            }
        }
        return findings;
    }

    private Finding look(String name) throws IOException {
        try (Via via = new Via(call, hive.transport(), name)) {
            Transport transport = via.transport();
            int inboxes = transport.domains().size();
            List<String> troubles = transport.troubles();
            if (!troubles.isEmpty()) {
                return new Finding(
                        Severity.WARNING,
                        "transport " + name,
                        "it answers, but " + String.join("; ", troubles),
                        "a hive from which nothing was deleted",
                        null);
            }
            return new Finding(
                    Severity.NOTE,
                    "transport " + name,
                    "it answers, has %d inboxes, and reaches %s; it promises %s%s"
                            .formatted(
                                    inboxes,
                                    transport.reach(),
                                    texts(transport.capabilities(), "what all transports do"),
                                    missing(transport)),
                    "an answer",
                    null);
        } catch (WithheldException e) {
            throw e;
        } catch (AwayException e) {
            return new Finding(
                    Severity.WARNING,
                    "transport " + name,
                    "no answer (" + FileProblem.describe(e) + ")",
                    "one; mail for it is kept until then",
                    null);
        } catch (IOException e) {
            return unusable(name, FileProblem.describe(e));
        } catch (CliException | ProblemException e) {
            return unusable(name, String.valueOf(e.getMessage()));
        }
    }

    /// On MQTT the promises depend on what kind of broker it is.
    private Finding broker(String name) {
        String thing = "transport " + name;
        String kind;
        try (Via via = new Via(call, hive.transport(), name)) {
            kind = via.transport() instanceof MqttTransport mqtt ? mqtt.broker().orElse("") : "";
        } catch (IOException | CliException | ProblemException e) {
            // The finding before this one says why nobody answers.
            return new Finding(Severity.NOTE, thing, "it needs " + KNOWN_BROKER, "", null);
        }
        if (kind.startsWith("mosquitto")) {
            return new Finding(
                    Severity.NOTE,
                    thing,
                    "it is " + kind + ", and needs " + KNOWN_BROKER,
                    "",
                    null);
        }
        return new Finding(
                Severity.WARNING,
                thing,
                kind.isEmpty() ? "a broker that does not say what it is" : "broker " + kind,
                KNOWN_BROKER,
                "use Mosquitto, or NATS");
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
        for (String name : hive.transport().elsewhere().outboxes()) {
            int count = hive.transport().elsewhere().outbox(name).count();
            findings.add(
                    new Finding(
                            Severity.WARNING,
                            ".deia/outbox/" + name,
                            count + (count == 1 ? " envelope that waits" : " envelopes that wait"),
                            "none",
                            "rsm doctor --fix"));
        }
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
                    new Finding(
                            Severity.WARNING,
                            place,
                            round.ended() + " that could not be delivered, now in the archive",
                            "none",
                            "rsm archive; rsm retry ID sends one anew"));
        }
        if (round.left() > 0) {
            findings.add(
                    new Finding(
                            Severity.WARNING,
                            place,
                            round.left() + " that wait on (" + round.trouble() + ")",
                            "none",
                            null));
        }
        return findings;
    }
}
