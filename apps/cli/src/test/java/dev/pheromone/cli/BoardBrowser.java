package dev.pheromone.cli;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;

import dev.pheromone.disk.NotRun;
import dev.pheromone.disk.NpmPackages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A real Chromium, the system's, for a test of the board.
final class BoardBrowser implements AutoCloseable {

    private static final String PROGRAM = "chromium";

    /// A name of somebody else's, which leads to this machine.
    static final String REBOUND = "rebound.example";

    private final Playwright playwright;
    private final Browser browser;
    private final String axe;

    /// What a page said to its console that no page should: of any page of this browser.
    private final List<String> complaints = new ArrayList<>();

    private BoardBrowser(Playwright playwright, Browser browser, String axe) {
        this.playwright = playwright;
        this.browser = browser;
        this.axe = axe;
    }

    static BoardBrowser start(String test) throws IOException {
        Path program = program(test);
        NpmPackages packages = NpmPackages.forTest(test);
        System.setProperty("playwright.cli.dir", packages.driver().toString());
        Playwright playwright =
                Playwright.create(
                        new Playwright.CreateOptions()
                                .setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        try {
            Browser browser =
                    playwright
                            .chromium()
                            .launch(
                                    new BrowserType.LaunchOptions()
                                            .setExecutablePath(program)
                                            // A sandbox of its own is not to be had as root.
                                            .setArgs(
                                                    List.of(
                                                            "--no-sandbox",
                                                            "--disable-gpu",
                                                            "--disable-dev-shm-usage",
                                                            // A name that somebody points at this
                                                            // machine.
                                                            "--host-resolver-rules=MAP "
                                                                    + REBOUND
                                                                    + " 127.0.0.1")));
            return new BoardBrowser(
                    playwright, browser, Files.readString(packages.file("axe-core/axe.min.js")));
        } catch (RuntimeException e) {
            playwright.close();
            throw e;
        }
    }

    private static Path program(String test) {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(":")) {
            Path program = Path.of(folder).resolve(PROGRAM);
            if (Files.isExecutable(program)) {
                return program;
            }
        }
        if ("true".equals(System.getenv("CI"))) {
            throw new AssertionError("there is no " + PROGRAM + " on this machine");
        }
        throw NotRun.because(test, "there is no " + PROGRAM + " on this machine");
    }

    /// The window of a person who has never been here.
    BrowserContext person() {
        return person(new Browser.NewContextOptions());
    }

    BrowserContext person(Browser.NewContextOptions options) {
        BrowserContext person = browser.newContext(options.setLocale("en-GB"));
        person.setDefaultTimeout(15_000);
        person.onConsoleMessage(message -> {
            // A browser reports each answer that is no success, which some stories want.
            if (message.type().equals("error")
                    && !message.text().startsWith("Failed to load resource")) {
                complaints.add(message.text());
            }
        });
        person.onWebError(error -> complaints.add(error.error()));
        return person;
    }

    /// What pages complained of since this was asked last.
    List<String> takeComplaints() {
        List<String> taken = List.copyOf(complaints);
        complaints.clear();
        return taken;
    }

    /// What `axe` finds on a page that keeps people out: a line each, of serious things only.
    List<String> barriers(Page page) {
        page.evaluate(axe);
        Object found =
                page.evaluate(
                        """
                        async () => (await axe.run(document, {resultTypes: ["violations"]}))
                            .violations.filter(one => ["serious", "critical"].includes(one.impact))
                            .map(one => one.id + ": " + one.nodes.map(node =>
                                node.target + " " + node.failureSummary).join(" | "))
                        """);
        List<String> lines = new ArrayList<>();
        if (found instanceof List<?> all) {
            all.forEach(one -> lines.add(String.valueOf(one)));
        }
        return lines;
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }
}
