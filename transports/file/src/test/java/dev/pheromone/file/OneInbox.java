package dev.pheromone.file;

import dev.pheromone.Inbox;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

/// A hive for each test, opened once, with its inbox `code`.
public class OneInbox {

    @TempDir public Path root;
    public TestHive hive;
    public FileTransport transport;
    public Inbox inbox;

    @BeforeEach
    public void open() throws Exception {
        hive = new TestHive(root);
        transport = hive.open();
        inbox = transport.inbox(TestHive.CODE);
    }

    @AfterEach
    public void close() throws IOException {
        transport.close();
    }
}
