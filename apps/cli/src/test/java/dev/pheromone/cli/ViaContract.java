package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// What the same commands do by way of any transport that `hive.yaml` calls `team`.
@Timeout(300)
abstract class ViaContract {

    @TempDir Path temp;

    /// What `hive.yaml` says of a server that runs.
    abstract String transport(Path folder) throws Exception;

    /// Ends the server as `kill -9` would.
    abstract void kill() throws Exception;

    abstract void restart() throws Exception;

    Session session(String name) throws Exception {
        Session session = new Session(Files.createDirectories(temp.toRealPath().resolve(name)));
        assertThat(session.rsm("init").exit()).isZero();
        configure(session, "team: " + transport(temp.toRealPath().resolve("server")));
        return session;
    }

    static void configure(Session session, String transports) throws IOException {
        Files.writeString(
                session.cwd.resolve(".deia/hive.yaml"),
                "format: 1\ntransports:\n  " + transports + "\n");
    }

    static Session.Result rsm(Session session, String line) {
        return session.rsm(Arrays.asList(line.split(" ", -1)), "");
    }

    static String ok(Session session, String line) {
        Session.Result result = rsm(session, line);
        assertThat(result.exit()).as("%s: %s", line, result).isZero();
        return result.out();
    }

    private static void assertKept(Session session, int count) {
        assertThat(ok(session, "status --json"))
                .contains(
                        count == 0
                                ? "\"outbox\":[]"
                                : "\"outbox\":[{\"transport\":\"team\",\"waiting\":"
                                        + count
                                        + "}]");
    }

    @Test
    void twoHivesWorkTogether() throws Exception {
        Session ann = session("ann");
        Session bob = session("bob");
        AnswerSchemas schemas = new AnswerSchemas();
        String sent = ok(ann, "send --via team --actor ann --to code please --topic parser --json");
        assertThat(schemas.problems("send", sent)).isEmpty();
        assertThat(sent).contains("\"state\":\"delivered\"");
        String id = AnswerSchemas.field(sent, "id");
        assertThat(ok(ann, "inbox code")).startsWith("queen://code: 0 waiting");

        String listed = ok(bob, "inbox code --via team --json");
        assertThat(schemas.problems("inbox", listed)).isEmpty();
        assertThat(listed).contains(id);
        assertThat(ok(bob, "inbox code --via team"))
                .startsWith("queen://code at team: 1 waiting\n");
        assertThat(ok(bob, "read " + id + " --via team")).contains("parser", "please");

        String taken = ok(bob, "select code --via team --actor bob --json");
        assertThat(schemas.problems("select", taken)).isEmpty();
        assertThat(AnswerSchemas.field(taken, "id")).isEqualTo(id);
        assertThat(rsm(bob, "select code --via team --actor bob").exit()).isEqualTo(4);
        assertThat(rsm(ann, "ack " + id + " done --via team --actor ann").exit()).isEqualTo(5);
        assertThat(ok(bob, "ack " + id + " accepted --via team --actor bob")).contains("is yours");
        String done =
                ok(bob, "ack " + id + " done merged --reply thanks --via team --actor bob --json");
        assertThat(schemas.problems("ack", done)).isEmpty();
        assertThat(rsm(bob, "ack " + id + " done --via team --actor bob").exit()).isEqualTo(5);

        String answer = ok(ann, "select --via team --actor ann --json");
        assertThat(AnswerSchemas.field(answer, "correlation_id")).isEqualTo(id);
        String claim = AnswerSchemas.field(answer, "claim");
        ok(ann, "ack " + claim + " done --via team --actor ann");
        assertThat(ok(ann, "ack " + claim + " done --via team --actor ann")).contains("is done");

        assertThat(ok(ann, "log --ref " + id + " --json"))
                .contains("rsm_envelope_emit", "\"via\":\"team\"");
        assertThat(ok(bob, "log --ref " + id + " --json"))
                .contains("queen_select", "worker_ack", "\"status\":\"done\"", "\"via\":\"team\"");
        assertThat(ok(ann, "audit --json")).contains("\"violations\":0");
        assertThat(rsm(ann, "slo --json").out()).doesNotContain("\"samples\":1");
        assertThat(ok(bob, "doctor")).contains("note: transport team: it answers, has ");
    }

