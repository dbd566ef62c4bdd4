package dev.pheromone.cli.serve;

import dev.pheromone.address.Reach;
import dev.pheromone.cli.args.Args;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Program;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.StopSignals;
import dev.pheromone.cli.frame.TypedFiles;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.mcp.hive.HiveTools;
import dev.pheromone.mcp.hive.WhoAsks;
import dev.pheromone.server.HttpEndpoint;
import dev.pheromone.server.PemTls;
import dev.pheromone.server.ServerOptions;
import dev.pheromone.session.ServedSession;
import dev.pheromone.session.caller.ActorTokens;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;

/// `rsm serve`: the hive over HTTP, for as long as it runs.
public final class ServeCommand implements HiveCommand {

    /// A chain of a few certificates is a few kilobytes.
    private static final int CERTIFICATE_BYTES_MAX = 1 << 20;

    @Override
    public Spec spec() {
        return Spec.of("serve", Group.OPERATORS, "serves the hive over HTTP, until interrupted")
                .opt(
                        Opt.value("bind", "HOST:PORT", "where to listen")
                                .withFallback("127.0.0.1:7777"))
                .opt(
                        Opt.value(
                                "token-file",
                                "FILE",
                                "the file with the token that clients must send; without it one is"
                                        + " made for you at first use"))
                .opt(
                        Opt.value(
                                "token-for",
                                "ACTOR",
                                "serve nothing: make a token for this agent, with which it reaches"
                                        + " the tools at /mcp, and print the file"))
                .opt(Opt.flag("read-only", "let nobody send, take or finish mail"))
                .opt(Opt.value("tls-key", "FILE", "the key of the certificate, as PEM"))
                .opt(Opt.value("tls-cert", "FILE", "the certificate and its chain, as PEM"))
                .opt(
                        Opt.value("host", "NAME", "a name by which clients call this server")
                                .repeated())
                .opt(
                        Opt.choice(
                                "reach",
                                "who can reach this server; else team on this machine and public"
                                        + " beyond it",
                                List.of("team", "public")))
                .note(
                        "Clients show the token, on this machine too: everything but GET /healthz"
                            + " needs it. Mail and the events that speak of it go no further than"
                            + " the sender allowed: private mail is never served, team mail only"
                            + " within the team's reach. Beyond this machine a certificate is"
                            + " needed.")
                .note("GET /openapi.yaml describes all there is to call.")
                .example(
                        "rsm serve --token-for codex-19be",
                        "a token with which codex-19be, and nobody else, is codex-19be at /mcp")
                .example("rsm serve", "on this machine, with a token in your configuration folder")
                .example(
                        "rsm serve --bind 0.0.0.0:7777 --tls-key key.pem --tls-cert cert.pem --host"
                                + " hive.example.org --reach team",
                        "for the team's other machines")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        String actor = call.args().value("token-for");
        if (actor != null) {
            return ActorToken.made(call, hive, actor);
        }
        ServerOptions options = options(call);
        CountDownLatch over = new CountDownLatch(1);
        Instant began = call.now();
        try (StopSignals _ = new StopSignals(over::countDown);
                HttpEndpoint endpoint = start(call, hive, options)) {
            call.note(
                    "serving "
                            + SafeText.line(hive.layout().root().toString())
                            + " at "
                            + endpoint.url());
            try {
                over.await();
            } catch (InterruptedException e) {
                // Asked to end, by a thread instead of a signal.
                Thread.currentThread().interrupt();
            }
            return new Served(
                    hive.layout().root().toString(),
                    endpoint.url(),
                    Duration.between(began, call.now()));
        }
    }

    /// Serves the hive at a port of this machine, to clients that show the user's own token, until
    /// it is closed.
    static HttpEndpoint startAtPort(Invocation call, OpenHive hive, int port) throws IOException {
        InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        return start(call, hive, ServerOptions.at(bind).withToken(new ServeToken(call).readOwn()));
    }

    private static HttpEndpoint start(Invocation call, OpenHive hive, ServerOptions options)
            throws IOException {
        try {
            return HttpEndpoint.start(
                    options.withActors(new ActorTokens(call.folder())::holder),
                    ServedSession.of(call, hive, options.reach()),
                    HiveTools.overNetwork(
                            call,
                            new WhoAsks(call.surroundings().env(), call.user(), "", 0),
                            hive.layout(),
                            options.reach(),
                            Program.version()),
                    ServerOptions.isLoopback(options.bind()) && options.tls() == null
                            ? new BoardCommands(call, hive)
                            : null);
        } catch (BindException e) {
            throw new CliException(
                            ErrorCode.IO,
                            "can't listen at "
                                    + options.bind().getHostString()
                                    + ":"
                                    + options.bind().getPort()
                                    + ": it is taken",
                            e)
                    .hint(
                            "another server may run; name another port with "
                                    + (call.declares("port") ? "--port" : "--bind"));
        }
    }

    private static ServerOptions options(Invocation call) throws IOException {
        Args args = call.args();
        InetSocketAddress bind = address(String.valueOf(args.value("bind")));
        ServerOptions options = ServerOptions.at(bind);
        options = options.withHosts(hosts(args));
        if (args.has("read-only")) {
            options = options.readOnly();
        }
        String reach = args.value("reach");
        if (reach != null) {
            options = options.withReach(Reach.parse(reach));
        }
        String key = args.value("tls-key");
        String certificate = args.value("tls-cert");
        if ((key == null) != (certificate == null)) {
            throw new CliException(
                    ErrorCode.USAGE, "--tls-key and --tls-cert: found one, expected both");
        }
        if (key != null && certificate != null) {
            TypedFiles files = new TypedFiles(call);
            try {
                options =
                        options.withTls(
                                PemTls.context(
                                        files.readSecret(key),
                                        files.read(certificate, CERTIFICATE_BYTES_MAX)));
            } catch (IllegalArgumentException e) {
                throw new CliException(ErrorCode.BAD_FILE, String.valueOf(e.getMessage()), e);
            }
        } else if (!ServerOptions.isLoopback(bind)) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "--bind "
                                    + args.value("bind")
                                    + ": other machines would send the token in the clear")
                    .hint("give --tls-key and --tls-cert, or listen on 127.0.0.1 behind a proxy");
        }
        return options.withToken(new ServeToken(call).read());
    }

    private static Set<String> hosts(Args args) {
        Set<String> hosts = new TreeSet<>();
        for (String host : args.values("host")) {
            hosts.add(host.toLowerCase(Locale.ROOT));
        }
        return hosts;
    }

    private static InetSocketAddress address(String typed) {
        int colon = typed.lastIndexOf(':');
        try {
            String host = typed.substring(0, Math.max(0, colon));
            String literal =
                    host.startsWith("[") && host.endsWith("]")
                            ? host.substring(1, host.length() - 1)
                            : host;
            return new InetSocketAddress(
                    literal.equals("localhost")
                            ? InetAddress.getLoopbackAddress()
                            : InetAddress.ofLiteral(literal),
                    Integer.parseInt(typed.substring(colon + 1)));
        } catch (IllegalArgumentException e) {
            throw new CliException(
                    ErrorCode.USAGE,
                    "option --bind: found \""
                            + typed
                            + "\", expected an address and a port, such as 127.0.0.1:7777",
                    e);
        }
    }

    private record Served(String root, URI url, Duration time) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj()
                    .put("root", root)
                    .put("url", url.toString())
                    .put("ran_s", time.toSeconds());
        }

        @Override
        public void show(Screen screen) {
            screen.line("served the hive for " + Ages.span(time));
        }
    }
}
