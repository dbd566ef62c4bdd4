package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.resident.Servable;
import dev.pheromone.disk.HiveLayout;

import org.junit.jupiter.api.AfterEach;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// A frozen hive whose commands are answered by a resident: the resident touches nothing either.
final class ResidentFreezeTest extends FreezeTest {

    private ResidentClient client;

    @Override
    Session.Result run(List<String> words) throws Exception {
        if (client == null) {
            client = new ResidentClient(Files.createTempDirectory("rsm-freeze"));
        }
        Path root = session.cwd;
        client.useIn(session);
        if (!client.isListening() && Files.isDirectory(root.resolve(".deia/inbox"))) {
            client.listen(session, new HiveLayout(root));
        }
        session.later(Duration.ofMillis(1));
        Session.Result result = client.run(session, words, "");
        if (result.exit() != ResidentClient.COLD) {
            return result;
        }
        // What only says that it stays or goes over a network is not the resident's.
        assertThat(!Servable.VERBS.contains(words.getFirst()) || words.contains("--via"))
                .as("%s is not answered by the resident", words)
                .isTrue();
        return session.rsm(words, "");
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
    }
}
