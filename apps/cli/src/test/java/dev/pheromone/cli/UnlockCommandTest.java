package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;

/// What is told, and done, when a frozen hive is let go again.
class UnlockCommandTest extends OneHive {

    @Test
    void mailThatExpiredInTheMirrorIsArchivedAsItIsSaidToBe() throws IOException {
        session.rsm("lock", "hive");
        session.rsm("send", "--to", "code", "--ttl", "1s", "soon over");
        session.later(Duration.ofSeconds(2));

        Session.Result result = session.rsm("unlock", "hive", "--release", "--by", "me");

        assertThat(result.out()).contains("its ttl is over; it is archived as expired");
        assertThat(session.rsm("inbox", "code", "-q").out()).isEmpty();
        assertThat(session.cwd.resolve(".deia/archive/code/expired")).isDirectory();
        assertThat(session.rsm("log", "--type", "pheromone_expire").out()).hasLineCount(1);
    }

    @Test
    void expiredMailOfAHiveWithApprovalWaitsForIt() throws IOException {
        Files.writeString(session.cwd.resolve(".deia/hive.yaml"), "archive: approve\n");
        session.rsm("lock", "hive");
        session.rsm("send", "--to", "code", "--ttl", "1s", "soon over");
        session.later(Duration.ofSeconds(2));

        assertThat(session.rsm("unlock", "hive", "--release", "--by", "me").out())
                .contains("its ttl is over; rsm archive approve archives it as expired");
        assertThat(session.cwd.resolve(".deia/archive/code/expired")).doesNotExist();
    }

    @Test
    void releasingCanBeDoneAfterTheLockIsGone() {
        session.rsm("lock", "hive");
        session.rsm("send", "--to", "code", "meanwhile");
        assertThat(session.rsm("unlock", "hive", "--by", "me").exit()).isZero();

        Session.Result plain = session.rsm("unlock", "hive", "--by", "me");
        assertThat(plain.exit()).isEqualTo(6);
        assertThat(plain.err())
                .contains("the hive is not locked", "1 in the embargo", "rsm embargo release");
        assertThat(session.rsm("status").out()).contains("next:  rsm embargo");

        Session.Result released = session.rsm("unlock", "hive", "--release", "--by", "me");
        assertThat(released.exit()).isZero();
        assertThat(released.out())
                .contains(
                        "the hive was not locked; mail is released",
                        "confirmed by me",
                        " delivered, queen://code");
        assertThat(session.rsm("inbox", "code", "-q").out()).hasLineCount(1);

        Session.Result again = session.rsm("unlock", "hive", "--release", "--by", "me");
        assertThat(again.exit()).isEqualTo(6);
        assertThat(again.err()).contains("the hive is not locked", "rsm lock");
    }

    @Test
    void anAgentCantReleaseEitherOnceTheLockIsGone() {
        session.rsm("lock", "hive");
        session.rsm("send", "--to", "code", "meanwhile");
        session.rsm("unlock", "hive", "--by", "me");
        session.env.put("CLAUDECODE", "1");

        Session.Result result = session.rsm("unlock", "hive", "--release", "--by", "me");

        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.err()).contains("releasing mail is for people");
    }

    @Test
    void whatIsKeptByAnotherLockKeepsNothingElse() {
        session.rsm("send", "--to", "ops", "--create", "first");
        session.rsm("lock", "do-not-alter", ".deia/inbox/ops/**");
        session.rsm("lock", "hive");
        session.rsm("send", "--to", "ops", "stays");
        session.rsm("send", "--to", "code", "goes");

        Session.Result result = session.rsm("unlock", "hive", "--release", "--by", "me");

        assertThat(result.exit()).isEqualTo(3);
        assertThat(result.out())
                .contains("the hive is unlocked", " delivered, queen://code", " withheld: ");
        assertThat(result.err()).contains("1 of 2 stay in the embargo under a lock");
        assertThat(session.rsm("inbox", "code", "-q").out()).hasLineCount(1);
        assertThat(session.rsm("embargo").out()).contains("withheld", "do-not-alter");
    }

    @Test
    void whichKeysAreTrustedIsNotSaidWhereNobodyKnows() throws IOException {
        session.rsm("keys", "new", "laptop");
        session.rsm("keys", "trust", "laptop", "--by", "me");
        session.rsm("lock", "hive");
        assertThat(session.rsm("keys", "list").out()).contains("laptop");
        Files.delete(session.cwd.resolve(".embargo/trust.yaml"));

        assertThat(session.rsm("keys", "list").exit()).isEqualTo(3);
        assertThat(session.rsm("keys", "revoke", "laptop", "--by", "me").exit()).isEqualTo(3);
    }

    @Test
    void whatCanGoByNoTransportStaysInTheMirror() throws IOException {
        Files.writeString(
                session.cwd.resolve(".deia/hive.yaml"),
                "transports: {team: {url: \"http://127.0.0.1:1\"}}\n");
        session.rsm("lock", "hive");
        session.rsm("send", "--via", "nosuch", "--to", "code", "lost");
        session.rsm("send", "--via", "team", "--consent", "private", "--to", "code", "secret");

        Session.Result result = session.rsm("unlock", "hive", "--release", "--by", "me");

        assertThat(result.exit()).isNotZero();
        assertThat(result.out()).contains("nosuch", "consent is private, and team reaches team");
        assertThat(session.rsm("embargo", "-q").out()).hasLineCount(2);
        assertThat(session.rsm("log", "--type", "consent_refused").out()).hasLineCount(1);
    }
}
