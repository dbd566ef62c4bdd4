package dev.pheromone.session.hive;

import dev.pheromone.Carrier;
import dev.pheromone.HiveConfig;
import dev.pheromone.HiveConfig.TransportConfig;
import dev.pheromone.Transport;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.Loopback;
import dev.pheromone.address.Reach;
import dev.pheromone.file.FileTransport;
import dev.pheromone.http.HttpOptions;
import dev.pheromone.http.HttpTransport;
import dev.pheromone.mqtt.MqttCarrier;
import dev.pheromone.mqtt.MqttLogin;
import dev.pheromone.mqtt.MqttOptions;
import dev.pheromone.nats.NatsLogin;
import dev.pheromone.nats.NatsOptions;
import dev.pheromone.nats.NatsTransport;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.caller.ProblemException.Remedy;
import dev.pheromone.text.Nearest;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// A transport that `hive.yaml` names: how far it reaches, and how it is opened. Nothing else knows
/// which kinds there are.
public final class NamedTransport {

    /// Mail that can't go now is kept, and other commands are typed again.
    static final int HTTP_TRIES = 3;

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration NATS_LOOK_AGAIN = Duration.ofSeconds(30);

    private final Caller caller;
    private final FileTransport local;
    private final String name;
    private final TransportConfig config;
    private final int httpTries;

    private NamedTransport(
            Caller caller,
            FileTransport local,
            String name,
            TransportConfig config,
            int httpTries) {
        this.caller = caller;
        this.local = local;
        this.name = name;
        this.config = config;
        this.httpTries = httpTries;
    }

    /// The transport that was typed as `name`; fails if `hive.yaml` has none of that name.
    ///
    /// @param httpTries how often a call over HTTP is made before it fails
    static NamedTransport of(Caller caller, FileTransport local, String name, int httpTries) {
        TransportConfig config = local.config().transports().get(name);
        if (config == null) {
            throw unknown(local.config(), name);
        }
        return new NamedTransport(caller, local, name, config, httpTries);
    }

    private static ProblemException unknown(HiveConfig config, String name) {
        List<String> known = List.copyOf(new TreeSet<>(config.transports().keySet()));
        if (known.isEmpty()) {
            return new ProblemException(
                            Code.USAGE, "transport: found \"" + name + "\", and hive.yaml has none")
                    .hint(
                            "add such a line to .deia/hive.yaml:  transports: {"
                                    + (Domain.isName(name) ? name : "team")
                                    + ": {url: \"http://127.0.0.1:7777\", token_file:"
                                    + " serve.token}}");
        }
        ProblemException unknown =
                new ProblemException(
                        Code.USAGE,
                        "transport: found \"" + name + "\", expected " + Phrase.or(known));
        List<String> near = Nearest.to(name, known);
        return near.isEmpty()
                ? unknown
                : unknown.hint("did you mean " + near.getFirst() + "?")
                        .remedy(new Remedy.Instead(name, near.getFirst()));
    }

    public String name() {
        return name;
    }

    public TransportConfig config() {
        return config;
    }

    /// As it was declared; else team if every server is on this machine, and public if not.
    Reach reach() {
        Reach declared = config.reach();
        if (declared != null) {
            return declared;
        }
        return Loopback.reachOf(config.url());
    }

    /// Opens it.
    ///
    /// @throws dev.pheromone.AwayException if nobody answers; some kinds find out later
    Carrier open() throws IOException {
        TransportLogin login = new TransportLogin(caller, local.layout(), name, config);
        try {
            return switch (config.scheme()) {
                case "http", "https" -> http(login);
                case "nats", "tls" -> nats(login);
                // The schemes that a configuration may have are these six.
                default -> broker(options -> options);
            };
        } catch (IllegalArgumentException e) {
            throw malformed(e);
        }
    }

    private ProblemException malformed(IllegalArgumentException e) {
        return new ProblemException(
                Code.BAD_CONFIGURATION, "transport " + name + ": " + e.getMessage(), e);
    }

    private Transport http(TransportLogin login) throws IOException {
        HttpOptions options =
                HttpOptions.of(URI.create(config.url()))
                        .withReach(reach())
                        .withPublicCheck(local.publicCheck())
                        .withTries(httpTries);
        if (login.user() != null) {
            throw new IllegalArgumentException(
                    "user: a served hive knows no users, expected token_file");
        }
        @Nullable String token = login.token();
        @Nullable SSLContext tls = login.trusted();
        options = token == null ? options : options.withToken(token);
        return new HttpTransport(tls == null ? options : options.withTls(tls));
    }

    private Transport nats(TransportLogin login) throws IOException {
        NatsOptions options =
                NatsOptions.of(config.url(), hiveThere())
                        .withReach(reach())
                        .withPublicCheck(local.publicCheck())
                        .withReplicas(config.replicas())
                        .withConfig(local.config(), local.trust())
                        .withInboxes(usualInboxes())
                        .withWaits(PATIENCE, NATS_LOOK_AGAIN);
        @Nullable String token = login.token();
        @Nullable String user = login.user();
        @Nullable String password = login.password();
        if (token != null) {
            options = options.withLogin(new NatsLogin.Token(() -> token));
        } else if (user != null && password != null) {
            options = options.withLogin(new NatsLogin.Password(user, () -> password));
        }
        @Nullable SSLContext tls = login.trusted();
        return NatsTransport.open(tls == null ? options : options.withTls(tls), caller.clock());
    }

    /// As a broker: what there is besides sending.
    ///
    /// @param how what the caller wants beyond what `hive.yaml` says
    public MqttCarrier broker(UnaryOperator<MqttOptions> how) throws IOException {
        try {
            return MqttCarrier.open(
                    how.apply(mqtt(new TransportLogin(caller, local.layout(), name, config))),
                    caller.clock());
        } catch (IllegalArgumentException e) {
            throw malformed(e);
        }
    }

    private MqttOptions mqtt(TransportLogin login) throws IOException {
        MqttOptions options =
                MqttOptions.of(config.url(), hiveThere())
                        .withReach(reach())
                        .withPublicCheck(local.publicCheck())
                        .withConfig(local.config(), local.trust())
                        .withReceivers(Set.copyOf(config.receivers()))
                        .withPatience(PATIENCE)
                        .withTroubles(problem -> caller.warn(name + ": " + problem));
        @Nullable String user = login.user();
        @Nullable String password = login.password();
        if (user != null && password != null) {
            options = options.withLogin(new MqttLogin.Password(user, () -> password));
        } else if (config.login().tokenFile() != null) {
            throw new IllegalArgumentException(
                    "token_file: a broker knows no tokens, expected user and password_file");
        }
        @Nullable TrustManagerFactory trusted = login.trustManagers();
        return trusted == null ? options : options.withTrusted(trusted);
    }

    private String hiveThere() {
        String hive = config.hive();
        return hive == null ? TransportConfig.HIVE : hive;
    }

    /// A server has no folders that somebody made: it gets the inboxes that every hive begins with,
    /// and those that `hive.yaml` names.
    private List<Domain> usualInboxes() {
        TreeSet<Domain> inboxes = new TreeSet<>(local.config().domains().keySet());
        for (Lane lane : Lane.KNOWN) {
            inboxes.add(new Address.OfLane(lane).domain());
        }
        return List.copyOf(inboxes);
    }
}
