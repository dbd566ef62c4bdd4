package dev.pheromone.mqtt;

import com.hivemq.embedded.EmbeddedExtension;
import com.hivemq.embedded.EmbeddedHiveMQ;
import com.hivemq.extension.sdk.api.ExtensionMain;
import com.hivemq.extension.sdk.api.auth.SimpleAuthenticator;
import com.hivemq.extension.sdk.api.parameter.ExtensionStartInput;
import com.hivemq.extension.sdk.api.parameter.ExtensionStartOutput;
import com.hivemq.extension.sdk.api.parameter.ExtensionStopInput;
import com.hivemq.extension.sdk.api.parameter.ExtensionStopOutput;
import com.hivemq.extension.sdk.api.services.Services;

import java.nio.file.Files;
import java.nio.file.Path;

/// HiveMQ CE as a process: `FOLDER PORT`. It keeps what it has in the folder, and lets anybody in.
final class HiveMqMain {

    private HiveMqMain() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        Path configuration = Files.createDirectories(folder.resolve("conf"));
        Path extensions = Files.createDirectories(folder.resolve("extensions"));
        Path data = Files.createDirectories(folder.resolve("data"));
        Files.writeString(
                configuration.resolve("config.xml"),
                """
                <hivemq>
                    <listeners>
                        <tcp-listener>
                            <port>%s</port>
                            <bind-address>127.0.0.1</bind-address>
                        </tcp-listener>
                    </listeners>
                    <persistence><mode>file</mode></persistence>
                    <anonymous-usage-statistics><enabled>false</enabled></anonymous-usage-statistics>
                </hivemq>
                """
                        .formatted(arguments[1]));
        EmbeddedExtension open =
                EmbeddedExtension.builder()
                        .withId("open")
                        .withName("open")
                        .withVersion("1")
                        .withAuthor("test")
                        .withPriority(0)
                        .withStartPriority(1000)
                        .withExtensionMain(new Open())
                        .build();
        EmbeddedHiveMQ broker =
                EmbeddedHiveMQ.builder()
                        .withConfigurationFolder(configuration)
                        .withDataFolder(data)
                        .withExtensionsFolder(extensions)
                        .withEmbeddedExtension(open)
                        .build();
        broker.start().join();
    }

    /// Lets anybody in.
    private static final class Open implements ExtensionMain {

        @Override
        public void extensionStart(ExtensionStartInput input, ExtensionStartOutput output) {
            SimpleAuthenticator everybody = (_, answer) -> answer.authenticateSuccessfully();
            Services.securityRegistry().setAuthenticatorProvider(_ -> everybody);
        }

        @Override
        public void extensionStop(ExtensionStopInput input, ExtensionStopOutput output) {}
    }
}
