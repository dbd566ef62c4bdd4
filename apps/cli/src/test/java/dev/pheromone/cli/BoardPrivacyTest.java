package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.text.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Of private mail between others the board tells no more than that there is some.
final class BoardPrivacyTest {

    private static final String MARK = "xyzzyplugh";
    private static final String SENDER = "frobozz";

    /// The log says of each who acts under a lock, and not with what mail.
    private static final String UNDER_LOCK = "grue";

    @TempDir Path folder;
    private Session session;
    private PairedBrowser browser;

    /// Private mail between others, by what became of it.
    private final Map<String, String> ids = new LinkedHashMap<>();

    @BeforeEach
    void makeAHive() throws Exception {
        session = new Session(folder.toRealPath());
        run("init");
        Files.writeString(folder.resolve(".deia/hive.yaml"), "attempts: 1\n");
        for (String state : List.of("waiting", "claimed", "done", "dead", "expired", "asking")) {
            List<String> words =
                    new ArrayList<>(
                            List.of("--actor", SENDER, "send", "--create", "--to", "worker://bob"));
            words.addAll(List.of("--consent", "private", "--topic", MARK + " " + state));
            words.addAll(List.of("--tag", MARK, "--scope", "src/" + MARK));
            words.addAll(
                    List.of("--priority", "P1", "--ttl", state.equals("expired") ? "2m" : "1d"));
            if (state.equals("asking")) {
                words.addAll(List.of("--choice", MARK, "--choice", "no"));
            }
            words.add("the body says " + MARK);
            String id = json(words.toArray(String[]::new)).text("id");
            ids.put(state, id);
            switch (state) {
                case "claimed" -> {
                    take(id);
                    bob("ack", id, "accepted", "a note with " + MARK);
                }
                case "done" -> {
                    take(id);
                    bob("ack", id, "done", "a note with " + MARK);
                }
                case "dead" -> {
                    take(id);
                    bob("ack", id, "error", "a reason with " + MARK);
                }
                default -> {}
            }
        }
        session.later(Duration.ofMinutes(5));
        run("status");
        run("--actor", SENDER, "drop", MARK, "--ref", ids.get("waiting"), "--tag", MARK);
        Files.writeString(
                folder.resolve(".deia/telemetry/rse.jsonl"),
                "{\"torn\": \"" + MARK + "\n",
                StandardOpenOption.APPEND);
        Files.writeString(folder.resolve(".deia/inbox/worker-bob/note.md"), MARK + "\n");
        Files.createFile(folder.resolve(".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock"));
        Session.Result kept =
                session.rsm(
                        "--actor",
                        UNDER_LOCK,
                        "send",
                        "--to",
                        "worker://bob",
                        "--consent",
                        "private",
                        "--topic",
                        MARK,
                        MARK);
        assertThat(kept.exit()).isEqualTo(3);
        Files.delete(folder.resolve(".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock"));
        browser = new PairedBrowser(session, "ada");
    }

    @AfterEach
    void close() throws Exception {
        if (browser != null) {
            browser.close();
        }
    }

    private Session.Result run(String... words) {
        Session.Result result = session.rsm(words);
        assertThat(result.exit()).as(result.err()).isZero();
        return result;
    }

