package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.session.caller.AgentSession;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

class StatusTest {

    @TempDir Path folder;

    /// What expired is shown to its sender, however much of others' expired after it.
    @Test
    void statusFiltersBySenderBeforeItCutsTheList() throws Exception {
        Session session = new Session(folder.toRealPath());
        session.rsm("init");
        session.rsm("--actor", "ada", "send", "--to", "code", "--ttl", "10s", "my own");
        session.later(Duration.ofSeconds(11));
        session.rsm("select", "code");
        for (int i = 0; i < 25; i++) {
            session.rsm("--actor", "ci-" + i, "send", "--to", "code", "--ttl", "10s", "another's");
        }
        session.later(Duration.ofSeconds(11));
        // Each selection archives only some of what is expired.
        session.rsm("select", "code");
        session.rsm("select", "code");

        Json.Obj archive = json(session.rsm("archive", "--state", "expired", "--json"));
        assertThat(archive.toString()).contains("my own", "another's");
        Json.Obj status = json(session.rsm("--actor", "ada", "status", "--json"));
        assertThat(String.valueOf(status.get("expired")))
                .contains("my own")
                .doesNotContain("another's");
    }

    @Test
    void deadMailThatWasRetriedIsNotNewsAnyMore() throws Exception {
        Session session = new Session(folder.toRealPath());
        session.rsm("init");
        String id = dead(session, "first");

        assertThat(session.rsm("status").out())
                .contains("dead", "first: attempt 5 of 5 failed: tests fail", "rsm retry ");
        assertThat(session.rsm("status", "--all").out()).contains("dead:", "first", "tests fail");
        assertThat(session.rsm("retry", id).exit()).isZero();

        assertThat(session.rsm("status").out()).doesNotContain("dead", "tests fail");
        assertThat(session.rsm("status", "--line").out()).doesNotContain("dead");
        assertThat(json(session.rsm("archive", "--state", "dead", "--json")).toString())
                .contains("first");
    }

    /// Sends `body`, fails at it until nobody tries any more, and returns its id.
    private static String dead(Session session, String body) throws Exception {
        String id = json(session.rsm("send", "--to", "code", body, "--json")).text("id");
        for (int i = 0; i < 5; i++) {
            String claim = json(session.rsm("select", "code", "--json")).text("claim");
            assertThat(session.rsm("ack", claim, "error", "tests fail").exit()).isZero();
            session.later(Duration.ofMinutes(11));
        }
        return id;
    }

    @Test
    void whatNeedsTheCallerComesFirstAndTheRestIsFolded() throws Exception {
        Session session = new Session(folder.toRealPath());
        session.rsm("init");
        dead(session, "first");
        session.rsm("send", "--to", "docs", "for others", "--priority", "P0");
        session.rsm("send", "--to", "user://you", "usual", "--create");
        session.rsm(
                "--actor", "ci", "send", "--to", "user://you", "main is red", "--priority", "P0");
        session.rsm("--actor", "ada", "send", "--to", "user://you", "soon", "--priority", "P1");
        session.rsm("reserve", "src", "--actor", "codex-19be");
        session.rsm("lock", "dnr", "secret.txt");

        String status = session.rsm("status").out();
        assertThat(status)
                .containsSubsequence(
                        "NEEDS YOU", "P0", "main is red", "P1", "soon", "dead", "first")
                .contains("4 waiting, 1 locked, 1 reserved; all of it:  rsm status --all")
                .doesNotContain("for others", "usual", "INBOX", "secret.txt");
        assertThat(status.lines().filter(line -> line.startsWith("P0 ")))
                .singleElement()
                .asString()
                .contains("ci", "rsm read ");
        assertThat(session.rsm("status", "--all").out())
                .containsSubsequence(
                        "NEEDS YOU", "main is red", "INBOX", "LOCK", "RESERVED", "dead:");
        Json.Obj json = json(session.rsm("status", "--json"));
        assertThat(json.list("needs_you"))
                .extracting(item -> ((Json.Obj) item).text("kind"))
                .containsExactly("urgent", "urgent", "dead", "throttled", "throttled");
        Json.Obj urgent = (Json.Obj) json.list("needs_you").getFirst();
        assertThat(urgent.text("topic")).isEqualTo("main is red");
        assertThat(session.rsm(urgent.text("command").substring(4).split(" ")).out())
                .contains("main is red");
        assertThat(json(session.rsm("--actor", "ada", "status", "--json")).list("needs_you"))
                .extracting(item -> ((Json.Obj) item).text("kind"))
                .startsWith("dead")
                .doesNotContain("urgent");
    }

