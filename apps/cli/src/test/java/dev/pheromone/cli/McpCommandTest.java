package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.frame.Terminal;
import dev.pheromone.disk.NpmPackages;
import dev.pheromone.testkit.McpText;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// `rsm mcp` as a program: what it prints where, and how programs of others get on with it.
class McpCommandTest extends OneHive {

    private static final int END_S_MAX = 50;

    private static String start(int id) {
        return McpText.call(id, "hive_start", Json.obj()) + "\n";
    }

    @Test
    void onlyMessagesComeOutAndTheEndOfTheInputEndsIt() throws Exception {
        session.env.put("RSM_ACTOR", "claude-7f3a");
        String input =
                McpText.request(1, "initialize", Json.obj().put("protocolVersion", "2025-06-18"))
                        + "\nnonsense\n"
                        + start(2);

        Session.Result result = session.rsm(List.of("mcp"), input);

        assertThat(result.exit()).isZero();
        List<Json> messages = new ArrayList<>();
        for (String line : result.out().lines().toList()) {
            messages.add(Json.parse(line));
        }
        assertThat(messages).hasSize(3);
        assertThat(result.out()).contains("claude-7f3a");
        assertThat(result.err()).startsWith("rsm: a message was refused");
    }

    @Test
    void itIsNeverThePersonWhoActs() {
        assertThat(session.rsm(List.of("mcp"), start(1)).out())
                .contains("\"actor\":\"agent-")
                .doesNotContain("user://you");
        session.env.put("RSM_ACTOR", "you");
        assertThat(session.rsm(List.of("mcp"), start(1)).out()).contains("\"actor\":\"agent-");
    }

    @Test
    void withoutAHiveItStartsAndSaysHowToMakeOne(@TempDir Path elsewhere) throws IOException {
        Session outside = new Session(elsewhere.toRealPath());
        Session.Result result = outside.rsm(List.of("mcp"), start(1));
        assertThat(result.exit()).isZero();
        assertThat(result.out()).contains("\"isError\":true", "no_hive", "rsm init");
    }

    @Test
    void atATerminalItSaysWhatItIsFor() {
        session.terminal = new Terminal(true, true, true);
        Session.Result result = session.rsm("mcp");
        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.err()).contains("found a terminal");
    }

    @Test
    void aTokenIsForAnAgentAlone() {
        Session.Result made = session.rsm("serve", "--token-for", "codex-19be", "--json");
        assertThat(made.exit()).isZero();
        assertThat(made.out()).contains("actors/codex-19be.token");
        Session.Result refused = session.rsm("serve", "--token-for", "you");
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err()).contains("you is a person");
    }

    /// What a foreign client of TypeScript prints, which starts `rsm mcp` by itself.
    private String printedBy(String client) throws Exception {
        NpmPackages packages = NpmPackages.forTest("McpCommandTest");
        // Beside the packages, where the script finds them.
        Path file = packages.folder().resolve(ProcessHandle.current().pid() + "-client.mjs");
        try {
            copy("client.mjs", file);
            return printed(List.of(packages.node().toString(), file.toString(), client));
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static void copy(String resource, Path file) throws IOException {
        try (InputStream in = McpCommandTest.class.getResourceAsStream("/mcp/" + resource)) {
            Files.write(file, in.readAllBytes());
        }
    }

    private String printed(List<String> command) throws Exception {
        Path out = folder.resolve("client.out");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile());
        builder.environment().put("JAVA", java());
        builder.environment().put("JAVA_CLASSES", System.getProperty("java.class.path"));
        builder.environment().put("HOME", session.home.toString());
        Process client = builder.start();
        try {
            assertThat(client.waitFor(END_S_MAX, TimeUnit.SECONDS)).isTrue();
        } finally {
            client.destroyForcibly();
        }
        return Files.readString(out);
    }

    private static String java() {
        return ProcessHandle.current().info().command().orElseThrow();
    }

    private static void assertWorked(String printed) {
        assertThat(printed)
                .contains("tools 11", "actor foreign-", "took | please look", "state done");
    }

    @Test
    void theClientOfTheTypeScriptSdkWorksWithIt() throws Exception {
        assertWorked(printedBy("sdk"));
    }

    @Test
    void theNewerClientOfTypeScriptWorksWithoutASession() throws Exception {
        assertWorked(printedBy("newer"));
    }

    @Test
    void theClientOfTheJavaSdkWorksWithIt() throws Exception {
        Path file = folder.resolve("JavaSdk.java");
        copy("java-sdk.txt", file);
        String classes = System.getProperty("java.class.path");
        assertWorked(printed(List.of(java(), "-cp", classes, file.toString())));
    }
}
