package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// Two hives exchange mail through `rsm bridge`.
@Timeout(300)
final class BridgeCommandTest {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir Path temp;
    private Session ann;
    private Session bob;

    @BeforeEach
    void twoHives() throws IOException {
        ann = hive("ann");
        bob = hive("bob");
    }

    private Session hive(String name) throws IOException {
        Session session = new Session(Files.createDirectories(temp.toRealPath().resolve(name)));
        session.env.put("RSM_ACTOR", name);
        assertThat(session.rsm("init").exit()).isZero();
        // Its own inbox is made.
        ok(session, "send --to docs hello");
        return session;
    }

    private static String ok(Session session, String line) {
        return ViaContract.ok(session, line);
    }

    private static String send(Session session, String line) {
        return AnswerSchemas.field(ok(session, "send --json " + line), "id");
    }

    /// Takes and settles all that waits, and returns the ids.
    private static List<String> takeAll(Session session, String address) {
        List<String> ids = new ArrayList<>();
        while (true) {
            Session.Result taken = session.rsm("select", address, "--json");
            if (taken.exit() != 0) {
                assertThat(taken.exit()).as("%s", taken).isEqualTo(4);
                return ids;
            }
            ids.add(AnswerSchemas.field(taken.out(), "id"));
            ok(session, "ack " + AnswerSchemas.field(taken.out(), "claim") + " done");
        }
    }

    @Test
    void questionAndAnswerCrossByThemselves() throws Exception {
        ok(bob, "send --to release --create hello");
        takeAll(bob, "release");
        String first = ok(ann, "bridge . ../bob --drain --json");
        assertThat(new AnswerSchemas().problems("bridge", first)).isEmpty();
        assertThat(first).contains("\"carried\":0");

        String asked = send(ann, "--to release please");
        assertThat(ok(ann, "bridge . ../bob --drain"))
                .isEqualTo("carried 1 between . and ../bob\n");
        String taken = ok(bob, "select release --json");
        assertThat(AnswerSchemas.field(taken, "id")).isEqualTo(asked);
        ok(bob, "ack " + asked + " done --reply released");
        ok(ann, "bridge . ../bob --drain");
        String answer = ok(ann, "select --json");
        assertThat(AnswerSchemas.field(answer, "correlation_id")).isEqualTo(asked);
        assertThat(ok(ann, "bridge . ../bob --drain")).startsWith("carried 0");
        assertThat(ok(ann, "log --ref " + asked + " --json"))
                .contains("carried to another hive")
                .doesNotContain("../bob");
    }

    @Test
    void whatBothHaveStaysUnlessItIsNamed() throws Exception {
        String id = send(ann, "--to code please");
        Session.Result quiet = ann.rsm("bridge", ".", "../bob", "--drain");
        assertThat(quiet.out()).startsWith("carried 0");
        assertThat(quiet.err()).contains("both have ", "queen://code", "--domain or --back");
        ok(ann, "bridge . ../bob --domain code --drain");
        assertThat(takeAll(bob, "code")).containsExactly(id);
        String back = send(bob, "--to code again");
        ok(ann, "bridge . ../bob --back code --drain");
        assertThat(takeAll(ann, "code")).containsExactly(back);
    }

    @Test
    void anInboxThatIsRemovedKeepsNoOtherMail() throws Exception {
        for (String inbox : List.of("first", "second")) {
            ok(bob, "send --create hello --to " + inbox);
            takeAll(bob, inbox);
        }
        ok(ann, "bridge . ../bob --drain");
        Path removed = bob.cwd.resolve(".deia/inbox/first");
        Files.delete(removed.resolve(".tmp"));
        Files.delete(removed);
        String id = send(ann, "--to second please");
        Session.Result bridged = ann.rsm("bridge", ".", "../bob", "--drain");
        assertThat(bridged.out()).isEqualTo("carried 1 between . and ../bob\n");
        assertThat(bridged.err()).containsOnlyOnce("../bob has no inbox queen://first any more");
        assertThat(takeAll(bob, "second")).containsExactly(id);
    }

    @Test
    void aCopyOfSeveralGoesAlone() throws Exception {
        send(ann, "--to code --to ops please");
        ok(ann, "bridge . ../bob --domain ops --drain");
        assertThat(takeAll(bob, "ops")).hasSize(1);
        assertThat(takeAll(bob, "code")).isEmpty();
        assertThat(takeAll(ann, "code")).hasSize(1);
    }

    @Test
    void contraryBridgesLoseNothing() throws Exception {
        String id = send(ann, "--to code please");
        ok(ann, "bridge . ../bob --domain code --drain");
        Session.Result contrary = bob.rsm("bridge", ".", "../ann", "--domain", "code", "--drain");
        assertThat(contrary.err()).contains("has had it before");
        assertThat(takeAll(bob, "code")).containsExactly(id);
    }

    @Test
    void whatMayNotCrossIsInNobodysWay() throws Exception {
        String round = send(ann, "--to code --priority P0 please");
        ok(ann, "bridge . ../bob --domain code --drain");
        assertThat(ViaContract.rsm(bob, "bridge . ../ann --domain code --once").exit())
                .isEqualTo(4);
        String late = send(bob, "--to code --priority P3 later");
        assertThat(ok(bob, "bridge . ../ann --domain code --once")).startsWith("carried 1");
        assertThat(takeAll(ann, "code")).containsExactly(late);
        bob.later(Duration.ofSeconds(5));
        assertThat(takeAll(bob, "code")).containsExactly(round);
    }