    @Test
    void anOpenQuestionComesFirstAndItsCommandAnswersIt() throws Exception {
        Session session = new Session(folder.toRealPath());
        session.rsm("init");
        session.rsm(
                "--actor",
                "ci",
                "send",
                "--to",
                "user://you",
                "red",
                "--priority",
                "P0",
                "--create");
        ask(session, "--free", "--choice", "main", "which branch?");
        ask(
                session,
                "--choice",
                "yes",
                "--choice",
                "no",
                "--deadline",
                "30m",
                "--priority",
                "P0",
                "may I?");
        ask(
                session,
                "--choice",
                "yes",
                "--cc",
                "worker://ada",
                "--deadline",
                "30m",
                "--create",
                "may he?");

        assertThat(session.rsm("status").out())
                .containsPattern("question +ada +may I\\?: yes or no, ends in 30m +.*rsm reply ")
                .containsPattern("question +ada +which branch\\?: main or another text, ends ")
                .containsSubsequence("NEEDS YOU", "may I?", "which branch?", "P0", "red");
        Json.Obj json = json(session.rsm("status", "--json"));
        assertThat(json.list("needs_you"))
                .extracting(item -> ((Json.Obj) item).text("kind"))
                .containsExactly("question", "question", "question", "urgent");
        Json.Obj first = (Json.Obj) json.list("needs_you").getFirst();
        assertThat(first.texts("choices")).containsExactly("yes", "no");
        assertThat(json(session.rsm("--actor", "ada", "status", "--json")).list("needs_you"))
                .isEmpty();

        String command = first.text("command").replace("\"…\"", "yes");
        assertThat(session.rsm(command.substring(4).split(" ")).exit()).isZero();
        assertThat(session.rsm("status").out()).contains("which branch?").doesNotContain("may I?");
        session.later(Duration.ofMinutes(31));
        assertThat(session.rsm("status").out()).doesNotContain("may he?");
    }

    private static void ask(Session session, String... more) {
        List<String> words = new ArrayList<>(List.of("--actor", "ada", "ask", "user://you"));
        words.addAll(List.of(more));
        Session.Result asked = session.rsm(words, "");
        assertThat(asked.exit()).as(asked.err()).isZero();
    }

    private static String hook(Session session, String event, String id) {
        String payload = Json.obj().put("session_id", id).put("hook_event_name", event).toString();
        assertThat(session.rsm(List.of("hook", "claude", event), payload).exit()).isZero();
        return new AgentSession("claude", id).actorName();
    }

    @Test
    void agentsAreShownAndTheSilentOnesNeedYou() throws Exception {
        Session session = new Session(folder.toRealPath());
        session.rsm("init");
        assertThat(session.rsm("status", "--json").out()).doesNotContain("\"agents\"");
        assertThat(session.rsm("status").out()).doesNotContain("AGENT");
        hook(session, "SessionStart", "over");
        String over = hook(session, "SessionEnd", "over");
        assertThat(session.rsm("status").out()).doesNotContain("AGENT", over);
        String working = hook(session, "UserPromptSubmit", "a");
        session.rsm("send", "--to", "code", "review the parser");
        session.rsm("select", "code", "--actor", working);

        assertThat(session.rsm("status").out())
                .containsPattern(working + " +working +\\S+.* +review the parser ")
                .doesNotContain("NEEDS YOU", over);
        session.later(Duration.ofMinutes(11));
        assertThat(session.rsm("status").out())
                .containsPattern("silent +" + working + " +its process is not known.*rsm wake ")
                .containsPattern(working + " +silent");
        Json.Obj json = json(session.rsm("status", "--json"));
        assertThat(json.list("agents"))
                .extracting(item -> ((Json.Obj) item).text("state"))
                .containsExactlyInAnyOrder("silent", "gone");
        assertThat(((Json.Obj) json.list("needs_you").getFirst()).text("kind")).isEqualTo("silent");

        for (int i = 0; i < 7; i++) {
            hook(session, "SessionStart", "more " + i);
        }
        assertThat(session.rsm("status").out()).contains("and 3 more agents:  rsm agents");
        session.later(Duration.ofDays(2));
        assertThat(session.rsm("status").out()).doesNotContain("rsm wake");
    }

    @Test
    void manyOfAKindAreCounted() throws Exception {
        Session session = new Session(folder.toRealPath());
        session.rsm("init");
        for (int i = 0; i < 8; i++) {
            session.rsm("send", "--to", "user://you", "now " + i, "--create", "--priority", "P1");
        }
        assertThat(session.rsm("status").out())
                .contains("now 4", "3 more", "rsm inbox")
                .doesNotContain("now 5");
    }

