package dev.pheromone.mqtt;

import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;

import java.nio.file.Path;

/// Apache Artemis as a process: `FOLDER PORT`. It keeps what it has in the folder, and lets anybody
/// in.
final class ArtemisMain {

    private ArtemisMain() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        Configuration configuration =
                new ConfigurationImpl()
                        .setPersistenceEnabled(true)
                        .setSecurityEnabled(false)
                        .setJournalType(JournalType.NIO)
                        .setJournalDirectory(folder.resolve("journal").toString())
                        .setBindingsDirectory(folder.resolve("bindings").toString())
                        .setPagingDirectory(folder.resolve("paging").toString())
                        .setLargeMessagesDirectory(folder.resolve("large").toString())
                        .addAcceptorConfiguration(
                                "mqtt", "tcp://127.0.0.1:" + arguments[1] + "?protocols=MQTT");
        EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
        broker.setConfiguration(configuration);
        EmbeddedActiveMQ _ = broker.start();
    }
}
