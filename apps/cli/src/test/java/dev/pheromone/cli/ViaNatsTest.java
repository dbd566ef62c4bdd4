package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.testkit.NatsServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// By way of a NATS server.
final class ViaNatsTest extends ViaContract {

    private NatsServer server;

    @Override
    String transport(Path folder) throws Exception {
        if (server == null) {
            NatsServer.refuseWithout("ViaNatsTest");
            server = NatsServer.start(Files.createDirectories(folder));
        }
        return "{url: \"%s\"}".formatted(server.url());
    }

    @Override
    void kill() {
        server.kill();
    }

    @Override
    void restart() throws Exception {
        server.restart();
    }

    @Test
    void whyAHiveThereCannotBeOpenedIsSaidOnce() throws Exception {
        Session ann = session("ann");
        ok(ann, "send --via team --to code before");
        configure(ann, "team: {url: \"%s\", replicas: 3}".formatted(server.url()));
        Session.Result refused = rsm(ann, "send --via team --to code hello");
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.err())
                .containsOnlyOnce("replicas: found 1 of ")
                .startsWith("rsm: error: replicas: found 1 of ");
    }

    @Test
    void whatIsTooLargeForTheServerKeepsNothingElse() throws Exception {
        Path folder = Files.createDirectories(temp.toRealPath().resolve("small"));
        NatsServer.refuseWithout("ViaNatsTest");
        server = NatsServer.start(folder, "max_payload: 4096\n");
        Session ann = session("ann");
        kill();
        List<String> large = List.of("send", "--via", "team", "--to", "code", "--topic", "x", "-");
        assertThat(ann.rsm(large, "x".repeat(20_000)).exit()).isZero();
        ok(ann, "send --via team --to code small");
        restart();
        assertThat(ok(ann, "send --via team --to code now"))
                .startsWith("sent ")
                .contains(" to queen://code at team, expires ");
        assertThat(ok(ann, "inbox code --via team")).startsWith("queen://code at team: 2 waiting");
        assertThat(rsm(ann, "doctor --fix").out())
                .contains("1 that wait on (nats server: takes no such message: ");
        ok(ann, "send --to code near --topic near");
        assertThat(
                        ann.rsm(
                                        List.of("send", "--to", "code", "--priority", "P0", "-"),
                                        "x".repeat(20_000))
                                .exit())
                .isZero();
        assertThat(ok(ann, "bridge . team --domain code --drain"))
                .startsWith("carried 1 between . and team, 1 could not go");
    }

    @AfterEach
    void end() {
        if (server != null) {
            server.close();
        }
    }
}
