package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.frame.Terminal;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class RedactCommandTest {

    @TempDir Path folder;
    private Session session;

    @BeforeEach
    void makeHive() throws IOException {
        session = new Session(folder.toRealPath());
        session.rsm("init");
        session.rsm("keys", "new", "laptop");
        session.rsm("keys", "trust", "laptop", "--by", "you");
    }

    private String send(String body) {
        return session.rsm("send", "--to", "code", "--topic", "t", body, "--quiet").out().strip();
    }

    private int waitingCount() {
        return (int) session.rsm("inbox", "code", "--quiet").out().lines().count();
    }

    @Nested
    class AtATerminal {

        private String mail = "";

        @BeforeEach
        void sit() {
            mail = send("write to ada@engines.org");
            session.terminal = new Terminal(true, false, false);
        }

        @Test
        void theDiffIsShownAndAWordSendsTheCopy() {
            Session.Result result = session.rsm(List.of("redact", mail, "--public"), "public\n");
            assertThat(result.exit()).isZero();
            assertThat(result.out())
                    .contains("+write to [REDACTED:email]\n")
                    .containsOnlyOnce("taken out of")
                    .contains("sent ");
            assertThat(result.err()).contains("type public to continue: ");
            assertThat(waitingCount()).isEqualTo(2);
        }

        @Test
        void anyOtherWordSendsNothing() {
            Session.Result result = session.rsm(List.of("redact", mail, "--public"), "yes\n");
            assertThat(result.exit()).isEqualTo(2);
            assertThat(result.err()).contains("nothing was sent");
            assertThat(waitingCount()).isEqualTo(1);
        }

        @Test
        void aProgramIsNotAsked() {
            Session.Result result =
                    session.rsm(List.of("redact", mail, "--public", "--json"), "public\n");
            assertThat(result.exit()).isEqualTo(2);
            assertThat(result.out()).startsWith("{\"ok\":false").doesNotContain("ada@");
            assertThat(waitingCount()).isEqualTo(1);
        }
    }

    /// A copy has a new id each time, so nobody may be told that typing the command again sends
    /// nothing twice.
    @Test
    void aCopyThatArrivedInPartIsNotSaidToBeSentOnce() throws IOException {
        String mail = send("please");
        Files.writeString(
                session.cwd.resolve(".deia/hive.yaml"),
                "backpressure: {depth: 1, oldest_age: 10m}\n");
        session.rsm("send", "--to", "ops", "the room is taken");
        session.rsm("send", "--to", "ops", "all of it");
        Session.Result partly =
                session.rsm("redact", mail, "--public", "--yes", "--to", "docs", "--to", "ops");
        assertThat(partly.exit()).as("%s", partly).isEqualTo(75);
        assertThat(partly.err())
                .contains("queen://docs: delivered")
                .contains("a new envelope, also to those who have this one:  rsm redact ")
                .doesNotContain("without sending twice");
        Session.Result none = session.rsm("redact", mail, "--public", "--yes", "--to", "ops");
        assertThat(none.exit()).as("%s", none).isEqualTo(75);
        assertThat(none.err())
                .contains("rsm: hint: to try again:  rsm redact ")
                .doesNotContain("without sending twice");
    }

    @Test
    void keysOfThisMachineAreFoundWhereverTheyStand() throws IOException {
        session.rsm("keys", "new", "robots", "--hmac");
        String file = Files.readString(session.home.resolve(".config/pheromone/keys/robots.key"));
        String secret = file.substring(file.indexOf("secret: ") + 8).strip();
        String mail = send("try " + secret);
        assertThat(session.rsm("redact", mail, "--public", "--yes").out())
                .contains("+try [REDACTED:signing-key]\n");
    }

    @Test
    void mailThatIsNotWhatItsSenderWroteIsNotVouchedFor() throws IOException {
        String mail = send("all is well");
        Path file = session.cwd.resolve(".deia/inbox/code/" + mail + ".md");
        Files.writeString(file, Files.readString(file).replace("all is well", "all is lost"));
        Session.Result result = session.rsm("redact", mail, "--public", "--yes");
        assertThat(result.exit()).isEqualTo(5);
        assertThat(waitingCount()).isLessThan(2);
    }

    @Test
    void anEnvelopeFromAFileNeedsTheFlagAndTheLookToo() throws IOException {
        Path file = session.cwd.resolve("mail.md");
        Files.writeString(
                file,
                """
                ---
                from: you
                to: [queen://code]
                lane: Code
                topic: t
                priority: P2
                ttl: 1h
                consent: public
                ---
                ask ada@engines.org
                """);
        Session.Result unflagged = session.rsm("send", "--envelope", "mail.md");
        assertThat(unflagged.exit()).isEqualTo(2);
        assertThat(unflagged.err()).contains("expected --public beside it");

        Session.Result telling = session.rsm("send", "--envelope", "mail.md", "--public");
        assertThat(telling.exit()).isEqualTo(1);
        assertThat(telling.err()).contains("body 1:5 email").doesNotContain("ada@");

        Files.writeString(file, Files.readString(file).replace("consent: public", "consent: team"));
        Session.Result flagged = session.rsm("send", "--envelope", "mail.md", "--public");
        assertThat(flagged.exit()).isEqualTo(2);
        assertThat(flagged.err()).contains("found consent team in mail.md");
        assertThat(waitingCount()).isZero();
    }

    @Test
    void whatWasTakenOutIsToldByKindAndCountAlone() {
        String mail = send("write to ada@engines.org or to bob@engines.org");
        assertThat(session.rsm("redact", mail, "--public", "--yes").exit()).isZero();

        assertThat(session.rsm("log", "--type", "mail_redacted", "--json").out())
                .contains("\"original\":\"" + mail + "\"")
                .contains("\"redactions\":[{\"kind\":\"email\",\"count\":2}]")
                .doesNotContain("@");
    }

    @Test
    void refusalIsTold() {
        Session.Result result =
                session.rsm(
                        "send",
                        "--to",
                        "code",
                        "--consent",
                        "public",
                        "--public",
                        "ada@engines.org");
        assertThat(result.exit()).isEqualTo(1);

        assertThat(session.rsm("log", "--type", "consent_refused", "--json").out())
                .contains("\"consent\":\"public\",\"reach\":\"public\"")
                .contains("\"kind\":\"email\"")
                .doesNotContain("@");
    }

    @Test
    void agentMakesNothingPublic() {
        String mail = send("write to ada@engines.org");
        session.env.put("CLAUDECODE", "1");
        session.rsm("keys", "new", "agents");
        Session.Result result = session.rsm("redact", mail, "--public", "--yes");

        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.err()).contains("making mail public is for people");
        session.env.clear();
        assertThat(waitingCount()).isEqualTo(1);
    }

    @Test
    void theEmbargoListsAsRefusedWhatMustNotBecomePublicThoughItArrivedBefore() throws IOException {
        List<String> send =
                List.of(
                        "send",
                        "--to",
                        "code",
                        "--topic",
                        "t",
                        "--consent",
                        "public",
                        "--public",
                        "--id",
                        "01M7GM3J5HECJMDG7M003VT8Q1",
                        "the deal with Zuse");
        assertThat(session.rsm(send, "").exit()).isZero();
        session.rsm("lock", "hive");
        assertThat(session.rsm(send, "").exit()).isEqualTo(3);
        assertThat(session.rsm("unlock", "hive", "--by", "you").exit()).isZero();
        Files.writeString(
                session.home.resolve(".config/pheromone/redaction.rules"),
                "rule: partner\nkeywords: Zuse\npattern: Zuse\n");

        assertThat(session.rsm("embargo", "--json").out())
                .contains("must not become public")
                .doesNotContain("duplicate");
    }
}
