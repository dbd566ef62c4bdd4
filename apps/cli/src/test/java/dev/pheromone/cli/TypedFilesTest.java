package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A file that is named on a command line is under the locks of every hive around it. Here a hive
/// `outer` holds a hive `outer/inner`, and `other` is a hive beside them.
final class TypedFilesTest {

    @TempDir private Path folder;
    private Session session;

    @BeforeEach
    void makeHives() throws IOException {
        session = new Session(folder.toRealPath());
        for (String hive : new String[] {"outer", "outer/inner", "other"}) {
            Path root = Files.createDirectories(session.home.resolveSibling(hive));
            session.cwd = root;
            assertThat(session.rsm("init").exit()).isZero();
            Files.createDirectories(root.resolve("secrets"));
            Files.writeString(root.resolve("secrets/plan.md"), "the plan of " + hive + "\n");
        }
        for (String hive : new String[] {"outer", "other"}) {
            session.cwd = session.home.resolveSibling(hive);
            assertThat(session.rsm("lock", "dnr", "**/secrets/**").exit()).isZero();
        }
        session.cwd = session.home.resolveSibling("outer/inner");
        assertThat(session.rsm("send", "--to", "code", "a question").exit()).isZero();
        Files.createDirectories(session.cwd.resolve("src"));
    }

    private void assertWithheld(String line) {
        Session.Result result = session.rsm(TypedWords.split(line), "");
        assertThat(result.exit()).as(line + ": " + result.err()).isEqualTo(3);
        assertThat(result.out() + result.err()).doesNotContain("the plan");
    }

    private String question() {
        return session.rsm("inbox", "code", "-q").out().strip();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "secrets/plan.md",
                "src/../secrets/plan.md",
                "../secrets/plan.md",
                "../../other/secrets/plan.md"
            })
    void noCommandOpensAFileUnderALockOfAnotherOrAnOuterHive(String file) {
        assertWithheld("send --to code --attach " + file + " look");
        assertWithheld("reply " + question() + " --attach " + file + " look");
        assertWithheld("send --to code --body-file " + file);
        assertWithheld("send --envelope " + file);
        assertWithheld("verify " + file);
        assertWithheld("keys sign " + file);
        assertWithheld("check --content " + file + " --write src/a");
        assertWithheld("serve --token-file " + file);
        assertWithheld("slo --html " + file);
        assertThat(session.rsm("inbox", "code", "--json").out()).contains("\"count\":1");
    }

    @Test
    void aLinkIsNoWayPastALock() throws IOException {
        Path other = session.home.resolveSibling("other");
        Files.createSymbolicLink(session.cwd.resolve("plan"), other.resolve("secrets/plan.md"));
        Files.createSymbolicLink(session.cwd.resolve("away"), other.resolve("secrets"));
        assertWithheld("send --to code --attach plan look");
        assertWithheld("send --to code --attach away/plan.md look");
        assertWithheld("send --to code --body-file plan");
    }

    /// `away/..` is another hive's folder for whoever opens it, and this one for whoever only reads
    /// the name: what is judged must be what is opened.
    @Test
    void twoDotsBehindALinkLeadWhereTheLinkDoes() throws IOException {
        Path other = session.home.resolveSibling("other");
        Files.createDirectories(other.resolve("open"));
        Files.writeString(other.resolve("plan"), "a free text\n");
        Files.createSymbolicLink(session.cwd.resolve("away"), other.resolve("open"));
        Files.createSymbolicLink(session.cwd.resolve("plan"), other.resolve("secrets/plan.md"));
        Session.Result sent =
                session.rsm("send", "--to", "code", "--body-file", "away/../plan", "--json");
        assertThat(sent.exit()).isZero();
        assertThat(session.rsm("read", AnswerSchemas.field(sent.out(), "id")).out())
                .contains("a free text")
                .doesNotContain("the plan");
    }

    @Test
    void aSecondNameOfALockedFileIsLockedToo() throws IOException {
        Path other = session.home.resolveSibling("other");
        Files.createLink(other.resolve("free.md"), other.resolve("secrets/plan.md"));
        assertWithheld("send --to code --attach ../../other/free.md look");
    }

    @Test
    void aFreeFileIsAttachedByItsName() throws IOException {
        Files.writeString(session.cwd.resolve("src/a.md"), "free\n");
        Session.Result sent =
                session.rsm("send", "--to", "code", "--attach", "src/a.md", "look", "--json");
        assertThat(sent.exit()).as(sent.out()).isZero();
        assertThat(session.rsm("read", AnswerSchemas.field(sent.out(), "id")).out())
                .contains("attached  src/a.md");
    }
}