    private Json.Obj json(String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of(words));
        line.addFirst("--json");
        return (Json.Obj) Json.parse(run(line.toArray(String[]::new)).out());
    }

    private void bob(String... words) {
        List<String> line = new ArrayList<>(List.of(words));
        line.addAll(0, List.of("--actor", "bob"));
        Session.Result _ = run(line.toArray(String[]::new));
    }

    /// The only mail that waits for bob while this is called is the one with this id, or older.
    private void take(String id) {
        for (int i = 0; i < ids.size(); i++) {
            Session.Result taken = session.rsm("--actor", "bob", "select", "--json");
            if (taken.out().contains(id)) {
                return;
            }
        }
        throw new IllegalStateException("not taken: " + id);
    }

    private static void assertTellsNothing(String what, PairedBrowser.Answer answer) {
        assertThat(answer.body()).as(what).doesNotContainIgnoringCase(MARK);
        // That somebody has an inbox is not told of any mail.
        assertThat(answer.body().replaceAll("worker(-|://)" + SENDER, ""))
                .as(what)
                .doesNotContain(SENDER);
    }

    @Test
    void noLookTellsOfIt() throws Exception {
        for (String look :
                List.of(
                        "status",
                        "agents",
                        "inbox",
                        "questions",
                        "locks",
                        "reservations",
                        "embargo",
                        "slo",
                        "signals",
                        "muted",
                        "archive",
                        "log")) {
            PairedBrowser.Answer answer = browser.look(look);
            assertThat(answer.status()).as(look + " " + answer.body()).isEqualTo(200);
            assertTellsNothing(look, answer);
            ids.forEach(
                    (state, id) -> assertThat(answer.body()).as(look + state).doesNotContain(id));
        }
        assertThat(browser.look("embargo").body()).doesNotContain(UNDER_LOCK);
        assertTellsNothing("inbox", browser.look("inbox", "address", "worker://bob"));
        assertTellsNothing("search", browser.look("search", "text", "body says"));
        assertThat(browser.look("search", "text", MARK).json().list("items")).isEmpty();
        assertThat(browser.look("search", "text", SENDER).json().list("items")).isEmpty();
        assertTellsNothing("check", browser.look("check", "path", "src", "access", "write"));
        for (String state : List.of("done", "dead", "expired")) {
            assertTellsNothing(state, browser.look("archive", "state", state));
        }
    }

    @Test
    void noIdLeadsToIt() throws Exception {
        for (String id : ids.values()) {
            for (String said : List.of(id, id.substring(id.length() - 6))) {
                for (String look : List.of("letter", "trace")) {
                    PairedBrowser.Answer answer = browser.look(look, "id", said);
                    assertThat(answer.status()).as(look).isEqualTo(404);
                    assertTellsNothing(look, answer);
                }
                assertThat(browser.look("log", "ref", said).json().number("count")).isZero();
                Json.Obj fields = Json.obj().put("id", said);
                for (String deed : List.of("retry", "done")) {
                    PairedBrowser.Answer answer = browser.deed(deed, fields);
                    assertThat(answer.status()).as(deed + " " + answer.body()).isNotEqualTo(200);
                    assertTellsNothing(deed, answer);
                }
                PairedBrowser.Answer reply = browser.deed("reply", fields.put("text", "hello"));
                assertThat(reply.status()).isEqualTo(404);
                assertTellsNothing("reply", reply);
            }
        }
    }

    @Test
    void itIsCounted() throws Exception {
        Json.Obj status = browser.look("status").json();
        Json.Obj bob =
                status.list("inboxes").stream()
                        .map(Json.Obj.class::cast)
                        .filter(inbox -> inbox.text("inbox").equals("worker-bob"))
                        .findFirst()
                        .orElseThrow();
        assertThat(bob.number("waiting") + bob.number("active")).isPositive();
        assertThat(status.number("kept")).isEqualTo(1);
    }

    @Test
    void onesOwnIsShown() throws Exception {
        String id =
                json(
                                "--actor",
                                SENDER,
                                "send",
                                "--create",
                                "--to",
                                "worker://ada",
                                "--consent",
                                "private",
                                "--topic",
                                MARK,
                                MARK)
                        .text("id");
        assertThat(browser.look("letter", "id", id).json().text("topic")).isEqualTo(MARK);
        assertThat(browser.look("inbox").body()).contains(id, MARK);
        assertThat(browser.look("search", "text", MARK).json().list("items")).isNotEmpty();
        assertThat(browser.look("log", "ref", id).json().list("items")).isNotEmpty();
        assertThat(browser.look("trace", "id", id).status()).isEqualTo(200);
    }
}
