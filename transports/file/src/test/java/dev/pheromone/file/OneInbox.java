package dev.pheromone.file;

import dev.pheromone.Inbox;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

/// A hive for each test, opened once, with its inbox `code`.
class OneInbox {

    @TempDir Path root;
    TestHive hive;
    FileTransport transport;
    Inbox inbox;

    @BeforeEach
    void open() throws Exception {
        hive = new TestHive(root);
        transport = hive.open();
        inbox = transport.inbox(TestHive.CODE);
    }

    @AfterEach
    void close() throws IOException {
        transport.close();
    }
}
