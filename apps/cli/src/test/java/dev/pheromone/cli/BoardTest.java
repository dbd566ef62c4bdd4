package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;

import dev.pheromone.address.Actor;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.GZIPOutputStream;

/// The board as people use it: in a real browser, by mouse and by keys, over a real server.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(240)
class BoardTest {

    private static final List<String> SCREENS =
            List.of("needs", "mail", "agents", "locks", "log", "promises", "search", "passkeys");

    private static final Path PICTURES = Path.of("target", "board");

    /// The pictures that documents show; `-Drsm.pictures=true` makes them anew.
    private static final Set<String> SHOWN =
            Set.of("needs", "frozen", "mail-dark", "letter-light", "passkey-sheet");

    @TempDir Path folder;

    private BoardBrowser browser;
    private BoardHive hive;
    private BrowserContext person;

    @BeforeAll
    void startBrowser() throws Exception {
        browser = BoardBrowser.start("BoardTest");
        PlaywrightAssertions.setDefaultAssertionTimeout(30_000);
        Files.createDirectories(PICTURES);
    }

    @AfterAll
    void closeBrowser() {
        if (browser != null) {
            browser.close();
        }
    }

    @AfterEach
    void close() {
        if (person != null) {
            person.close();
        }
        if (hive != null) {
            hive.close();
        }
        assertThat(browser.takeComplaints()).as("what pages complained of").isEmpty();
    }