    @Test
    void aQuestionIsAskedAndAnsweredThere() throws Exception {
        Session ann = session("ann");
        Session bob = session("bob");
        ok(ann, "send --via team --create --to worker://ann --actor ann an-inbox-for-answers");
        ok(ann, "select --via team --actor ann");
        String line =
                "ask code merge? --choice yes --choice no --via team --actor ann --wait 1m --json";
        CompletableFuture<Session.Result> asked =
                CompletableFuture.supplyAsync(() -> rsm(ann, line));
        String taken = ok(bob, "select code --via team --actor bob --wait 1m --json");
        assertThat(taken).contains("\"choices\":[\"yes\",\"no\"]");
        String id = AnswerSchemas.field(taken, "id");
        Session.Result wrong = rsm(bob, "ack " + id + " done --reply maybe --via team --actor bob");
        assertThat(wrong.exit()).as("%s", wrong).isEqualTo(2);
        ok(bob, "ack " + id + " done --reply yes --via team --actor bob");
        Session.Result answered = asked.get(2, TimeUnit.MINUTES);
        assertThat(answered.exit()).as("%s", answered).isZero();
        assertThat(new AnswerSchemas().problems("ask", answered.out())).isEmpty();
        assertThat(answered.out())
                .contains("\"state\":\"answered\"", "\"answer\":\"yes\"", "\"by\":\"bob\"");
        assertThat(ok(ann, "log --type question_answered --json")).contains(id);
    }

    @Test
    void aQuestionThatNobodyAnswersThereEndsTheWait() throws Exception {
        Session ann = session("ann");
        Session.Result open =
                rsm(ann, "ask code merge? --choice yes --via team --actor ann --wait 0s --json");
        assertThat(open.exit()).as("%s", open).isEqualTo(4);
        assertThat(open.out()).contains("\"state\":\"open\"");
    }

    @Test
    void givenBackAndTriedAgain() throws Exception {
        Session ann = session("ann");
        String id = AnswerSchemas.field(ok(ann, "send --via team --to docs hello --json"), "id");
        ok(ann, "select docs --via team");
        Session.Result wayless = rsm(ann, "ack " + id + " done");
        assertThat(wayless.exit()).isEqualTo(6);
        assertThat(wayless.err())
                .contains("it was taken by way of team:  rsm ack " + id + " done --via team");
        assertThat(ok(ann, "release " + id + " --via team")).contains("is waiting");
        String again = ok(ann, "select docs --via team");
        String claim = again.substring(again.indexOf("rsm ack ") + 8, again.indexOf(" done --via"));
        // Whoever had it before may be another session of the same name.
        Session.Result former = rsm(ann, "ack " + id + " done --via team");
        assertThat(former.exit()).isEqualTo(5);
        assertThat(former.err())
                .contains("was given back and taken again by", "rsm ack " + claim + " done");
        assertThat(ok(ann, "ack " + claim + " error broken --via team")).contains("is waiting");
        Session.Result paused = rsm(ann, "select docs --via team");
        assertThat(paused.exit()).isEqualTo(4);
        assertThat(paused.err())
                .contains("1 paused after a failure")
                .doesNotContain("being worked on");
        assertThat(ok(ann, "send --via team --to docs hello --id " + id).lines())
                .noneMatch(line -> line.startsWith("sent"));
    }

