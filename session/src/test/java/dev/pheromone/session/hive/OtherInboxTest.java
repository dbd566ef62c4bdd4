package dev.pheromone.session.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.setup.HiveSetup;
import dev.pheromone.file.setup.HiveSetup.OnUnfitVolume;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.Locksmith;
import dev.pheromone.session.caller.NamedCaller;
import dev.pheromone.testkit.FakeClock;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// An inbox at a server, under the locks of the hive that takes from it.
final class OtherInboxTest {

    private static final Domain CODE = Address.parse("queen://code").domain();
    private static final Domain OPS = Address.parse("queen://ops").domain();

    @TempDir Path folder;

    private final List<String> posted = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private HiveLayout layout;
    private NamedCaller caller;

    @BeforeEach
    void makeHiveAndServer() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        layout = HiveSetup.init(folder, Address.parse("user://you"), OnUnfitVolume.ACCEPT).layout();
        caller =
                new NamedCaller(
                        "you", folder.resolve("home"), new FakeClock(Clock.systemUTC().instant()));
        Files.writeString(
                folder.resolve(".deia/hive.yaml"),
                "format: 1\ntransports: {team: {url: \"http://127.0.0.1:%d\"}}\n"
                        .formatted(server.getAddress().getPort()));
    }

    @AfterEach
    void stopServer() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            boolean isPost = exchange.getRequestMethod().equals("POST");
            if (isPost) {
                posted.add(exchange.getRequestURI().getPath());
            }
            byte[] text =
                    (isPost ? "{\"state\":\"waiting\",\"confirmed\":true}" : "{\"items\":[]}")
                            .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
        }
    }

    /// A bridge asks for the inbox again before it settles: a claim that could not be given back
    /// would keep the mail until its lease ends.
    @Test
    void whatWasTakenBeforeALockIsGivenBackUnderIt() throws Exception {
        String claim = EnvelopeId.random(caller.now()) + ".1.you";
        try (OpenHive hive = OpenHive.of(caller, layout);
                OtherTransport team = hive.otherOfBridge("team")) {
            assertThat(team.inbox(CODE).waiting()).isEmpty();
            assertThat(
                            new Locksmith(layout, OpenHive.guard(caller, layout))
                                    .lockHive("release", "you")
                                    .isNew())
                    .isTrue();

            assertThat(
                            team.inbox(CODE)
                                    .select(
                                            new Actor("you"),
                                            Lease.unattended(Duration.ofMinutes(1))))
                    .isInstanceOf(Selection.Withheld.class);
            assertThatThrownBy(() -> team.inbox(CODE).waiting())
                    .isInstanceOf(WithheldException.class);
            assertThatThrownBy(() -> team.inbox(OPS)).isInstanceOf(WithheldException.class);
            assertThat(posted).isEmpty();

            assertThat(
                            team.inbox(CODE)
                                    .settle(
                                            claim,
                                            new Outcome.Released("locked", Duration.ofSeconds(5))))
                    .isInstanceOf(Settlement.Settled.class);
            assertThat(posted).hasSize(1).allMatch(path -> path.endsWith("/release"));
        }
    }
}
