package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.testkit.Mosquitto;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/// Version 0.1 and this one work in the same hive at the same time, in either role.
///
/// Building 0.1 takes a minute or more, so this is part of the long form, `-Drsm.long=true`.
@Timeout(1800)
class FirstVersionTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static OtherVersion old;
    private static OtherVersion current;

    @TempDir Path temp;
    private Path folder;

    @BeforeAll
    static void buildFirstVersion() throws IOException {
        if (!Boolean.getBoolean("rsm.long")) {
            throw OtherVersion.notRun("FirstVersionTest", "it builds 0.1, in the long form only");
        }
        old = OtherVersion.built("0.1", "FirstVersionTest");
        current = OtherVersion.current();
    }

    @BeforeEach
    void findFolder() throws IOException {
        folder = temp.toRealPath();
    }

    static List<Arguments> roles() {
        return List.of(Arguments.of(old, current), Arguments.of(current, old));
    }

    private OtherVersion.Ended run(OtherVersion version, String actor, String... words)
            throws IOException {
        OtherVersion.Ended ended = version.rsm(folder, actor, List.of(words));
        System.out.printf("%s, %s $ rsm %s%n", version, actor, String.join(" ", words));
        System.out.printf("%s%s(exit %d)%n", ended.out(), ended.err(), ended.exit());
        return ended;
    }

    private String ok(OtherVersion version, String actor, String... words) throws IOException {
        OtherVersion.Ended ended = run(version, actor, words);
        assertThat(ended.exit()).as("%s: %s", version, ended).isZero();
        return ended.out();
    }

    private String sent(OtherVersion version, String body) throws IOException {
        return ok(version, "ann", "send", "--quiet", "--to", "code", body).strip();
    }

    @ParameterizedTest
    @MethodSource("roles")
    void mailOfOneIsTakenAndFinishedByTheOther(OtherVersion one, OtherVersion other)
            throws Exception {
        ok(one, "ann", "init");
        String id = sent(one, "please review the parser");

        assertThat(ok(other, "bob", "inbox", "code")).contains("please review the parser");
        String claim = ok(other, "bob", "select", "code", "--quiet").strip();
        assertThat(run(one, "eve", "select", "code").exit()).isEqualTo(4);
        ok(other, "bob", "ack", claim, "done", "merged");

        assertThat(ok(one, "ann", "archive", "--state", "done")).contains("please review");
        assertThat(ok(one, "ann", "trace", id)).contains("worker_ack").doesNotContain("gap");
        // Sent again, it is known: one effect.
        ok(one, "ann", "send", "--id", id, "--to", "code", "please review the parser");
        assertThat(run(other, "bob", "select", "code").exit()).isEqualTo(4);
    }

    @Test
    void aQuestionIsMailForTheVersionThatKnowsNoneAndItsReplyIsNoAnswer() throws Exception {
        ok(old, "ann", "init");
        String id =
                ok(
                                current,
                                "ann",
                                "ask",
                                "code",
                                "--choice",
                                "yes",
                                "--choice",
                                "no",
                                "--default",
                                "no",
                                "--deadline",
                                "2h",
                                "--cc",
                                "docs",
                                "--quiet",
                                "may I merge?")
                        .strip();
        assertThat(ok(old, "bob", "read", id)).contains("may I merge?");
        String claim = ok(old, "bob", "select", "code", "--quiet").strip();
        ok(old, "bob", "ack", claim, "done", "--reply", "yes");
        assertThat(ok(current, "ann", "ask", "--status", id, "--quiet").strip()).isEqualTo("open");
        ok(current, "bob", "reply", id, "yes");
        assertThat(ok(current, "ann", "ask", "--status", id, "--quiet").strip()).isEqualTo("yes");
        assertThat(ok(old, "ann", "log")).contains("question_answered");
    }

    @ParameterizedTest
    @MethodSource("roles")
    void aClaimOfOneIsRenewedGivenBackAndFinishedByTheOther(OtherVersion one, OtherVersion other)
            throws Exception {
        ok(one, "ann", "init");
        String id = sent(other, "work on both sides");
        String claim = ok(one, "bob", "select", "code", "--quiet").strip();
        ok(other, "bob", "ack", claim, "accepted");
        ok(other, "bob", "release", claim, "not now");
        String second = ok(one, "bob", "select", "code", "--quiet").strip();
        assertThat(second).isNotEqualTo(claim);
        assertThat(run(other, "bob", "ack", claim, "done").exit()).isEqualTo(5);
        ok(other, "bob", "ack", second, "done");
        assertThat(run(one, "bob", "ack", second, "error", "too late").exit()).isEqualTo(5);
        assertThat(ok(one, "ann", "read", id)).contains("work on both sides");
    }

    @ParameterizedTest
    @MethodSource("roles")
    void aLockOfOneIsKeptByTheOtherAndKeptMailIsReleasedByEither(
            OtherVersion one, OtherVersion other) throws Exception {
        ok(one, "ann", "init");
        ok(one, "ann", "lock", "hive", "--reason", "release freeze");

        OtherVersion.Ended kept = run(other, "bob", "send", "--to", "code", "during the freeze");
        assertThat(kept.exit()).isEqualTo(3);
        assertThat(kept.err()).contains("release freeze", "do not resend");
        assertThat(run(other, "bob", "inbox", "code").exit()).isEqualTo(3);
        assertThat(run(other, "bob", "select", "code").exit()).isEqualTo(3);

        ok(one, "ann", "unlock", "hive", "--release", "--by", "ann");
        assertThat(ok(other, "bob", "inbox", "code")).contains("during the freeze");

        ok(other, "ann", "lock", "dnr", "secrets/**", "--reason", "customer data");
        assertThat(run(one, "bob", "check", "secrets/key.txt").exit()).isEqualTo(3);
        ok(one, "ann", "unlock", "dnr", "secrets/**", "--by", "ann");
        ok(other, "bob", "check", "secrets/key.txt");
    }

    @ParameterizedTest
    @MethodSource("roles")
    void anOutcomeThatOneKeptUnderALockIsAppliedByTheOther(OtherVersion one, OtherVersion other)
            throws Exception {
        ok(one, "ann", "init");
        String id = sent(one, "finished during a freeze");
        String claim = ok(one, "bob", "select", "code", "--quiet").strip();
        ok(other, "ann", "lock", "hive", "--reason", "freeze");
        assertThat(run(one, "bob", "ack", claim, "done").exit()).isEqualTo(3);
        ok(other, "ann", "unlock", "hive", "--by", "ann");
        assertThat(run(other, "bob", "select", "code").exit()).isEqualTo(4);
        assertThat(ok(other, "ann", "trace", id)).contains("done in queen://code");
    }

    @ParameterizedTest
    @MethodSource("roles")
    void aLeaseThatOneTookIsReapedByTheOther(OtherVersion one, OtherVersion other)
            throws Exception {
        ok(one, "ann", "init");
        String id = sent(one, "whose worker dies");
        String lost = ok(one, "bob", "select", "code", "--lease", "1s", "--quiet").strip();

        // The lease ends, then a failure's pause does.
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofSeconds(1))
                .until(() ->
                        other.rsm(folder, "eve", List.of("select", "code", "--quiet")).exit() == 0);
        assertThat(ok(other, "ann", "trace", id)).contains("rsm_envelope_return", "attempt=2");
        assertThat(run(one, "bob", "ack", lost, "done").exit()).isEqualTo(5);
    }

    @ParameterizedTest
    @MethodSource("roles")
    void anAnswerOfOneReachesTheOther(OtherVersion one, OtherVersion other) throws Exception {
        ok(one, "ann", "init");
        String id = sent(one, "how many tests are there?");
        String claim = ok(other, "bob", "select", "code", "--quiet").strip();
        ok(other, "bob", "ack", claim, "done", "--reply", "1843");

        String answer = ok(one, "ann", "select", "--json");
        assertThat(answer).contains("1843", "\"correlation_id\":\"" + id + "\"");
    }

    /// That version kept mail on the broker itself, where this one looks for none.
    @Test
    void whatTheFirstVersionLeftOnABrokerIsFetchedHome() throws Exception {
        Mosquitto.refuseWithout("FirstVersionTest");
        try (Mosquitto broker =
                Mosquitto.start(
                        Files.createDirectory(folder.resolve("broker")),
                        Mosquitto.DURABLE + Mosquitto.OPEN)) {
            ok(old, "ann", "init");
            Files.writeString(
                    folder.resolve(".deia/hive.yaml"),
                    "transports: {team: {url: \"" + broker.url() + "\"}}\n",
                    StandardOpenOption.APPEND);
            String done = onBroker("code", "done there");
            String claim = ok(old, "bob", "select", "code", "--via", "team", "--quiet").strip();
            ok(old, "bob", "ack", claim, "done", "--via", "team");
            String held = onBroker("code", "somebody works on it");
            claim = ok(old, "bob", "select", "code", "--via", "team", "--quiet").strip();
            String code = onBroker("code", "left on the broker");
            String docs = onBroker("docs", "left there too");

            assertThat(run(current, "ann", "doctor").out())
                    .contains("3 messages that rsm 0.1 left on the broker");
            OtherVersion.Ended first = run(current, "ann", "bridge", ".", "team", "--fetch-old");
            assertThat(first.out()).isEqualTo("carried 2 between . and team\n");
            assertThat(first.err()).contains("held until ");
            assertThat(ok(current, "ann", "inbox", "code", "--json"))
                    .contains(code)
                    .doesNotContain(done, held);
            assertThat(ok(current, "ann", "inbox", "docs", "--json")).contains(docs);

            ok(old, "bob", "release", claim, "--via", "team");
            assertThat(ok(current, "ann", "bridge", ".", "team", "--fetch-old"))
                    .isEqualTo("carried 1 between . and team\n");
            assertThat(ok(current, "ann", "inbox", "code", "--json")).contains(code, held);
            assertThat(run(current, "ann", "doctor").out()).doesNotContain("rsm 0.1 left");
            assertThat(ok(old, "ann", "inbox", "code", "--via", "team", "--json"))
                    .as("nothing is left for the first version to hand out once more")
                    .doesNotContain(code, held);
        }
    }

    /// Sends with the first version, to be kept on the broker, and returns the id.
    private String onBroker(String inbox, String body) throws IOException {
        return ok(old, "ann", "send", "--via", "team", "--quiet", "--to", inbox, body).strip();
    }

    @ParameterizedTest
    @MethodSource("roles")
    void aSignatureOfOneIsVerifiedByTheOther(OtherVersion one, OtherVersion other)
            throws Exception {
        ok(one, "ann", "init");
        ok(one, "ann", "keys", "new", "laptop");
        ok(one, "ann", "keys", "trust", "laptop", "--human", "--by", "ann");
        String id = sent(one, "signed");
        assertThat(ok(other, "bob", "verify", id)).contains("good", "signed with key laptop");
        String claim = ok(other, "bob", "select", "code", "--quiet").strip();
        ok(one, "bob", "ack", claim, "done");
        if (one.equals(old)) {
            // 0.1 left no event of it, as somebody who edits the file leaves none: a person
            // confirms.
            assertThat(run(current, "ann", "audit").out()).contains("rsm keys confirm");
            ok(current, "ann", "keys", "confirm", "--by", "ann");
        }
        ok(one, "ann", "audit");
        ok(other, "ann", "audit");
        ok(one, "ann", "doctor");
        ok(other, "ann", "doctor");
    }
}
