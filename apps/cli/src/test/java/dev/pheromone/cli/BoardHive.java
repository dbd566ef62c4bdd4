package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;

import dev.pheromone.address.Actor;
import dev.pheromone.cli.frame.Terminal;
import dev.pheromone.session.caller.Pairings;
import dev.pheromone.session.caller.UserFolder;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;

/// A hive with a board, served by `rsm up` in a process of its own, and people and agents in it.
final class BoardHive implements AutoCloseable {

    static final String PERSON = "you";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    final Path folder;
    final int port;
    private final Session session;
    private RsmProcess process;

    private BoardHive(Path folder, String settings) throws IOException {
        this.folder = folder;
        this.port = ServedProcess.freePort();
        this.session = new Session(folder);
        // Whatever is told of the past happened.
        session.setClock(Instant.now().minus(Duration.ofHours(2)));
        assertThat(session.rsm("init").exit()).isZero();
        Files.writeString(folder.resolve(".deia/hive.yaml"), "format: 1\n" + settings);
        this.process = launch();
    }

    static BoardHive start(Path folder) throws IOException {
        return start(folder, "");
    }

    /// @param settings what `hive.yaml` says
    static BoardHive start(Path folder, String settings) throws IOException {
        return new BoardHive(Files.createDirectories(folder).toRealPath(), settings);
    }

    private RsmProcess launch() throws IOException {
        RsmProcess started = RsmProcess.start(folder, "up", "--port", String.valueOf(port));
        await().atMost(PATIENCE).until(() -> !started.process().isAlive() || isUp());
        assertThat(started.process().isAlive()).as(started.errors()).isTrue();
        return started;
    }

    private boolean isUp() throws InterruptedException {
        return ServedProcess.isHealthy(URI.create("http://127.0.0.1:" + port + "/healthz"));
    }

    String url() {
        return "http://localhost:" + port + "/";
    }

    /// Runs `rsm` as somebody, in this process; returns what it printed.
    String as(String actor, String... words) {
        session.env.put("RSM_ACTOR", actor);
        Session.Result result = session.rsm(words);
        assertThat(result.exit()).as(result.err() + result.out()).isZero();
        return result.out();
    }

    /// The same, whatever becomes of it.
    Session.Result attempt(String actor, String... words) {
        session.env.put("RSM_ACTOR", actor);
        return session.rsm(words);
    }

    /// The person types `words` at a terminal, and then the word that is asked for, if any is.
    Session.Result type(String word, String... words) {
        now();
        Terminal before = session.terminal;
        session.terminal = new Terminal(true, true, true);
        session.env.put("RSM_ACTOR", PERSON);
        session.env.put("XDG_CONFIG_HOME", folder.resolve(".config").toString());
        try {
            return session.rsm(List.of(words), word + "\n");
        } finally {
            session.terminal = before;
            session.env.remove("XDG_CONFIG_HOME");
        }
    }

    /// Registers a passkey in the page, as a person does, and confirms it; returns its name.
    String makePasskey(Page page) {
        page.navigate(url() + "#/passkeys");
        page.getByText("Register a passkey").click();
        page.waitForSelector("main .unconfirmed");
        String kid = page.locator("main .unconfirmed code").first().textContent();
        Session.Result trusted = type(kid, "keys", "trust", kid);
        assertThat(trusted.exit()).as(trusted.err()).isZero();
        page.waitForCondition(() -> page.locator("main .unconfirmed").count() == 0);
        page.navigate(url() + "#/needs");
        page.waitForSelector("main .screen");
        return kid;
    }

    /// What a hook of an agent's program tells.
    void hook(String harness, String event, String json) {
        session.env.remove("RSM_ACTOR");
        Session.Result result = session.rsm(List.of("hook", harness, event), json);
        assertThat(result.exit()).as(result.err()).isZero();
    }

    /// Makes it so that no session of an agent showed a sign of life for so long.
    void silence(Duration duration) throws IOException {
        try (Stream<Path> seats = Files.list(folder.resolve(".deia/seats"))) {
            for (Path seat : seats.filter(Files::isRegularFile).toList()) {
                Files.setLastModifiedTime(seat, FileTime.from(Instant.now().minus(duration)));
            }
        }
    }

    void later(Duration duration) {
        session.later(duration);
    }

    /// A key of the person's, which the hive trusts, where the server's user has keys.
    void makeKey() throws IOException {
        as(PERSON, "keys", "new", "laptop");
        as(PERSON, "keys", "trust", "laptop", "--human", "--by", PERSON);
        Path made = folder.resolve("home/.config/pheromone");
        try (Stream<Path> files = Files.walk(made)) {
            for (Path file : files.toList()) {
                Path copy = folder.resolve(".config/pheromone").resolve(made.relativize(file));
                if (Files.isRegularFile(file) && !Files.exists(copy)) {
                    Files.createDirectories(copy.getParent());
                    Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
    }

    void now() {
        session.setClock(Instant.now());
    }

    /// The id of the mail that `rsm send --quiet` or the like printed.
    static String id(String printed) {
        return printed.strip();
    }

    Json.Obj json(String actor, String... words) throws Exception {
        return (Json.Obj) Json.parse(as(actor, words));
    }

    Pairings pairings() {
        return new Pairings(
                new UserFolder(folder.resolve(".config/pheromone")),
                folder,
                InstantSource.system());
    }

    /// The board as a person finds it behind the link of `rsm board`.
    Page open(BrowserContext person) throws IOException {
        Page page = person.newPage();
        page.navigate(url() + "#pair=" + pairings().newCode(Actor.parse(PERSON)));
        page.waitForSelector("main .screen");
        return page;
    }

    void kill() throws InterruptedException {
        process.process().destroyForcibly().waitFor();
    }

    void restart() throws IOException {
        process = launch();
    }

    ProcessHandle server() {
        return process.process().toHandle();
    }

    @Override
    public void close() {
        process.close();
    }
}