    @Test
    void whatWouldBeTakenIsShownAndStays() throws Exception {
        Session ann = session("ann");
        assertThat(rsm(ann, "select docs --via team --dry-run").exit()).isEqualTo(4);
        ok(ann, "send --via team --to docs --priority P2 later");
        String urgent = ok(ann, "send --via team --to docs --priority P1 now --json");
        for (int i = 0; i < 2; i++) {
            String shown = ok(ann, "select docs --via team --dry-run --json");
            assertThat(new AnswerSchemas().problems("select", shown)).isEmpty();
            assertThat(shown).contains("\"dry_run\":true", "\"state\":\"waiting\"");
            assertThat(AnswerSchemas.field(shown, "id"))
                    .isEqualTo(AnswerSchemas.field(urgent, "id"));
        }
        assertThat(ok(ann, "select docs --via team --dry-run"))
                .startsWith("now\n")
                .contains("would be taken next (P1, ", ", first of 2)");
        assertThat(ok(ann, "inbox docs --via team --json")).contains("\"waiting\":2");
        ok(ann, "select docs --via team");
        ok(ann, "select docs --via team");
        assertThat(rsm(ann, "select docs --via team --dry-run").exit()).isEqualTo(4);
    }

    @Test
    void whatEndedBadlyIsShownWithItsReason() throws Exception {
        Session ann = session("ann");
        configure(ann, "team: " + transport(temp.toRealPath().resolve("server")) + "\nattempts: 1");
        assertThat(ok(ann, "archive --via team")).isEqualTo("nothing in the archive\n");
        String old = ok(ann, "send --via team --to docs --ttl 1m stale --json");
        ok(ann, "send --via team --to code deploy");
        String dead = AnswerSchemas.field(ok(ann, "select code --via team --json"), "id");
        ok(ann, "ack " + dead + " error the-disk-is-full --via team");
        ann.later(Duration.ofMinutes(2));
        assertThat(rsm(ann, "select docs --via team").exit()).isEqualTo(4);

        String listed = ok(ann, "archive --via team --json");
        assertThat(new AnswerSchemas().problems("archive", listed)).isEmpty();
        assertThat(listed)
                .contains(
                        AnswerSchemas.field(old, "id"),
                        "\"inbox\":\"docs\",\"state\":\"expired\"",
                        "\"inbox\":\"code\",\"state\":\"dead\"",
                        "\"count\":2");
        assertThat(ok(ann, "archive --via team --state dead"))
                .contains("queen://code", "deploy", "the-disk-is-full")
                .doesNotContain("stale");
        assertThat(ok(ann, "archive --via team --state conflict"))
                .isEqualTo("nothing in the archive\n");
        assertThat(ok(ann, "archive --via team --limit 1")).contains("… and 1 more");
        assertThat(rsm(ann, "archive approve --via team --by you").exit()).isEqualTo(2);
        assertThat(ok(ann, "archive")).isEqualTo("nothing in the archive\n");
    }

    @Test
    void aWorkerRunsOnIt() throws Exception {
        Session ann = session("ann");
        for (int i = 0; i < 5; i++) {
            ok(ann, "send --via team --actor ann --to ops deploy-" + i);
        }
        List<String> line =
                new ArrayList<>(
                        List.of("work", "ops", "--via", "team", "--drain", "--reply", "--json"));
        line.addAll(List.of("--actor", "bob", "--", "sh", "-c", "cat; echo \"$RSM_CLAIM\" >&2"));
        Session.Result worked = ann.rsm(line, "");
        assertThat(worked.exit()).as("%s", worked).isZero();
        assertThat(worked.out().lines())
                .hasSize(5)
                .allMatch(l -> l.contains("\"status\":\"done\""));
        assertThat(ok(ann, "inbox --via team --actor ann --json")).contains("\"waiting\":5");
    }

