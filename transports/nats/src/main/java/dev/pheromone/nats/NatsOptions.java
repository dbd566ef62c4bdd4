package dev.pheromone.nats;

import dev.pheromone.HiveConfig;
import dev.pheromone.PublicCheck;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Reach;
import dev.pheromone.trust.TrustList;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import javax.net.ssl.SSLContext;

/// Where a hive is on a NATS server, and how to use it.
///
/// @param url one or more servers, with commas between them: `nats://host:4222`, or `tls://…`
/// @param hive its name there; several hives may share a server
/// @param tls whom to trust where the url says `tls`; the JDK's own choice if null
/// @param reach how far mail gets on it, as somebody declared; else team if every server is on this
///   machine, and public if not
/// @param inboxes made if they are missing
/// @param config limits, lanes and policies, as in `hive.yaml`
/// @param publicCheck looks through public mail; without one, all of it is refused
/// @param replicas on how many nodes of a cluster each message is kept
/// @param patience how long an answer is waited for through disconnections, before it is an error
/// @param lookAgain how long the server may keep back mail that was handed out or is paused, until
///   somebody looks whether it is free: a worker that dies between being given mail and claiming it
///   costs this much
public record NatsOptions(
        String url,
        String hive,
        NatsLogin login,
        @Nullable SSLContext tls,
        @Nullable Reach reach,
        List<Domain> inboxes,
        HiveConfig config,
        TrustList trust,
        PublicCheck publicCheck,
        int replicas,
        Duration patience,
        Duration lookAgain) {

    static final int REPLICAS_MAX = 5;
    static final Duration PATIENCE = Duration.ofSeconds(10);
    static final Duration LOOK_AGAIN = Duration.ofSeconds(30);

    public NatsOptions {
        inboxes = List.copyOf(inboxes);
        if (replicas < 1 || replicas > REPLICAS_MAX) {
            throw new IllegalArgumentException(
                    "replicas: found " + replicas + ", expected 1 to " + REPLICAS_MAX);
        }
        if (!patience.isPositive() || !lookAgain.isPositive()) {
            throw new IllegalArgumentException(
                    "patience, lookAgain: found "
                            + patience
                            + ", "
                            + lookAgain
                            + ", expected more than zero");
        }
        ServerUrls.requireNoLogin(url);
        if (!(login instanceof NatsLogin.Nobody) && tls == null) {
            ServerUrls.requireEncryption(url);
        }
        var _ = new Names(hive);
    }

    /// The hive of this name on the servers at `url`, with what is usual.
    public static NatsOptions of(String url, String hive) {
        return new NatsOptions(
                url,
                hive,
                new NatsLogin.Nobody(),
                null,
                null,
                List.of(),
                HiveConfig.defaults(),
                TrustList.empty(),
                PublicCheck.REFUSES_ALL,
                1,
                PATIENCE,
                LOOK_AGAIN);
    }

    /// The same, logging in so.
    public NatsOptions withLogin(NatsLogin login) {
        return with(fields -> fields.login = login);
    }

    /// The same, trusting whom `tls` trusts.
    public NatsOptions withTls(SSLContext tls) {
        return with(fields -> fields.tls = tls);
    }

    /// The same, with mail getting as far as declared here.
    public NatsOptions withReach(Reach reach) {
        return with(fields -> fields.reach = reach);
    }

    /// The same, with these inboxes, which are made if they are missing.
    public NatsOptions withInboxes(List<Domain> inboxes) {
        return with(fields -> fields.inboxes = inboxes);
    }

    /// The same, with a hive's rules and trusted keys.
    public NatsOptions withConfig(HiveConfig config, TrustList trust) {
        return with(fields -> {
            fields.config = config;
            fields.trust = trust;
        });
    }

    /// The same, with `publicCheck` looking through public mail.
    public NatsOptions withPublicCheck(PublicCheck publicCheck) {
        return with(fields -> fields.publicCheck = publicCheck);
    }

    /// The same, with each message kept on so many nodes.
    public NatsOptions withReplicas(int replicas) {
        return with(fields -> fields.replicas = replicas);
    }

    /// The same, with other waits.
    public NatsOptions withWaits(Duration patience, Duration lookAgain) {
        return with(fields -> {
            fields.patience = patience;
            fields.lookAgain = lookAgain;
        });
    }

    private NatsOptions with(Consumer<Fields> change) {
        Fields fields = new Fields(this);
        change.accept(fields);
        return fields.options();
    }

    /// The options while some of them are changed.
    private static final class Fields {
        private final String url;
        private final String hive;
        private NatsLogin login;
        private @Nullable SSLContext tls;
        private @Nullable Reach reach;
        private List<Domain> inboxes;
        private HiveConfig config;
        private TrustList trust;
        private PublicCheck publicCheck;
        private int replicas;
        private Duration patience;
        private Duration lookAgain;

        Fields(NatsOptions options) {
            this.url = options.url;
            this.hive = options.hive;
            this.login = options.login;
            this.tls = options.tls;
            this.reach = options.reach;
            this.inboxes = options.inboxes;
            this.config = options.config;
            this.trust = options.trust;
            this.publicCheck = options.publicCheck;
            this.replicas = options.replicas;
            this.patience = options.patience;
            this.lookAgain = options.lookAgain;
        }

        NatsOptions options() {
            return new NatsOptions(
                    url,
                    hive,
                    login,
                    tls,
                    reach,
                    inboxes,
                    config,
                    trust,
                    publicCheck,
                    replicas,
                    patience,
                    lookAgain);
        }
    }
}
