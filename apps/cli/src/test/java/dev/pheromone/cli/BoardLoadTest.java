package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// The board over a hive with a long past, much mail and many boards, while much happens. It says
/// how fast that is, and asserts only that it stays of use.
///
/// The long form has a million events, 10,000 mails, 20 boards, and a thousand events a second for
/// a minute; see `-Drsm.long=true`.
@Timeout(value = 40, unit = TimeUnit.MINUTES)
class BoardLoadTest {

    private static final boolean LONG = Boolean.getBoolean("rsm.long");
    private static final int EVENTS = LONG ? 1_000_000 : 20_000;
    private static final int MAILS = LONG ? 10_000 : 500;
    private static final int BOARDS = LONG ? 20 : 3;
    private static final int STORM_S = LONG ? 60 : 4;
    private static final int EVENTS_A_SECOND = 1_000;
    private static final int IDLE_S = LONG ? 60 : 3;

    /// A stall that a person would take for a hang.
    private static final double STALL_MS_MAX = 4_000;

    private static final int PATIENCE_MS = 60_000;

    @TempDir Path folder;

    private BoardHive hive;
    private Path log;

    @Test
    void aBoardStaysOfUse() throws Exception {
        try (BoardBrowser browser = BoardBrowser.start("BoardLoadTest")) {
            hive =
                    BoardHive.start(
                            folder.resolve("hive"),
                            """
                            backpressure: {depth: 100000, oldest_age: 30d}
                            sender: {waiting: 100000, rate: 100000/m}
                            """);
            log = hive.folder.resolve(".deia/telemetry/rse.jsonl");
            fill();
            try (BrowserContext person = browser.person()) {
                Page page = hive.open(person);
                firstViews(page);
                idle(person, page);
                storm(browser, page);
            }
            assertThat(browser.takeComplaints()).isEmpty();
        } finally {
            if (hive != null) {
                hive.close();
            }
        }
    }

    private static void say(String figure) {
        System.out.println("board: " + figure);
    }

    private void fill() throws IOException {
        Instant begin = Instant.now().minus(Duration.ofDays(20));
        try (OutputStream out =
                Files.newOutputStream(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            StringBuilder lines = new StringBuilder();
            for (int i = 0; i < EVENTS; i++) {
                lines.append(event(begin.plusMillis(i * 1_600L), i));
                if (lines.length() > 1 << 20) {
                    out.write(lines.toString().getBytes(StandardCharsets.UTF_8));
                    lines.setLength(0);
                }
            }
            out.write(lines.toString().getBytes(StandardCharsets.UTF_8));
        }
        hive.now();
        for (int i = 0; i < MAILS; i++) {
            hive.as("agent-" + i % 40, "send", "--to", "code", "please look at number " + i);
        }
        hive.as(
                "agent-0",
                "send",
                "--to",
                "user://you",
                "--create",
                "--priority",
                "P0",
                "Main is red");
    }

    private static String event(Instant at, int number) {
        return """
        {"ts":"%s","type":"status_update","lane":"Code","actor":"agent-%d","data":{"notes":"step %d"}}
        """
                .formatted(at, number % 40, number);
    }

    private void firstViews(Page page) {
        for (List<String> view :
                List.of(
                        List.of("needs", ".need"),
                        List.of("mail?address=queen%3A%2F%2Fcode", ".mail"),
                        List.of("log", ".events li"),
                        List.of("search?q=number", ".screen form"),
                        List.of("promises", ".screen table"))) {
            List<Long> took = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                page.navigate("about:blank");
                long began = System.nanoTime();
                page.navigate(hive.url() + "#/" + view.getFirst());
                PlaywrightAssertions.assertThat(page.locator(view.getLast()).first())
                        .isVisible(
                                new LocatorAssertions.IsVisibleOptions().setTimeout(PATIENCE_MS));
                took.add((System.nanoTime() - began) / 1_000_000);
            }
            say("first view of " + view.getFirst() + " in ms, three times: " + took);
        }
    }

