package dev.pheromone.server;

import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.Reach;
import dev.pheromone.config.Secrets;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.OnBehalf;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.http.HttpOptions;
import dev.pheromone.http.HttpTransport;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.mcp.Methods;
import dev.pheromone.mcp.hive.HiveTools;
import dev.pheromone.mcp.hive.WhoAsks;
import dev.pheromone.session.ServedSession;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.TransportContract;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// A real hive in a temporary folder, served on a free port of this machine.
final class ServedHive implements AutoCloseable {

    static final String TOKEN = "correct-horse-battery-staple";
    static final Domain CODE = Domain.parse("code");
    static final Duration PATIENCE = Duration.ofSeconds(30);

    final HiveLayout layout;
    final FakeClock clock;
    final FileTransport files;
    private final OpenHive open;
    final FixtureBoard board;
    final HttpEndpoint endpoint;
    final HttpClient client = HttpClient.newHttpClient();

    ServedHive(Path root) throws Exception {
        this(root, new FakeClock(Instant.now()), UnaryOperator.identity());
    }

    ServedHive(Path root, FakeClock clock, UnaryOperator<ServerOptions> change) throws Exception {
        this(root, new LocalDisk(), clock, change);
    }

    ServedHive(Path root, Disk disk, FakeClock clock, UnaryOperator<ServerOptions> change)
            throws Exception {
        this.layout = new HiveLayout(root.toRealPath());
        this.clock = clock;
        for (String inbox : List.of("code", "docs", "user-ada")) {
            Files.createDirectories(layout.inbox(Domain.parse(inbox)).resolve(".tmp"));
        }
        Files.createDirectories(layout.root().resolve(".embargo"));
        LockFiles guard = new LockFiles(layout);
        this.files =
                FileTransport.open(
                        disk,
                        layout,
                        guard,
                        Actor.parse("server"),
                        clock,
                        Secrets.none(),
                        TransportContract.CHECK);
        this.open = OpenHive.of(new ServingCaller(layout.root(), clock), files, guard);
        this.board = new FixtureBoard(layout.root(), clock);
        this.endpoint = serve(new OnBehalf(files), change);
    }

    /// Serves `mail` in the place of the hive's own inboxes.
    HttpEndpoint serve(Transport mail, UnaryOperator<ServerOptions> change) throws IOException {
        return serve(
                mail,
                change,
                HiveTools.overNetwork(
                        new ServingCaller(layout.root(), clock),
                        new WhoAsks(Map.of(), "server", "", 0),
                        layout,
                        Reach.TEAM,
                        "test"));
    }

    /// Serves the hive with other tools.
    HttpEndpoint serve(Methods tools) throws IOException {
        return serve(new OnBehalf(files), UnaryOperator.identity(), tools);
    }

    private HttpEndpoint serve(Transport mail, UnaryOperator<ServerOptions> change, Methods tools)
            throws IOException {
        ServerOptions options =
                change.apply(
                        ServerOptions.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .withToken(TOKEN)
                                .withActors(ServedHive::actorOf));
        return HttpEndpoint.start(
                options,
                new ServedSession(
                        new ServingCaller(layout.root(), clock),
                        open,
                        mail,
                        TransportContract.CHECK,
                        options.reach()),
                tools,
                board);
    }

    /// The token of `actor`.
    static String tokenOf(String actor) {
        return "token-of-" + actor + "-alone";
    }

    private static Optional<Actor> actorOf(String token) {
        for (String actor : List.of("claude-7f3a", "codex-19be")) {
            if (token.equals(tokenOf(actor))) {
                return Optional.of(Actor.parse(actor));
            }
        }
        return Optional.empty();
    }

    HttpTransport transport() {
        return new HttpTransport(
                HttpOptions.of(endpoint.url())
                        .withToken(TOKEN)
                        // So that it is the server's check that counts.
                        .withPublicCheck(_ -> Optional.empty()));
    }

    EnvelopeDraft mail(String topic) {
        return Envelope.draft(
                        Actor.parse("ada"),
                        List.of(Address.parse("queen://code")),
                        Lane.CODE,
                        topic)
                .ts(clock.instant())
                .body("Please look at " + topic + ".\n");
    }

    /// An answer, with its body as JSON if it is that.
    record Answer(int status, String body, HttpResponse<?> response) {

        Json.Obj json() {
            try {
                return (Json.Obj) Json.parse(body);
            } catch (MalformedJsonException e) {
                throw new IllegalStateException("not JSON: " + body, e);
            }
        }

        String code() {
            return json().text("code");
        }
    }

    /// A request with the token.
    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(endpoint.url().resolve(path))
                .timeout(PATIENCE)
                .header("Authorization", "Bearer " + TOKEN);
    }

    Answer call(HttpRequest request) throws Exception {
        HttpResponse<String> response =
                client.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        return new Answer(response.statusCode(), response.body(), response);
    }

    Answer get(String path) throws Exception {
        return call(request(path).build());
    }

    Answer post(String path, String type, byte[] body) throws Exception {
        return call(
                request(path)
                        .header("Content-Type", type)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build());
    }

    Answer post(String path, Json.Obj body) throws Exception {
        return post(path, "application/json", body.toString().getBytes(StandardCharsets.UTF_8));
    }

    Answer send(Envelope envelope) throws Exception {
        return post("/v1/envelopes", "text/markdown", envelope.bytes());
    }

    /// Takes the next envelope, which must be there; returns the claim's name.
    String take() throws Exception {
        return post("/v1/inboxes/code/select", Json.obj().put("worker", "w1")).json().text("claim");
    }

    void lock() throws IOException {
        Files.writeString(layout.hive().resolve(LockFiles.HIVE_LOCK), "freeze\n");
    }

    /// The states of all copies in the inbox `code`.
    List<State> states() throws IOException {
        return files.catalog().all(CODE).stream().map(Catalog.Item::state).sorted().toList();
    }

    @Override
    public void close() throws IOException {
        client.shutdownNow();
        endpoint.close();
        open.close();
    }
}