    @Test
    void mistakesAreToldBeforeAnythingIsCarried() throws Exception {
        assertThat(ann.rsm("bridge", ".", ".").exit()).isEqualTo(2);
        assertThat(ann.rsm("bridge", ".", "../ann").exit()).isEqualTo(2);
        assertThat(ann.rsm("bridge", ".", "nowhere").err())
                .contains("side: found \"nowhere\", expected . for this hive");
        assertThat(ann.rsm("bridge", ".", "../bob", "--once", "--drain").exit()).isEqualTo(2);
        assertThat(ann.rsm("bridge", ".", "../bob", "--domain", "code", "--back", "code").exit())
                .isEqualTo(2);
        assertThat(ann.rsm("bridge", ".", "../bob", "--once").exit()).isEqualTo(4);
        Session.Result missing = ViaContract.rsm(ann, "bridge . ../bob --domain nowhere --drain");
        assertThat(missing.exit()).isEqualTo(6);
        assertThat(missing.err()).contains("../bob has no inbox queen://nowhere");
        ViaContract.configure(ann, "world: {url: \"https://example.org\"}");
        Session.Result open = ann.rsm("bridge", ".", "world");
        assertThat(open.exit()).isEqualTo(2);
        assertThat(open.err()).contains("world reaches public, expected --public");
    }

    @Test
    void whatMustNotBecomePublicStays() throws Exception {
        Path folder = temp.toRealPath();
        try (ServedProcess served = ServedProcess.start(folder.resolve("served"))) {
            ViaContract.configure(
                    ann, "world: " + served.transport().replace("}", ", reach: public}"));
            ok(ann, "keys new laptop");
            ok(ann, "keys trust laptop --by ann");
            String clean = send(ann, "--to code --consent public --public the-parser-is-released");
            String telling = send(ann, "--to code --consent public --public for-AB-1234");
            String team = send(ann, "--to code for-the-team");
            // What was no secret when it was sent.
            Files.writeString(
                    ann.home.resolve(".config/pheromone/redaction.rules"),
                    "rule: ticket\nkeywords: AB-\npattern: AB-[0-9]+\n");
            Session.Result run =
                    ann.rsm("bridge", ".", "world", "--domain", "code", "--public", "--drain");
            assertThat(run.exit()).as("%s", run).isZero();
            assertThat(run.err())
                    .contains(
                            "consent is team, and world reaches public",
                            "it holds what must not become public: ");
            Path there = served.folder.resolve(".deia/inbox/code");
            assertThat(there.resolve(clean + ".md")).exists();
            assertThat(there.resolve(telling + ".md")).doesNotExist();
            assertThat(ok(ann, "inbox code --json")).contains(team, telling);
            assertThat(ok(ann, "log --type consent_refused --json")).contains(telling);
        }
    }

    @Test
    void aBridgeThatIsKilledAgainAndAgainLosesNothingAndDoublesNothing() throws Exception {
        Path folder = temp.toRealPath();
        int count = 40;
        try (ServedProcess served = ServedProcess.start(folder.resolve("served"))) {
            ViaContract.configure(ann, "team: " + served.transport());
            Set<String> sent = new HashSet<>();
            for (int i = 0; i < count; i++) {
                sent.add(send(ann, "--to ops --actor sender-" + i % 4 + " deploy"));
            }
            for (int round = 0; round < 3; round++) {
                int enough = count * (round + 1) / 5;
                try (RsmProcess bridge =
                        RsmProcess.start(ann.cwd, "bridge", ".", "team", "--domain", "ops")) {
                    await().atMost(PATIENCE).until(() -> carried(served) >= enough);
                    bridge.process().destroyForcibly();
                    assertThat(bridge.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
                }
            }
            try (RsmProcess bridge =
                    RsmProcess.start(ann.cwd, "bridge", ".", "team", "--domain", "ops", "--json")) {
                await().atMost(PATIENCE).until(() -> carried(served) == count && isEmpty(ann));
                bridge.process().destroy();
                assertThat(bridge.exit()).as(bridge.errors()).isZero();
                assertThat(new AnswerSchemas().problems("bridge", bridge.printed())).isEmpty();
            }
            List<String> arrived = takeAll(served.session, "ops");
            assertThat(arrived).doesNotHaveDuplicates().hasSize(count);
            assertThat(new HashSet<>(arrived)).isEqualTo(sent);
        }
    }

    private static int carried(ServedProcess served) throws IOException {
        try (var files = Files.list(served.folder.resolve(".deia/inbox/ops"))) {
            return (int) files.filter(file -> file.toString().endsWith(".md")).count();
        }
    }

    private static boolean isEmpty(Session session) throws IOException {
        for (String folder : List.of("inbox/ops", "active/ops")) {
            Path place = session.cwd.resolve(".deia").resolve(folder);
            if (Files.exists(place)) {
                try (var files = Files.list(place)) {
                    if (files.anyMatch(file -> file.toString().endsWith(".md"))) {
                        return false;
                    }
                }
            }
        }
        return true;
    }
}
