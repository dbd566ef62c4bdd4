package dev.pheromone.cli;

import static dev.pheromone.cli.ViaContract.ok;
import static dev.pheromone.cli.ViaContract.rsm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

/// What was kept while a transport was away does there what it was sent for, or says that it could
/// not.
@Timeout(120)
final class KeptMailTest {

    @TempDir Path temp;
    private ServedProcess server;
    private Session ann;

    @BeforeEach
    void away() throws Exception {
        server = ServedProcess.start(temp.toRealPath().resolve("server"));
        ann = new Session(Files.createDirectories(temp.toRealPath().resolve("ann")));
        assertThat(ann.rsm("init").exit()).isZero();
        ViaContract.configure(ann, "team: " + server.transport());
        ok(ann, "send --via team --to docs before");
        server.kill();
    }

    @AfterEach
    void end() {
        server.close();
    }

    @Test
    void anInboxThatWasToBeMadeIsMadeLater() throws Exception {
        ok(ann, "send --via team --create --to brandnew hi");
        server.restart();
        assertThat(ok(ann, "doctor --fix")).contains("sent 1 message that was waiting for team");
        assertThat(ok(ann, "inbox brandnew --via team --json")).contains("\"waiting\":1");
    }

    /// Whether it is sent under the lock, or was kept before: what the other side would keep of it
    /// does not say that there is to be an inbox.
    @Test
    void anInboxThatALockForbidsToMakeIsMadeWhenThatIsGone() throws Exception {
        ok(ann, "send --via team --create --to brandnew before");
        server.restart();
        ok(server.session, "lock hive --reason freeze");
        assertThat(ok(ann, "send --via team --create --to brandnew under")).contains("kept");
        rsm(ann, "doctor --fix");
        assertThat(ann.cwd.resolve(".deia/outbox/team")).isDirectoryContaining("glob:**.md");

        ok(server.session, "unlock hive --by me --release");
        assertThat(ok(ann, "doctor --fix")).contains("sent 2 messages that were waiting for team");
        assertThat(ok(ann, "inbox brandnew --via team --json")).contains("\"waiting\":2");
    }

    @Test
    void whatCouldNotBeDeliveredIsSaidAndTriedAgainByItsOwnWay() throws Exception {
        String sent = ok(ann, "send --via team --to ops --to nope hi --json");
        String id = AnswerSchemas.field(sent, "id");
        server.restart();
        assertThat(ok(ann, "doctor --fix"))
                .contains("warning: .deia/outbox/team: found 1 that could not be delivered")
                .doesNotContain("nothing is wrong");
        assertThat(ok(ann, "inbox ops --via team --json")).contains("\"waiting\":1");

        // An inbox of the same name here is another.
        ok(ann, "send --to nope --create mine");
        Session.Result none = rsm(ann, "retry " + id);
        assertThat(none.exit()).as("%s", none).isEqualTo(6);
        ok(ann, "send --via team --to nope --create theirs");
        ok(ann, "retry " + id);
        assertThat(ok(ann, "inbox nope --via team --json")).contains("\"waiting\":2");
        assertThat(ok(ann, "inbox nope --json")).contains("\"waiting\":1");
    }

    @Test
    void aQuestionIsKeptAndSaidToBe() throws Exception {
        Session.Result asked = rsm(ann, "send --via team --wait-reply 2s --to ops q");
        assertThat(asked.exit()).as("%s", asked).isEqualTo(4);
        assertThat(asked.err()).contains("it is kept, do not resend: team is away");
        server.restart();
        ok(ann, "doctor --fix");
        assertThat(ok(ann, "inbox ops --via team --json")).contains("\"waiting\":1");
    }

    @Test
    void aWorkerFirstSendsOnWhatWaits() throws Exception {
        ok(ann, "send --via team --to ui hello");
        server.restart();
        Session.Result worked = rsm(ann, "work ui --via team --drain -- cat");
        assertThat(worked.exit()).as("%s", worked).isZero();
        assertThat(worked.err()).contains("1 done, 0 errors");
    }
}
