package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.NpmPackages;
import dev.pheromone.mcp.Methods;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The official conformance suite: all that a revision requires against a server that does all of
/// it, and what applies to the hive's own server against that.
@Timeout(240)
final class ConformanceTest {

    private static final int END_S_MAX = 200;

    @TempDir Path root;
    private ServedHive hive;
    private NpmPackages packages;

    @BeforeEach
    void serve() throws Exception {
        packages = NpmPackages.forTest("ConformanceTest");
        hive = new ServedHive(root);
    }

    @AfterEach
    void close() throws IOException {
        if (hive != null) {
            hive.close();
        }
    }

    private record Run(int exit, String printed) {}

    private Run run(HttpEndpoint endpoint, String... words) throws Exception {
        Path token = root.resolve("with-token.mjs");
        try (InputStream in = ConformanceTest.class.getResourceAsStream("with-token.mjs")) {
            Files.write(token, in.readAllBytes());
        }
        List<String> command =
                new ArrayList<>(
                        List.of(
                                packages.node().toString(),
                                "--import",
                                token.toString(),
                                packages.file("@modelcontextprotocol/conformance/dist/index.js")
                                        .toString(),
                                "server",
                                "--url",
                                endpoint.url().resolve("/mcp").toString(),
                                "--output-dir",
                                root.resolve("results").toString()));
        command.addAll(List.of(words));
        Path out = root.resolve("printed.txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
        builder.environment().put("MCP_TOKEN", ServedHive.tokenOf("codex-19be"));
        builder.environment().put("MCP_FOLDER", packages.folder().toString());
        Process process = builder.start();
        try {
            assertThat(process.waitFor(END_S_MAX, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Run(process.exitValue(), Files.readString(out));
    }

    @ParameterizedTest
    @CsvSource({"2025-11-25, 30", "2026-07-28, 37"})
    void theFixtureDoesAllThatARevisionRequires(String revision, int scenarios) throws Exception {
        Methods fixture = new FixtureMethods();
        try (HttpEndpoint endpoint = hive.serve(fixture)) {
            Run run = run(endpoint, "--requirements", revision);
            assertThat(run.exit()).as(run.printed()).isZero();
            assertThat(run.printed().lines().filter(line -> line.startsWith("✓ ")))
                    .as(run.printed())
                    .hasSizeGreaterThanOrEqualTo(scenarios);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "2025-11-25, server-initialize",
        "2025-11-25, ping",
        "2025-11-25, tools-list",
        "2025-11-25, dns-rebinding-protection",
        "2026-07-28, tools-list",
        "2026-07-28, dns-rebinding-protection",
        "2026-07-28, server-sse-multiple-streams",
        "2026-07-28, http-header-validation",
        "2026-07-28, input-required-result-unsupported-methods"
    })
    void theHiveDoesWhatAppliesToIt(String revision, String scenario) throws Exception {
        Run run = run(hive.endpoint, "--scenario", scenario, "--spec-version", revision);
        assertThat(run.exit()).as(run.printed()).isZero();
    }
}
