package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.frame.Terminal;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.NpmPackages;
import dev.pheromone.testkit.McpText;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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

    /// How a foreign client starts the server by itself: as a process of its own, or by the client
    /// of a resident process in this one.
    enum Way {
        OWN_PROCESS,
        RESIDENT
    }

    private interface Clients {
        String printed(Path place, List<String> server) throws Exception;
    }

    private void assertWorks(Way way, Clients clients) throws Exception {
        List<String> own =
                List.of(
                        java(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "mcp");
        try (ResidentClient client = new ResidentClient(folder.resolve("bin"))) {
            client.useIn(session);
            client.listen(session, new HiveLayout(session.cwd));
            List<String> server =
                    switch (way) {
                        case OWN_PROCESS -> own;
                        case RESIDENT -> client.command(List.of("mcp"));
                    };
            assertThat(clients.printed(folder, server))
                    .contains("tools 11", "actor foreign-", "took | please look", "state done")
                    .doesNotContain("cold");
        }
    }

    /// What a foreign client of TypeScript prints.
    private String printedBy(String client, List<String> server) throws Exception {
        NpmPackages packages = NpmPackages.forTest("McpCommandTest");
        // Beside the packages, where the script finds them.
        Path file = packages.folder().resolve(ProcessHandle.current().pid() + "-client.mjs");
        try {
            copy("client.mjs", file);
            return printed(
                    List.of(packages.node().toString(), file.toString(), client),
                    Json.arr(server.stream().map(Json::of).toList()).toString());
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static void copy(String resource, Path file) throws IOException {
        try (InputStream in = McpCommandTest.class.getResourceAsStream("/mcp/" + resource)) {
            Files.write(file, in.readAllBytes());
        }
    }

    private String printed(List<String> command, String server) throws Exception {
        Path out = folder.resolve("client.out");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile());
        builder.environment().put("SERVER", server);
        builder.environment().put("HOME", session.home.toString());
        builder.environment().put("XDG_RUNTIME_DIR", session.env.get("XDG_RUNTIME_DIR"));
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

    @ParameterizedTest
    @EnumSource
    void theClientOfTheTypeScriptSdkWorksWithIt(Way way) throws Exception {
        assertWorks(way, (_, server) -> printedBy("sdk", server));
    }

    @ParameterizedTest
    @EnumSource
    void theNewerClientOfTypeScriptWorksWithoutASession(Way way) throws Exception {
        assertWorks(way, (_, server) -> printedBy("newer", server));
    }

    @ParameterizedTest
    @EnumSource
    void theClientOfTheJavaSdkWorksWithIt(Way way) throws Exception {
        assertWorks(
                way,
                (place, server) -> {
                    Path file = place.resolve("JavaSdk.java");
                    copy("java-sdk.txt", file);
                    String classes = System.getProperty("java.class.path");
                    List<String> command =
                            new ArrayList<>(List.of(java(), "-cp", classes, file.toString()));
                    command.addAll(server);
                    return printed(command, "");
                });
    }
}
