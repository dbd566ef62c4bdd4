package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.NpmPackages;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The plugin that `rsm setup opencode` writes, in a Node that calls it as OpenCode does; what the
/// program itself makes of it is shown by `./test --agents`.
class OpenCodePluginTest extends OneHive {

    private static final int END_S_MAX = 55;

    /// What each call of the driver came to, by its name.
    private Map<String, Json> played(String... words) throws Exception {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        Path rsm = bin.resolve("rsm");
        Files.writeString(
                rsm,
                "#!/bin/sh\nRSM_CALLER_PID=$PPID exec '"
                        + ProcessHandle.current().info().command().orElseThrow()
                        + "' -XX:TieredStopAtLevel=1 -cp '"
                        + System.getProperty("java.class.path")
                        + "' "
                        + Main.class.getName()
                        + " \"$@\"\n");
        assertThat(rsm.toFile().setExecutable(true)).isTrue();
        Path driver = folder.resolve("driver.mjs");
        try (InputStream in =
                OpenCodePluginTest.class.getResourceAsStream("/opencode/driver.mjs")) {
            Files.write(driver, in.readAllBytes());
        }
        // Node takes a file for a module by its name; OpenCode takes each for one.
        Path plugin = folder.resolve("plugin.mjs");
        Files.copy(session.cwd.resolve(".opencode/plugins/rsm.js"), plugin);
        Path out = folder.resolve("driver.out");
        List<String> command =
                new ArrayList<>(
                        List.of(
                                NpmPackages.forTest("OpenCodePluginTest").node().toString(),
                                driver.toString(),
                                plugin.toString(),
                                session.cwd.toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
        Map<String, String> env = builder.environment();
        env.keySet().removeIf(name -> name.startsWith("RSM_") || name.startsWith("CLAUDE"));
        env.put("HOME", session.home.toString());
        env.put("PATH", bin + ":" + env.get("PATH"));
        env.put("RSM_SERVES", "code");
        Process node = builder.start();
        try {
            assertThat(node.waitFor(END_S_MAX, TimeUnit.SECONDS)).isTrue();
        } finally {
            node.destroyForcibly();
        }
        return parsed(Files.readString(out));
    }

    private static Map<String, Json> parsed(String lines) throws IOException {
        Map<String, Json> played = new HashMap<>();
        for (String line : lines.lines().toList()) {
            try {
                Json.Obj told = (Json.Obj) Json.parse(line);
                played.put(told.text("what"), told.get("value").orElseThrow());
            } catch (Exception e) {
                throw new AssertionError(lines, e);
            }
        }
        return played;
    }

    @Test
    void locksHoldMailIsToldAndAnIdleSessionIsWoken() throws Exception {
        session.rsm("lock", "dnr", "secret/**", "--reason", "customer data");
        session.launcher = folder.resolve("bin/rsm");
        Session.Result setup = session.rsm("setup", "opencode", "--yes");
        assertThat(setup.exit()).as(setup.err()).isZero();
        assertThat(session.rsm("send", "--to", "code", "--topic", "evil words", "x").exit())
                .isZero();

        Map<String, Json> played = played();

        assertThat(played.get("locked").toString()).contains("do-not-read", "customer data");
        assertThat(played.get("free")).isEqualTo(Json.of("free"));
        assertThat(texts(played, "prompt"))
                .hasSize(3)
                .allSatisfy(text -> assertThat(text).doesNotContain("evil"));
        assertThat(texts(played, "prompt").subList(1, 3))
                .allSatisfy(text ->
                        assertThat(text).contains("no person wrote this", "rsm select code"));
        assertThat(texts(played, "subagent")).containsExactly("begin");
        assertThat(played.get("quiet tool").toString()).isEqualTo("{\"output\":\"plain\"}");
        for (String told : List.of("tool", "tool of a server")) {
            assertThat(played.get(told).toString())
                    .contains("waiting for you: P0")
                    .doesNotContain("evil", "while it works");
        }
        assertThat(played.get("shell").toString()).contains("ses_one");
        assertThat(played.get("woken by")).isEqualTo(Json.of("watch"));
        assertThat(played.get("doctor").toString()).contains("can be woken");
        assertThat(played.get("wake")).isEqualTo(Json.of(0L));
        assertThat(played.get("woken by nothing")).isEqualTo(Json.of(0L));
        assertThat(played.get("woken").toString())
                .contains("ses_one", "\"plan\"", "scripted", "no person wrote this")
                .doesNotContain("evil", "while it is idle");
        assertThat(played.get("own words")).as("nothing is added").isEqualTo(Json.of(1L));
        assertThat(played.get("woken again")).isEqualTo(Json.of(1L));
        assertThat(played.get("state")).isEqualTo(Json.of("gone"));
        assertThat(played.get("without rsm").toString()).contains("rsm: blocked");
        assertThat(played.get("silent without rsm")).isEqualTo(Json.of(1L));
    }

    @Test
    void withoutATerminalNobodyIsWoken() throws Exception {
        session.launcher = folder.resolve("bin/rsm");
        assertThat(session.rsm("setup", "opencode", "--yes").exit()).isZero();
        Map<String, Json> played = played("--log-level", "DEBUG", "run");
        assertThat(played.get("woken by")).isEqualTo(Json.of("none"));
        assertThat(played.get("doctor").toString()).contains("can't be woken");
        assertThat(played.get("wake")).isEqualTo(Json.of(1L));
    }

    @Test
    void itIsShownFirstLookedAtAndTakenOut() {
        session.launcher = folder.resolve("bin/rsm");
        Path plugin = session.cwd.resolve(".opencode/plugins/rsm.js");
        assertThat(session.rsm("setup", "opencode", "--dry-run").out())
                .contains("+++ .opencode/plugins/rsm.js", "+import { spawn }", "promptAsync");
        assertThat(plugin).doesNotExist();
        assertThat(session.rsm("setup", "opencode", "--check").exit()).isEqualTo(1);
        assertThat(session.rsm("setup", "opencode", "--yes").exit()).isZero();
        assertThat(session.rsm("setup", "opencode", "--check").exit()).isZero();
        assertThat(plugin).exists();
        assertThat(session.rsm("setup", "opencode", "--remove", "--yes").exit()).isZero();
        assertThat(plugin).doesNotExist();
    }

    private static List<String> texts(Map<String, Json> played, String what) {
        return ((Json.Arr) played.get(what))
                .items().stream().map(part -> ((Json.Obj) part).text("text")).toList();
    }
}
