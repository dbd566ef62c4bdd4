package dev.pheromone.mqtt;

import dev.pheromone.Domain;
import dev.pheromone.HiveConfig;
import dev.pheromone.PublicCheck;
import dev.pheromone.Reach;
import dev.pheromone.TrustList;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

import javax.net.ssl.TrustManagerFactory;

/// Where a hive is on an MQTT 5 broker, and how to use it.
///
/// @param url the broker: `mqtt://host:1883`, or `mqtts://…`
/// @param hive its name there; several hives may share a broker
/// @param name what others see of this process while it is connected; a few random letters are
///   added to it
/// @param trusted whom to trust where the url says `mqtts`; the JDK's own choice if null
/// @param reach how far mail gets on it, as somebody declared; else team if the broker is on this
///   machine, and public if not
/// @param inboxes made if they are missing
/// @param config limits, lanes and policies, as in `hive.yaml`
/// @param publicCheck looks through public mail; without one, all of it is refused
/// @param patience how long an answer is waited for through disconnections, before it is an error
public record MqttOptions(
        String url,
        String hive,
        String name,
        MqttLogin login,
        @Nullable TrustManagerFactory trusted,
        @Nullable Reach reach,
        List<Domain> inboxes,
        HiveConfig config,
        TrustList trust,
        PublicCheck publicCheck,
        Duration patience) {

    static final String NAME = "pheromone";
    static final Duration PATIENCE = Duration.ofSeconds(10);

    public MqttOptions {
        inboxes = List.copyOf(inboxes);
        if (!patience.isPositive()) {
            throw new IllegalArgumentException(
                    "patience: found " + patience + ", expected more than zero");
        }
        if (!Domain.isName(name)) {
            throw new IllegalArgumentException(
                    "name: found \""
                            + name
                            + "\", expected lower-case letters, digits, dashes or underscores");
        }
        BrokerUrl broker = BrokerUrl.parse(url);
        if (login instanceof MqttLogin.Password && !broker.isEncrypted() && !broker.isLoopback()) {
            throw new IllegalArgumentException(
                    "url: found mqtt:// to "
                            + broker.host()
                            + " with a password, expected mqtts://");
        }
        var _ = new Names(hive);
    }

    /// The hive of this name on the broker at `url`, with what is usual.
    public static MqttOptions of(String url, String hive) {
        return new MqttOptions(
                url,
                hive,
                NAME,
                new MqttLogin.Nobody(),
                null,
                null,
                List.of(),
                HiveConfig.defaults(),
                TrustList.empty(),
                PublicCheck.REFUSES_ALL,
                PATIENCE);
    }

    /// The same, seen by others under this name.
    public MqttOptions withName(String name) {
        return new MqttOptions(
                url,
                hive,
                name,
                login,
                trusted,
                reach,
                inboxes,
                config,
                trust,
                publicCheck,
                patience);
    }

    /// The same, logging in so.
    public MqttOptions withLogin(MqttLogin login) {
        return new MqttOptions(
                url,
                hive,
                name,
                login,
                trusted,
                reach,
                inboxes,
                config,
                trust,
                publicCheck,
                patience);
    }

    /// A factory, because that is what the library takes: initialised with the certificates of
    /// whoever signs brokers' certificates here.
    public MqttOptions withTrusted(TrustManagerFactory trusted) {
        return new MqttOptions(
                url,
                hive,
                name,
                login,
                trusted,
                reach,
                inboxes,
                config,
                trust,
                publicCheck,
                patience);
    }

    /// The same, with mail getting as far as declared here.
    public MqttOptions withReach(Reach reach) {
        return new MqttOptions(
                url,
                hive,
                name,
                login,
                trusted,
                reach,
                inboxes,
                config,
                trust,
                publicCheck,
                patience);
    }

    /// The same, with these inboxes, which are made if they are missing.
    public MqttOptions withInboxes(List<Domain> inboxes) {
        return new MqttOptions(
                url,
                hive,
                name,
                login,
                trusted,
                reach,
                inboxes,
                config,
                trust,
                publicCheck,
                patience);
    }

    /// The same, with a hive's rules and trusted keys.
    public MqttOptions withConfig(HiveConfig config, TrustList trust) {
        return new MqttOptions(
                url,
                hive,
                name,
                login,
                trusted,
                reach,
                inboxes,
                config,
                trust,
                publicCheck,
                patience);
    }

    /// The same, with `publicCheck` looking through public mail.
    public MqttOptions withPublicCheck(PublicCheck publicCheck) {
        return new MqttOptions(
                url,
                hive,
                name,
                login,
                trusted,
                reach,
                inboxes,
                config,
                trust,
                publicCheck,
                patience);
    }

    /// The same, waiting for the broker for at most `patience`.
    public MqttOptions withPatience(Duration patience) {
        return new MqttOptions(
                url,
                hive,
                name,
                login,
                trusted,
                reach,
                inboxes,
                config,
                trust,
                publicCheck,
                patience);
    }

    BrokerUrl broker() {
        return BrokerUrl.parse(url);
    }
}