    /// A hive in which ten agents have been at work.
    private String makeBusyHive() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.as(
                "claude-7f3a",
                "send",
                "--to",
                "code",
                "Review the parser\n\nIt drops *trailing* commas.",
                "--priority",
                "P1");
        hive.as("ci", "send", "--to", "code", "--create", "Rebuild the image");
        hive.as("docs-bot", "send", "--to", "docs", "The README shows an old flag");
        makeDead();
        for (int i = 0; i < 70; i++) {
            hive.attempt("chatty", "send", "--to", "ops", "status update " + i);
        }
        seat("claude", "7f3a0000-1111-2222-3333-444455556666");
        hive.silence(Duration.ofMinutes(20));
        hive.later(Duration.ofMinutes(50));
        hive.as("gemini-2c", "select", "docs");
        hive.as("copilot-9", "drop", "tests are slow");
        hive.as("opencode-1", "reserve", "src/parser/**", "--why", "rewriting the lexer");
        hive.as("builder", "lock", "do-not-alter", "docs/**", "--reason", "translated this week");
        hive.as(
                "codex-19be",
                "send",
                "--to",
                "user://you",
                "--create",
                "Main is red\n\nSince 14:02, `make check` fails.",
                "--priority",
                "P0");
        hive.now();
        return BoardHive.id(
                hive.as(
                        "claude-7f3a",
                        "ask",
                        "user://you",
                        "Merge the parser now?",
                        "--choice",
                        "yes",
                        "--choice",
                        "no",
                        "--deadline",
                        "30m",
                        "--quiet"));
    }

    private void makeDead() {
        hive.as("codex-19be", "send", "--to", "bugs", "Bisect the crash");
        for (int i = 0; i < 5; i++) {
            hive.as("worker-1", "select", "bugs");
            String claim =
                    hive.as("worker-1", "status", "--json")
                            .replaceAll("(?s).*\"claim\":\"([^\"]+)\".*", "$1");
            hive.as("worker-1", "ack", claim, "error", "no such commit, try " + (i + 1));
            hive.later(Duration.ofMinutes(10));
        }
    }

    private void seat(String harness, String session) {
        for (String event : List.of("SessionStart", "UserPromptSubmit")) {
            hive.hook(
                    harness,
                    event,
                    Json.obj()
                            .put("session_id", session)
                            .put("cwd", hive.folder.toString())
                            .put("hook_event_name", event)
                            .put("prompt", "go on")
                            .put("source", "startup")
                            .toString());
        }
    }

    private Page open() throws Exception {
        person = browser.person();
        return hive.open(person);
    }

    private static void go(Page page, String screen) {
        page.navigate(page.url().replaceAll("#.*", "#/" + screen));
        page.waitForSelector("main .screen h1");
        PlaywrightAssertions.assertThat(page.locator("main p.waiting")).hasCount(0);
    }

    private static Locator named(Page page, AriaRole role, String name) {
        return page.getByRole(role, new Page.GetByRoleOptions().setName(name));
    }

    private static void picture(Page page, String name) {
        page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve(name + ".png")));
        if (Boolean.getBoolean("rsm.pictures") && SHOWN.contains(name)) {
            page.screenshot(
                    new Page.ScreenshotOptions()
                            .setPath(
                                    Path.of("..", "..", "docs", "pictures")
                                            .resolve("board-" + name + ".png")));
        }
    }

    /// How often the person clicked since the last deed was done.
    private int clicks;

    private void click(Locator what) {
        what.click();
        clicks++;
    }

    private void assertDoneWithin(int clicksMax) {
        assertThat(clicks).as("clicks").isBetween(1, clicksMax);
        clicks = 0;
    }

    @Test
    void aPersonSeesWhatNeedsThemAndTakesCareOfItWithFewClicks() throws Exception {
        String question = makeBusyHive();
        Page page = open();
        Locator needs = page.locator("main .need");
        PlaywrightAssertions.assertThat(needs.first()).containsText("Merge the parser now?");
        PlaywrightAssertions.assertThat(page.locator("main")).containsText("Main is red");
        PlaywrightAssertions.assertThat(page.locator("main")).containsText("Bisect the crash");
        PlaywrightAssertions.assertThat(page.locator("main")).containsText("no such commit, try 5");
        PlaywrightAssertions.assertThat(page.locator("main")).containsText("chatty");
        PlaywrightAssertions.assertThat(page.locator(".need.silent")).containsText("claude-");
        assertThat(page.title()).startsWith("(");
        picture(page, "needs");
        BoardAuthenticator _ = BoardAuthenticator.in(page);
        String kid = hive.makePasskey(page);
        clicks = 0;

        // Answer, proven.
        click(named(page, AriaRole.BUTTON, "yes"));
        PlaywrightAssertions.assertThat(page.locator("dialog[open] .command"))
                .containsText("rsm reply");
        click(named(page, AriaRole.BUTTON, "Send the answer"));
        PlaywrightAssertions.assertThat(page.locator(".need.question")).hasCount(0);
        assertDoneWithin(3);
        Json.Obj answered = hive.json("claude-7f3a", "ask", "--status", question, "--json");
        assertThat(answered.text("state")).isEqualTo("answered");
        assertThat(answered.text("answer")).isEqualTo("yes");
        assertThat(answered.text("proof")).isEqualTo("passkey");

        // Send the dead one again.
        page.mouse().move(0, 0);
        click(page.locator(".need.dead").getByText("Send again"));
        click(page.locator("dialog[open] button[type=submit]"));
        PlaywrightAssertions.assertThat(page.locator(".said")).containsText("bugs: delivered");
        assertDoneWithin(3);
        assertThat(hive.json("you", "inbox", "bugs", "--json").number("count")).isEqualTo(1);

        // Mute, which is for people.
        page.mouse().move(0, 0);
        click(page.locator(".need.refused").getByText("Mute"));
        PlaywrightAssertions.assertThat(page.locator("dialog[open] .command"))
                .containsText("rsm mute chatty --for 1h");
        picture(page, "passkey-sheet");
        click(page.locator("dialog[open] button[type=submit]"));
        PlaywrightAssertions.assertThat(page.locator(".said")).containsText("chatty is muted");
        assertDoneWithin(3);
        assertThat(hive.as("you", "mute")).contains("chatty");

        // Lift a freeze, and release what it kept.
        hive.as("builder", "lock", "hive", "--reason", "release in progress");
        hive.attempt("ci", "send", "--to", "code", "sent under the freeze");
        PlaywrightAssertions.assertThat(page.locator("main h1")).hasText("The hive is frozen");
        PlaywrightAssertions.assertThat(page.locator("main")).containsText("release in progress");
        picture(page, "frozen");
        click(named(page, AriaRole.BUTTON, "Lift the lock ▲"));
        click(page.locator("dialog[open] button[type=submit]"));
        PlaywrightAssertions.assertThat(page.locator("main h1")).hasText("Needs you");
        assertDoneWithin(3);
        click(page.locator(".need.embargo").getByText("Look and release"));
        click(named(page, AriaRole.BUTTON, "Release all 1 ▲"));
        PlaywrightAssertions.assertThat(page.locator("dialog[open] .command"))
                .containsText("rsm embargo release --yes");
        Request released =
                page.waitForRequest(
                        "**/deeds/release",
                        () -> click(page.locator("dialog[open] button[type=submit]")));
        assertThat(released.postData()).as("what the sheet shows").doesNotContain("\"ids\":[]");
        PlaywrightAssertions.assertThat(page.locator(".said")).containsText("released: delivered");
        assertDoneWithin(3);
        assertThat(hive.as("you", "inbox", "code")).contains("sent under the freeze");
        assertThat(hive.as("you", "audit")).contains("0 violations");
        assertThat(hive.as("you", "log", "--type", "lock_lifted")).contains("passkey " + kid);
    }

    @Test
    void withoutAPasskeyWhatIsForPeopleIsACommandToType() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.now();
        hive.as("builder", "lock", "hive", "--reason", "release in progress");
        Page page = open();
        named(page, AriaRole.BUTTON, "Lift the lock ▲").click();
        PlaywrightAssertions.assertThat(page.locator("dialog[open] .command"))
                .containsText("rsm unlock hive");
        assertThat(page.locator("dialog[open] button[type=submit]").count()).isZero();
        page.keyboard().press("Escape");
        PlaywrightAssertions.assertThat(page.locator("dialog[open]")).hasCount(0);
    }

    @Test
    void aPasskeyIsRegisteredInThePageAndConfirmedAtTheTerminal() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.now();
        Page page = open();
        BoardAuthenticator finger = BoardAuthenticator.in(page);
        named(page, AriaRole.LINK, "Passkeys").click();
        picture(page, "passkeys-none");
        finger.setVerified(false);
        named(page, AriaRole.BUTTON, "Register a passkey").click();
        PlaywrightAssertions.assertThat(page.locator("main .trouble"))
                .containsText("no passkey was made");
        finger.setVerified(true);
        named(page, AriaRole.BUTTON, "Register a passkey").click();
        Locator notice = page.locator("main .unconfirmed");
        PlaywrightAssertions.assertThat(notice).containsText("is not confirmed");
        picture(page, "passkeys-unconfirmed");
        assertThat(browser.barriers(page)).isEmpty();
        page.setViewportSize(320, 700);
        picture(page, "passkeys-320");
        assertThat(page.evaluate("document.documentElement.scrollWidth")).isEqualTo(320);
        page.setViewportSize(1280, 720);
        go(page, "needs");
        PlaywrightAssertions.assertThat(notice).containsText("rsm keys trust you-pk-");
        hive.as("builder", "lock", "do-not-alter", "docs/**");
        go(page, "locks");
        page.getByText("lift ▲").click();
        assertThat(page.locator("dialog[open] button[type=submit]").count()).isZero();
        page.keyboard().press("Escape");

        String kid = notice.locator("code").first().textContent();
        Session.Result trusted = hive.type(kid, "keys", "trust", kid);
        assertThat(trusted.out()).contains("this hive trusts passkey " + kid);
        PlaywrightAssertions.assertThat(notice).hasCount(0);

        finger.setVerified(false);
        page.getByText("lift ▲").click();
        page.locator("dialog[open] button[type=submit]").click();
        PlaywrightAssertions.assertThat(page.locator("dialog[open] .trouble"))
                .containsText("nothing was done");
        picture(page, "passkey-refused");
        assertThat(browser.barriers(page)).isEmpty();
        assertThat(hive.as("builder", "lock")).contains("docs/**");
        finger.setVerified(true);
        page.locator("dialog[open] button[type=submit]").click();
        PlaywrightAssertions.assertThat(page.locator(".said")).containsText("the lock is lifted");
        assertThat(hive.as("builder", "lock")).doesNotContain("docs/**");

        // Given up, it does nothing more.
        hive.as("builder", "lock", "do-not-alter", "src/**");
        assertThat(hive.type(kid, "keys", "revoke", kid).exit()).isZero();
        page.getByText("lift ▲").click();
        PlaywrightAssertions.assertThat(page.locator("dialog[open] button[type=submit]"))
                .hasCount(0);
        assertThat(hive.as("builder", "audit")).contains("0 violations");
    }

    @Test
    void everyScreenIsWithinReachOfEverybody() throws Exception {
        String question = makeBusyHive();
        for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            person = browser.person(new Browser.NewContextOptions().setColorScheme(scheme));
            Page page = hive.open(person);
            List<String> screens = new ArrayList<>(SCREENS);
            screens.add("letter/" + question);
            screens.add("mail?state=dead");
            screens.add("search?q=parser");
            for (String screen : screens) {
                go(page, screen);
                picture(
                        page,
                        screen.replaceAll("/.*", "").replaceAll("[^a-z]+", "-")
                                + "-"
                                + scheme.name().toLowerCase(Locale.ROOT));
                assertThat(browser.barriers(page)).as(screen + ", " + scheme).isEmpty();
            }
            person.close();
        }
    }

    @Test
    void aNarrowScreenNeedsNoScrollingToTheSide() throws Exception {
        String question = makeBusyHive();
        person = browser.person(new Browser.NewContextOptions().setViewportSize(320, 640));
        Page page = hive.open(person);
        List<String> screens = new ArrayList<>(SCREENS);
        screens.add("letter/" + question);
        for (String screen : screens) {
            go(page, screen);
            picture(page, "narrow-" + screen.replaceAll("/.*", ""));
            assertThat(page.evaluate("document.documentElement.scrollWidth"))
                    .as(screen)
                    .isEqualTo(320);
        }
    }

    @Test
    void allIsDoneByKeysAlone() throws Exception {
        String question = makeBusyHive();
        Page page = open();
        PlaywrightAssertions.assertThat(page.locator(".need.question")).hasCount(1);
        page.keyboard().press("j");
        page.keyboard().press("2");
        PlaywrightAssertions.assertThat(page.locator("dialog[open]")).containsText("no");
        page.keyboard().press("Enter");
        PlaywrightAssertions.assertThat(page.locator(".need.question")).hasCount(0);
        assertThat(hive.json("claude-7f3a", "ask", "--status", question, "--json").text("answer"))
                .isEqualTo("no");

        for (List<String> key :
                List.of(
                        List.of("m", "Mail"),
                        List.of("a", "Agents"),
                        List.of("l", "Locks"),
                        List.of("e", "Log"),
                        List.of("p", "Promises"),
                        List.of("/", "Search"))) {
            page.keyboard().press(key.getFirst());
            PlaywrightAssertions.assertThat(page.locator("main h1")).hasText(key.getLast());
            page.evaluate("document.activeElement.blur()");
        }
        page.keyboard().press("Control+k");
        page.keyboard().type("inbox code");
        page.keyboard().press("Enter");
        PlaywrightAssertions.assertThat(page.locator(".mail").first())
                .containsText("Review the parser");
        page.evaluate("document.activeElement.blur()");
        page.keyboard().press("j");
        page.keyboard().press("Enter");
        PlaywrightAssertions.assertThat(page.locator("main h1")).hasText("Review the parser");
        PlaywrightAssertions.assertThat(page.locator(".legs").first()).containsText("no evidence");
        page.keyboard().press("r");
        page.keyboard().type("It is fine");
        page.keyboard().press("Tab");
        page.keyboard().press("Tab");
        page.keyboard().press("Tab");
        page.keyboard().press("Tab");
        page.keyboard().press("Enter");
        PlaywrightAssertions.assertThat(page.locator(".said")).containsText("delivered");
        page.keyboard().press("Escape");
        PlaywrightAssertions.assertThat(page.locator("main h1")).hasText("Mail");
        page.keyboard().press("?");
        PlaywrightAssertions.assertThat(page.locator("dialog[open]")).containsText("search");
    }

    @Test
    void aCommentLeavesAQuestionOpenAndWhatIsPutOffComesBack() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.now();
        String question =
                BoardHive.id(
                        hive.as(
                                "claude-7f3a",
                                "ask",
                                "user://you",
                                "Which branch?",
                                "--create",
                                "--choice",
                                "main",
                                "--choice",
                                "next",
                                "--quiet"));
        Page page = open();
        page.locator(".need.question").getByText("Comment").click();
        page.keyboard().type("--what do the tests say?");
        PlaywrightAssertions.assertThat(page.locator("dialog[open] .command"))
                .containsText("--comment");
        named(page, AriaRole.BUTTON, "Send").last().click();
        PlaywrightAssertions.assertThat(page.locator(".said")).containsText("delivered");
        assertThat(hive.json("claude-7f3a", "ask", "--status", question, "--json").text("state"))
                .isEqualTo("open");
        assertThat(hive.as("claude-7f3a", "inbox", "worker://claude-7f3a"))
                .contains("Re: Which branch?");

        page.locator(".need.question").getByText("later").click();
        PlaywrightAssertions.assertThat(page.locator(".need.question")).hasCount(0);
        PlaywrightAssertions.assertThat(page.locator("main")).containsText("1 put off");
        page.locator("main").getByText("show").click();
        PlaywrightAssertions.assertThat(page.locator(".need.question")).hasCount(1);
    }

    @Test
    void aPersonWhoLooksElsewhereIsToldOnceOfWhatNeedsThem() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.now();
        person = browser.person();
        person.grantPermissions(List.of("notifications"));
        // A window behind others, in which each notification is also written down.
        person.addInitScript(
                """
                document.hasFocus = () => false;
                window.told = [];
                window.Notification = class extends Notification {
                    constructor(title, options) {
                        super(title, options);
                        window.told.push(title + "; " + options.body);
                    }
                };
                """);
        Page page = hive.open(person);
        named(page, AriaRole.BUTTON, "Notifications off").click();
        PlaywrightAssertions.assertThat(named(page, AriaRole.BUTTON, "Notifications on"))
                .isVisible();
        hive.as(
                "ci",
                "send",
                "--to",
                "user://you",
                "--create",
                "--priority",
                "P0",
                "a secret plan");
        PlaywrightAssertions.assertThat(page.locator(".need")).hasCount(1);
        hive.as("ci", "send", "--to", "code", "something else");
        PlaywrightAssertions.assertThat(page.locator("footer")).containsText("2 mails");
        assertThat(page.evaluate("window.told")).isEqualTo(List.of("Urgent mail for you; from ci"));
        assertThat(page.title()).isEqualTo("(1) Pheromone");
        assertThat(page.locator("#icon").getAttribute("href")).contains("dc2626");
    }

    @Test
    void noKeyOfAPersonSignsForThePage() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.now();
        hive.makeKey();
        hive.as(
                "claude-7f3a",
                "ask",
                "user://you",
                "Merge?",
                "--create",
                "--choice",
                "yes",
                "--choice",
                "no");
        Page page = open();
        named(page, AriaRole.BUTTON, "yes").click();
        named(page, AriaRole.BUTTON, "Send the answer").click();
        PlaywrightAssertions.assertThat(page.locator("dialog[open] .trouble"))
                .containsText("nothing is signed");
        assertThat(hive.as("claude-7f3a", "ask", "--list")).contains("Merge?");
        assertThat(hive.json("you", "inbox", "worker://claude-7f3a", "--json").number("count"))
                .isZero();
    }

    /// What a browser fetches before it shows anything.
    @Test
    void thePageIsSmall() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        person = browser.person();
        Page page = person.newPage();
        List<String> fetched = new ArrayList<>();
        int[] bytes = {0};
        page.onResponse(response -> {
            fetched.add(response.url());
            try (ByteArrayOutputStream packed = new ByteArrayOutputStream()) {
                try (GZIPOutputStream packer = new GZIPOutputStream(packed)) {
                    packer.write(response.body());
                }
                bytes[0] += packed.size();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        page.navigate(hive.url());
        page.waitForSelector("main .screen, main.screen");
        System.out.println("board: " + bytes[0] + " bytes packed in " + fetched.size() + " files");
        assertThat(fetched).hasSizeGreaterThan(10);
        assertThat(bytes[0]).isLessThan(150_000);
    }

    @Test
    void anEmptyHiveTeaches() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.now();
        Page page = open();
        for (String screen : SCREENS) {
            go(page, screen);
            if (!screen.equals("search")) {
                PlaywrightAssertions.assertThat(page.locator("main .empty").first()).isVisible();
            }
            picture(page, "empty-" + screen);
        }
    }

    @Test
    void hostileTextIsTextOnEveryScreen() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        String markup = "<img src=x onerror=alert(1)><script>alert(2)</script>";
        String unseen = "\u202egnp.exe\u200b\u001b[31mred\u0007";
        String body =
                markup
                        + "\n\n[click](javascript:alert(3)) ![p](https://example.org/p.png) "
                        + unseen
                        + "\n\n"
                        + "<svg onload=alert(4)> ".repeat(2_900);
        hive.now();
        hive.as(
                "mallory",
                "send",
                "--to",
                "user://you",
                "--create",
                "--topic",
                markup,
                "--priority",
                "P0",
                body);
        String id =
                BoardHive.id(
                        hive.as(
                                "mallory",
                                "ask",
                                "user://you",
                                markup,
                                "--choice",
                                "<b>yes</b>",
                                "--choice",
                                "no",
                                "--quiet"));
        hive.as("mallory", "drop", markup);
        hive.as("mallory", "send", "--to", "bugs", "--topic", markup, "x");
        hive.as("w", "select", "bugs");
        person = browser.person();
        List<String> asked = new ArrayList<>();
        Page page = hive.open(person);
        page.onDialog(dialog -> {
            asked.add(dialog.message());
            dialog.dismiss();
        });
        page.onRequest(request -> {
            if (!request.url().startsWith(hive.url()) && !request.url().startsWith("data:")) {
                asked.add(request.url());
            }
        });
        List<String> screens = new ArrayList<>(SCREENS);
        screens.add("letter/" + id);
        screens.add("mail?state=active");
        screens.add("search?q=alert");
        for (String screen : screens) {
            go(page, screen);
            assertThat(
                            page.locator(
                                            "main img:not(.chart img), main script, main svg, main"
                                                    + " b, main iframe")
                                    .count())
                    .as(screen)
                    .isZero();
        }
        String first =
                hive.json("you", "inbox", "user://you", "--json")
                        .toString()
                        .replaceAll("(?s).*?\"id\":\"([^\"]+)\".*", "$1");
        go(page, "letter/" + first);
        PlaywrightAssertions.assertThat(page.locator("main h1")).containsText("<img src=x");
        PlaywrightAssertions.assertThat(page.locator(".body"))
                .containsText("\\u{202e}gnp.exe\\u{200b}\\u{1b}[31mred\\u{7}");
        assertThat(String.valueOf(page.locator("main").innerText()))
                .doesNotContain("\u202e", "\u001b");
        picture(page, "hostile");
        assertThat(asked).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[](a", "[", "# [](", "*a**a_`b~~", "> [](", "1. [](a "})
    void aTextOfNothingButMarksIsShownAtOnce(String marks) throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.now();
        String spaces = "# " + " ".repeat(20_000) + "a\u2028b";
        String body = marks.repeat(40_000 / marks.length()) + "\n" + spaces;
        String id =
                BoardHive.id(
                        hive.as(
                                "mallory", "send", "--to", "code", "--topic", "x", "--quiet",
                                body));
        Page page = open();
        go(page, "letter/" + id);
        PlaywrightAssertions.assertThat(page.locator(".body h3").last()).containsText("a");
    }

    @Test
    void whatWasSentAndNotConfirmedIsSentAgainOnce() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.now();
        hive.as("ci", "send", "--to", "code", "--create", "hello");
        Page page = open();
        AtomicBoolean isLost = new AtomicBoolean(true);
        page.route(
                "**/deeds/*",
                route -> {
                    if (isLost.getAndSet(false)) {
                        // The hive has it, and the page does not hear of that.
                        route.fetch();
                        route.abort();
                    } else {
                        route.resume();
                    }
                });
        page.keyboard().press("c");
        page.locator("#field-to").fill("code");
        page.locator("#field-text").fill("once is enough");
        Locator send = named(page.locator("dialog"), "Send");
        send.click();
        PlaywrightAssertions.assertThat(page.locator("dialog .trouble")).containsText("not known");
        send.click();
        PlaywrightAssertions.assertThat(page.locator("dialog.sheet")).hasCount(0);
        assertThat(hive.as("you", "inbox", "code").split("once is enough", -1)).hasSize(2);
    }

    @Test
    void aDeedThatEndsLateClosesNoOtherSheet() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.now();
        hive.as("ci", "send", "--to", "code", "--create", "hello");
        Page page = open();
        List<Route> held = new ArrayList<>();
        page.route("**/deeds/*", held::add);
        page.keyboard().press("c");
        page.locator("#field-to").fill("code");
        page.locator("#field-text").fill("the first");
        named(page.locator("dialog"), "Send").click();
        page.waitForCondition(() -> held.size() == 1);
        named(page.locator("dialog"), "Cancel").click();
        page.keyboard().press("c");
        page.locator("#field-text").fill("the second");
        held.getFirst().resume();
        PlaywrightAssertions.assertThat(page.locator(".said")).containsText("sent");
        PlaywrightAssertions.assertThat(page.locator("#field-text")).hasValue("the second");
        PlaywrightAssertions.assertThat(named(page.locator("dialog"), "Send")).isEnabled();
    }

    private static Locator named(Locator place, String name) {
        return place.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(name));
    }

    @Test
    void aServerThatComesBackIsFollowedWithoutAGap() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.now();
        Page page = open();
        go(page, "log");
        hive.as("ci", "drop", "before the end");
        PlaywrightAssertions.assertThat(page.locator(".events")).containsText("before the end");
        hive.kill();
        hive.now();
        hive.as("ci", "drop", "while it was away");
        PlaywrightAssertions.assertThat(page.locator(".distance")).isVisible();
        picture(page, "away");
        hive.restart();
        PlaywrightAssertions.assertThat(page.locator(".events")).containsText("while it was away");
        PlaywrightAssertions.assertThat(page.locator(".distance")).hasCount(0);
        assertThat(page.locator(".events").getByText("before the end").count()).isEqualTo(1);
    }

    @Test
    void whoeverIsNotPairedSeesNothing() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.now();
        hive.as("ci", "send", "--to", "code", "a word for the team");
        person = browser.person();
        Page page = person.newPage();
        page.navigate(hive.url());
        PlaywrightAssertions.assertThat(page.locator("main h1")).containsText("not paired");
        picture(page, "unpaired");
        page.locator("#code").fill("nonsense");
        named(page, AriaRole.BUTTON, "Pair").click();
        PlaywrightAssertions.assertThat(page.locator(".trouble")).containsText("rsm board");

        String code = hive.pairings().newCode(Actor.parse(BoardHive.PERSON));
        page.locator("#code").fill(code);
        named(page, AriaRole.BUTTON, "Pair").click();
        PlaywrightAssertions.assertThat(page.locator("main h1")).hasText("Needs you");
        try (BrowserContext other = browser.person()) {
            Page late = other.newPage();
            late.navigate(hive.url() + "#pair=" + code);
            PlaywrightAssertions.assertThat(late.locator(".trouble")).containsText("used");
        }
        // Whoever takes all pairings back ends this one.
        assertThat(hive.pairings().forget()).isEqualTo(1);
        page.reload();
        PlaywrightAssertions.assertThat(page.locator("main h1")).containsText("not paired");
        assertThat(String.valueOf(page.locator("body").innerText()))
                .doesNotContain("a word for the team");
    }

    @Test
    void tabsShareOneStream() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.now();
        Page first = open();
        List<Page> tabs = new ArrayList<>(List.of(first));
        for (int i = 0; i < 8; i++) {
            Page tab = person.newPage();
            tab.navigate(hive.url() + "#/log");
            tabs.add(tab);
        }
        hive.as("ci", "drop", "heard in every tab");
        for (Page tab : tabs.subList(1, tabs.size())) {
            PlaywrightAssertions.assertThat(tab.locator(".events"))
                    .containsText("heard in every tab");
        }
        // The one that follows the log for all goes, and another goes on.
        first.close();
        hive.as("ci", "drop", "heard all the same");
        for (Page tab : tabs.subList(1, tabs.size())) {
            PlaywrightAssertions.assertThat(tab.locator(".events"))
                    .containsText("heard all the same");
        }
    }

    @Test
    void aListDoesNotMoveWhileItIsRead() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.now();
        hive.as("ci", "send", "--to", "code", "the first");
        Page page = open();
        go(page, "mail?address=queen%3A%2F%2Fcode");
        page.locator(".mail").first().hover();
        hive.as("ci", "send", "--to", "code", "a more urgent one", "--priority", "P0");
        PlaywrightAssertions.assertThat(page.locator(".fresh")).containsText("1 new");
        PlaywrightAssertions.assertThat(page.locator(".mail").first()).containsText("the first");
        page.locator(".fresh").click();
        PlaywrightAssertions.assertThat(page.locator(".mail").first())
                .containsText("a more urgent one");
    }

    @Test
    void aPageOfSomebodyElseGetsNothing() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.now();
        hive.as("ci", "send", "--to", "code", "a word for the team");
        Page page = open();
        assertThat(page.locator("main h1").innerText()).isEqualTo("Needs you");
        try (StaticPage foreign = StaticPage.start()) {
            Page other = person.newPage();
            other.navigate(foreign.url());
            for (String path :
                    List.of("v1/board/who", "v1/board/looks/status", "rse/sse", "v1/status", "")) {
                Object got =
                        other.evaluate(
                                """
                                url => fetch(url, {credentials: "include"})
                                    .then(answer => answer.text(), () => "nothing")
                                """,
                                hive.url() + path);
                assertThat(got).as(path).isEqualTo("nothing");
            }
            assertThat(browser.takeComplaints()).allMatch(one -> one.contains("CORS policy"));
            // By its own name for our address: as after a name was pointed here.
            other.evaluate(
                    """
                    url => {
                        const frame = document.createElement("iframe");
                        frame.src = url;
                        document.body.append(frame);
                    }
                    """,
                    hive.url());
            await().during(Duration.ofMillis(500))
                    .until(() ->
                            other.frames().stream()
                                    .noneMatch(frame -> frame.locator(".top").count() > 0));
        }
    }

    @Test
    void aNameThatIsPointedHereGetsNothing() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.now();
        hive.as("ci", "send", "--to", "code", "a word for the team");
        Page page = open();
        Object secret = page.evaluate("localStorage.getItem('rsm.board.secret')");
        Page other = person.newPage();
        String url = "http://" + BoardBrowser.REBOUND + ":" + hive.port + "/";
        assertThat(other.navigate(url).status()).isEqualTo(421);
        assertThat(other.locator(".top").count()).isZero();
        assertThat(other.evaluate("localStorage.getItem('rsm.board.secret')")).isNull();
        // Even with the secret, which it can't have.
        for (String path : List.of("v1/board/who", "v1/board/looks/status", "v1/status")) {
            Object status =
                    other.evaluate(
                            """
                            ([url, secret]) => fetch(url, {headers: {Authorization: "Bearer " + secret}})
                                .then(answer => answer.status)
                            """,
                            List.of(url + path, secret));
            assertThat(status).as(path).isEqualTo(421);
        }
    }

    @Test
    void aPasskeyThatAnotherPortOfThisMachineAskedForCountsForNothing() throws Exception {
        hive = BoardHive.start(folder.resolve("hive"));
        hive.now();
        hive.as("ci", "send", "--to", "code", "--create", "work");
        Page page = open();
        BoardAuthenticator _ = BoardAuthenticator.in(page);
        String _ = hive.makePasskey(page);
        Object secret = page.evaluate("localStorage.getItem('rsm.board.secret')");
        // A program that is paired asks, and has a page of its own show what it was asked.
        Json.Obj asked = mute(String.valueOf(secret), Json.obj(), 403).object("passkey");
        try (StaticPage foreign = StaticPage.start()) {
            page.navigate(foreign.url().replace("127.0.0.1", "localhost"));
            Object shown =
                    page.evaluate(
                            """
                            async asked => {
                                const bytes = text => Uint8Array.from(
                                    atob(text.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));
                                const text = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer)))
                                    .replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
                                asked = JSON.parse(asked);
                                const {rawId, response} = await navigator.credentials.get({publicKey: {
                                    challenge: bytes(asked.challenge), rpId: "localhost", userVerification: "required",
                                    allowCredentials: asked.credentials.map(id => ({type: "public-key", id: bytes(id)}))}});
                                return JSON.stringify({nonce: asked.nonce, credential: text(rawId),
                                    client: text(response.clientDataJSON), authenticator: text(response.authenticatorData),
                                    signature: text(response.signature)});
                            }
                            """,
                            asked.toString());
            Json.Obj refused =
                    mute(
                            String.valueOf(secret),
                            Json.obj().put("assertion", Json.parse(String.valueOf(shown))),
                            403);
            assertThat(refused.text("detail"))
                    .contains("another page asked for it than this board's");
        }
        assertThat(hive.as("you", "mute")).contains("nobody is muted");
    }

    /// What the server says to a deed of whoever has the secret.
    private Json.Obj mute(String secret, Json.Obj shown, int status) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(hive.url() + "v1/board/deeds/mute"))
                        .header("Authorization", "Bearer " + secret)
                        .header("Content-Type", "application/json")
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        shown.put("actor", "noisy").toString()))
                        .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> answer =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
            return (Json.Obj) Json.parse(answer.body());
        }
    }
}