    @Test
    void mailInTheEmbargoNeedsAPerson() throws Exception {
        Session session = new Session(folder.toRealPath());
        session.rsm("init");
        session.rsm("lock", "hive");
        session.rsm("send", "--to", "code", "meanwhile");
        session.rsm("unlock", "hive", "--by", "you");
        assertThat(session.rsm("status").out())
                .containsPattern("embargo +- +1 waits +- +rsm embargo release");
    }

    @Test
    void expiredMailThatStaysNeedsAPerson() throws Exception {
        Session session = new Session(folder.toRealPath());
        session.rsm("init");
        Files.writeString(session.cwd.resolve(".deia/hive.yaml"), "archive: approve\n");
        session.rsm("send", "--to", "code", "soon over", "--ttl", "1h");
        assertThat(session.rsm("status").out()).doesNotContain("NEEDS");
        session.later(Duration.ofHours(2));
        assertThat(session.rsm("status").out())
                .containsPattern("approval +- +expired mail stays at queen://code +1h ago +rsm a");
        session.rsm("archive", "approve", "--by", "you");
        assertThat(session.rsm("status").out()).doesNotContain("approval");
    }

    @Test
    void whatWasDoneUnderALockNeedsAPerson() throws Exception {
        Session session = new Session(folder.toRealPath());
        session.rsm("init");
        Path file = Files.writeString(session.cwd.resolve("release.txt"), "1.0\n");
        session.rsm("lock", "do-not-alter", "release.txt");
        Files.writeString(file, "2.0\n");
        Path overrides = Files.createDirectories(session.cwd.resolve(".deia/overrides"));
        Files.writeString(overrides.resolve("ALLOW-WRITE-1.yaml"), "override: please\n");

        assertThat(session.rsm("status").out())
                .containsPattern("override +- +.deia/overrides/ALLOW-WRITE-1.yaml: ");
        session.rsm("unlock", "do-not-alter", "release.txt", "--by", "you");
        Json.Obj json = json(session.rsm("status", "--json"));
        assertThat(json.list("needs_you"))
                .extracting(item -> ((Json.Obj) item).text("kind"))
                .containsExactly("breach", "override");
        Json.Obj breach = (Json.Obj) json.list("needs_you").getFirst();
        assertThat(breach.text("path")).isEqualTo("release.txt");
        assertThat(breach.text("reason")).startsWith("changed under lock ");
        session.later(Duration.ofDays(2));
        assertThat(session.rsm("status").out()).doesNotContain("breach");
    }

    @Test
    void whereNothingNeedsTheCallerAllIsShown() throws Exception {
        Session session = new Session(folder.toRealPath());
        session.rsm("init");
        session.rsm("send", "--to", "code", "review the parser");
        assertThat(session.rsm("status").out()).contains("queen://code").doesNotContain("NEEDS");
        assertThat(session.rsm("status", "--json").out()).contains("\"needs_you\":[]");
    }

    @Test
    void claimsAreShownByTheirTopic() throws Exception {
        Session session = new Session(folder.toRealPath());
        session.rsm("init");
        session.rsm("send", "--to", "code", "review the parser");
        session.rsm("select", "code");

        assertThat(session.rsm("status").out())
                .containsPattern("CLAIMED +TOPIC +BY")
                .containsPattern("review the parser +you");
    }

    @Test
    void inboxesOfManyOtherWorkersAreOneLine() throws Exception {
        Session session = new Session(folder.toRealPath());
        session.rsm("init");
        for (int i = 0; i < 3; i++) {
            session.rsm("send", "--create", "--to", "worker://w" + i, "an answer");
        }
        session.rsm("send", "--to", "code", "a question");
        assertThat(session.rsm("status").out()).contains("worker://w0", "worker://w2");

        session.rsm("send", "--create", "--to", "worker://w3", "an answer");
        session.rsm("send", "--create", "--to", "worker://w4", "an answer");

        String status = session.rsm("status").out();
        assertThat(status)
                .containsPattern("5 workers +5 +0")
                .contains("queen://code")
                .doesNotContain("worker://w");
        assertThat(session.rsm("--actor", "w1", "status").out())
                .contains("4 workers", "worker://w1")
                .doesNotContain("worker://w2");
        assertThat(session.rsm("status", "--json").out()).contains("worker://w3");
    }

    private static Json.Obj json(Session.Result result) throws Exception {
        assertThat(result.exit()).as(result.out()).isZero();
        return (Json.Obj) Json.parse(result.out());
    }
}