    private void idle(BrowserContext person, Page page) throws Exception {
        page.navigate(hive.url() + "#/needs");
        PlaywrightAssertions.assertThat(page.locator(".need").first()).isVisible();
        page.waitForTimeout(2_000);
        CDPSession tools = person.newCDPSession(page);
        tools.send("Performance.enable");
        double pageBefore = metric(tools, "TaskDuration");
        Duration serverBefore = hive.server().info().totalCpuDuration().orElseThrow();
        page.waitForTimeout(IDLE_S * 1_000);
        double ofPage = (metric(tools, "TaskDuration") - pageBefore) / IDLE_S;
        Duration serverAfter = hive.server().info().totalCpuDuration().orElseThrow();
        double ofServer = serverAfter.minus(serverBefore).toMillis() / 1_000.0 / IDLE_S;
        say(
                "idle, share of a core: page %.4f, server with its housekeeping %.4f"
                        .formatted(ofPage, ofServer));
    }

    private void storm(BoardBrowser browser, Page page) throws Exception {
        List<BrowserContext> others = new ArrayList<>();
        try {
            for (int i = 1; i < BOARDS; i++) {
                BrowserContext other = browser.person();
                others.add(other);
                hive.open(other);
            }
            page.navigate(hive.url() + "#/log");
            PlaywrightAssertions.assertThat(page.locator(".events li").first()).isVisible();
            Duration before = hive.server().info().totalCpuDuration().orElseThrow();
            Thread writer = Thread.ofVirtual().start(this::writeEvents);
            double worst = 0;
            List<Double> stalls = new ArrayList<>();
            while (writer.isAlive()) {
                double stall =
                        ((Number)
                                        page.evaluate(
                                                """
                                                () => {
                                                    const began = performance.now();
                                                    return new Promise(done =>
                                                        setTimeout(() => requestAnimationFrame(() =>
                                                            done(performance.now() - began)), 0));
                                                }
                                                """))
                                .doubleValue();
                stalls.add(stall);
                worst = Math.max(worst, stall);
                page.waitForTimeout(100);
            }
            writer.join();
            stalls.sort(null);
            Duration after = hive.server().info().totalCpuDuration().orElseThrow();
            say(
                    "%d boards, %d events a second for %d s: a frame of the page took %.0f ms at the median and %.0f ms at worst; server %.2f of a core, %d MiB; page %s MiB"
                            .formatted(
                                    BOARDS,
                                    EVENTS_A_SECOND,
                                    STORM_S,
                                    stalls.get(stalls.size() / 2),
                                    worst,
                                    after.minus(before).toMillis() / 1_000.0 / STORM_S,
                                    serverMiB(),
                                    page.evaluate(
                                            "Math.round(performance.memory.usedJSHeapSize /"
                                                    + " 1048576)")));
            assertThat(worst).isLessThan(STALL_MS_MAX);
            hive.now();
            hive.as("ci", "drop", "the storm is over");
            PlaywrightAssertions.assertThat(page.locator(".events"))
                    .containsText(
                            "the storm is over",
                            new LocatorAssertions.ContainsTextOptions().setTimeout(PATIENCE_MS));
        } finally {
            others.forEach(BrowserContext::close);
        }
    }

    private void writeEvents() {
        long began = System.nanoTime();
        int written = 0;
        try (OutputStream out = Files.newOutputStream(log, StandardOpenOption.APPEND)) {
            while (written < STORM_S * EVENTS_A_SECOND) {
                long due = (System.nanoTime() - began) / 1_000_000 * EVENTS_A_SECOND / 1_000;
                StringBuilder lines = new StringBuilder();
                while (written < due) {
                    lines.append(event(Instant.now(), written++));
                }
                out.write(lines.toString().getBytes(StandardCharsets.UTF_8));
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long serverMiB() throws IOException {
        Path status = Path.of("/proc", String.valueOf(hive.server().pid()), "status");
        if (!Files.exists(status)) {
            return 0;
        }
        return Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("VmRSS:"))
                        .map(line -> Long.parseLong(line.replaceAll("\\D", "")))
                        .findFirst()
                        .orElse(0L)
                / 1_024;
    }

    private static double metric(CDPSession tools, String name) {
        JsonObject all = tools.send("Performance.getMetrics");
        for (var one : all.getAsJsonArray("metrics")) {
            if (one.getAsJsonObject().get("name").getAsString().equals(name)) {
                return one.getAsJsonObject().get("value").getAsDouble();
            }
        }
        throw new AssertionError("no metric " + name);
    }
}