    @Test
    void whileItIsAwayMailIsKeptAndThenGoesOnce() throws Exception {
        Session ann = session("ann");
        ok(ann, "send --via team --to code before");
        kill();
        Session.Result away = rsm(ann, "send --via team --to code meanwhile");
        assertThat(away.exit()).as("%s", away).isZero();
        assertThat(away.out()).contains("kept ", "for queen://code, do not resend: team is away");
        String json = ok(ann, "send --via team --to code meanwhile --json");
        assertThat(new AnswerSchemas().problems("send", json)).isEmpty();
        assertThat(json).contains("\"state\":\"outbox\"", ".deia/outbox/team/");
        assertKept(ann, 2);
        assertThat(ok(ann, "status")).contains("2 wait for team");
        Session.Result nobody = rsm(ann, "select code --via team --json");
        assertThat(nobody.exit()).isEqualTo(1);
        assertThat(nobody.out()).contains("\"code\":\"io\"", "\"retry\":true");
        Session.Result doctor = rsm(ann, "doctor");
        assertThat(doctor.out())
                .contains("warning: transport team: found no answer", "2 envelopes that wait");

        restart();
        assertThat(ok(ann, "doctor --fix")).contains("sent 2 messages that were waiting for team");
        assertKept(ann, 0);
        kill();
        ok(ann, "send --via team --to code third");
        restart();
        ok(ann, "send --via team --to code fourth");
        assertKept(ann, 0);
        assertThat(ok(ann, "inbox code --via team --json")).contains("\"waiting\":5");
    }

    @Test
    void aLockOfThisHiveHoldsThereToo() throws Exception {
        Session ann = session("ann");
        ok(ann, "send --via team --to code before");
        String id = AnswerSchemas.field(ok(ann, "select code --via team --json"), "id");
        ok(ann, "lock hive");
        Session.Result kept = rsm(ann, "send --via team --to code meanwhile");
        assertThat(kept.exit()).isEqualTo(3);
        assertThat(kept.err()).contains(".embargo/inbox/via-team/");
        assertThat(rsm(ann, "send --via team --to brandnew --create hello").exit()).isEqualTo(3);
        for (String line :
                List.of(
                        "inbox code --via team",
                        "select code --via team",
                        "read " + id + " --via team",
                        "ack " + id + " done --via team",
                        "release " + id + " --via team",
                        "watch code --once --via team",
                        "work code --once --via team -- true")) {
            assertThat(rsm(ann, line).exit()).as(line).isEqualTo(3);
        }
        ok(ann, "unlock hive --release --by you");
        assertKept(ann, 2);
        ok(ann, "doctor --fix");
        assertThat(ok(ann, "inbox brandnew --via team --json")).contains("\"waiting\":1");
        assertThat(ok(ann, "inbox code --via team --json")).contains("\"waiting\":1");
        assertThat(ok(ann, "inbox code --json")).contains("\"waiting\":0");
        ok(ann, "ack " + id + " done --via team");
    }

    @Test
    void mailGoesNoFartherThanItsConsent() throws Exception {
        Session ann = session("ann");
        Session.Result refused = rsm(ann, "send --via team --to code --consent private hush");
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.err())
                .contains("consent is private, and this transport reaches team", "--consent")
                .doesNotContain("--id");
        assertThat(ok(ann, "log --type consent_refused --json")).contains("\"reach\":\"team\"");
        assertThat(rsm(ann, "send --via team --to nowhere hello").exit()).isEqualTo(6);
        ok(ann, "send --via team --to nowhere hello --create");
        ann.later(Duration.ofSeconds(1));
        assertThat(ok(ann, "inbox nowhere --via team --json")).contains("\"waiting\":1");
    }

    @Test
    void whatExpiresWhileTheOtherSideIsAwayEnds() throws Exception {
        Session ann = session("ann");
        kill();
        ok(ann, "send --via team --to code --ttl 1h hello");
        assertKept(ann, 1);
        ann.later(Duration.ofHours(2));
        ok(ann, "doctor --fix");
        assertThat(ok(ann, "archive --state expired --json")).contains("\"count\":1");
        assertKept(ann, 0);
    }
}
