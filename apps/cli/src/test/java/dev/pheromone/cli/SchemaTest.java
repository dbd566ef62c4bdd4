package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Every answer is what its schema says.
class SchemaTest {

    /// Their answers end only when they are interrupted, or change the user's own folders, or are
    /// the exit alone; other tests have them.
    private static final Set<String> ELSEWHERE =
            Set.of("watch", "install", "up", "serve", "hook", "mcp");

    @TempDir Path folder;

    private final AnswerSchemas schemas = new AnswerSchemas();
    private final Set<String> checked = new HashSet<>();

    SchemaTest() throws IOException {}

    @Test
    void ofEveryVerbThereIsOne() {
        assertThat(schemas.names()).containsAll(Verbs.NAMES).contains("error", "version");
    }

    @Test
    void theAnswersOfAWholeSessionAreWhatTheySay() throws IOException {
        Session session = new Session(folder.toRealPath());
        run(session, "init");
        run(session, "init");
        run(session, "drop", "main is red", "--tag", "ci");
        run(session, "sense");
        run(session, "sense", "--select");
        run(session, "sense", "--select");
        String mail =
                run(
                        session,
                        "send",
                        "--to",
                        "code",
                        "--to",
                        "docs",
                        "--scope",
                        "src",
                        "--tag",
                        "x",
                        "please look");
        String id = AnswerSchemas.field(mail, "id");
        run(session, "send", "--to", "cdoe", "please look");
        run(
                session,
                "send",
                "--to",
                "code",
                "--to",
                "docs",
                "--scope",
                "src",
                "--tag",
                "x",
                "please look",
                "--id",
                id);
        run(session, "send", "--to", "code", "other", "--id", id);
        run(session, "inbox", "code");
        run(session, "inbox", "code", "--by-sender");
        run(session, "read", id);
        run(session, "read", "--raw", id);
        run(session, "reply", id, "yes");
        run(session, "select", "code", "--dry-run");
        String claim = AnswerSchemas.field(run(session, "select", "code"), "claim");
        run(session, "status");
        run(session, "ack", claim, "accepted");
        run(session, "ack", claim, "error", "no");
        run(session, "select", "code");
        session.later(Duration.ofMinutes(1));
        claim = AnswerSchemas.field(run(session, "select", "code"), "claim");
        run(session, "release", claim);
        claim = AnswerSchemas.field(run(session, "select", "code"), "claim");
        run(session, "ack", claim, "done", "--reply", "done");
        run(session, "ack", claim, "done");
        String question =
                AnswerSchemas.field(
                        run(
                                session,
                                "ask",
                                "user://you",
                                "--choice",
                                "yes",
                                "--free",
                                "--default",
                                "no",
                                "--deadline",
                                "30m",
                                "may I?"),
                        "id");
        run(session, "read", question);
        run(session, "ask", "--list");
        run(session, "reply", question, "yes");
        run(session, "reply", question, "too late");
        run(session, "ask", "--status", question);
        run(session, "ask", "--status", question, "--wait", "1s");
        run(session, "trace", question);
        run(session, "ask", "code", "which branch?");
        run(session, "select", "code");
        run(session, "log");
        run(session, "prime");
        run(session, "describe");
        run(session, "slo");
        run(session, "slo", "--html", "slo.html");
        run(session, "trace", id);
        run(session, "search", "look");
        run(session, "verify", id);
        run(session, "keys", "new", "laptop");
        run(session, "keys", "list");
        run(session, "keys", "trust", "laptop", "--by", "you");
        String signed = AnswerSchemas.field(run(session, "send", "--to", "code", "a@b.io"), "id");
        run(session, "redact", signed, "--public");
        run(session, "redact", signed, "--public", "--yes");
        Files.writeString(session.cwd.resolve("bad.md"), "---\nid: 1\n---\n");
        run(session, "verify", id, "bad.md");
        run(session, "demo");
        String unread =
                AnswerSchemas.field(
                        run(
                                session,
                                "send",
                                "--actor",
                                "ci",
                                "--ttl",
                                "1h",
                                "--to",
                                "docs",
                                "nightly build"),
                        "id");
        session.later(Duration.ofHours(2));
        run(session, "select", "docs");
        run(session, "retry", unread);
        run(session, "send", "--to", "ops", "deploy");
        work(session, "ops", "--once", "--", "true");
        work(session, "ops", "--once", "--", "true");
        run(session, "archive");
        run(session, "archive", "approve", "--by", "you");
        run(session, "status");
        run(session, "audit");
        session.launcher = folder.resolve("bin/rsm").toAbsolutePath();
        run(session, "setup", "claude", "--yes");
        run(session, "setup", "gemini", "--check");
        run(session, "setup", "copilot", "--dry-run");
        run(session, "setup", "opencode", "--dry-run");
        run(session, "check", "src/a.txt", "/elsewhere");
        run(session, "lock", "dnr", "src/keys", "--reason", "private", "--expires", "2h");
        run(session, "check", "--write", "src/keys/a.pem", "src/b.txt");
        run(session, "lock");
        run(session, "status");
        run(session, "mute");
        run(session, "mute", "noisy", "--reason", "too much", "--by", "you");
        run(session, "send", "--to", "code", "--actor", "noisy", "psst");
        run(session, "mute");
        run(session, "status");
        run(session, "mute", "noisy", "--off", "--by", "you");
        run(session, "override");
        run(
                session,
                "override",
                "src/keys/a.pem",
                "--content",
                "bad.md",
                "--reason",
                "once",
                "--by",
                "you");
        run(session, "override");
        run(session, "unlock", "dnr", "src/keys", "--by", "you");
        run(session, "unlock", "dnr", "src/keys", "--by", "you");
        Files.createDirectories(session.cwd.resolve(".deia/tools"));
        Files.writeString(session.cwd.resolve(".deia/tools/policy_guard.sh"), "exit 0\n");
        run(session, "lock");
        run(session, "lock", "trust-guard", "--by", "you");
        run(session, "lock", "trust-guard");
        run(session, "lock");
        run(session, "reserve", "src/**", "--why", "the parser");
        run(session, "reserve", "src", "--actor", "codex-19be");
        run(session, "reserve");
        run(session, "reserve", "--drop");
        run(session, "lock", "hive", "--reason", "release");
        run(session, "lock", "hive");
        run(session, "check", ".deia/hive.yaml");
        run(session, "lock");
        run(session, "unlock", "hive", "--by", "you");
        run(session, "doctor", "--fix");
        assertThat(
                        session.rsm(
                                        List.of("hook", "claude", "SessionStart"),
                                        "{\"session_id\":\"1\"}")
                                .exit())
                .isZero();
        run(session, "agents");
        run(session, "wake", "claude-6b86");
        run(session, "doctor", "wake");
        run(session, "down");
        run(session, "board", "--forget");
        run(session, "slo", "--chart", "latency");
        run(session, "search", "from:ci state:dead");
        Path lock = session.cwd.resolve(".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock");
        Files.createFile(lock);
        run(session, "send", "--to", "code", "under a lock");
        run(session, "embargo");
        Files.delete(lock);
        run(session, "embargo", "release");
        run(session, "embargo", "release", "--yes", "--by", "you");
        Path other = Files.createDirectories(session.cwd.resolve("other"));
        Session neighbour = new Session(other);
        neighbour.rsm("init");
        run(session, "send", "--to", "code", "for the neighbour");
        run(session, "bridge", ".", "other", "--domain", "code", "--drain");
        run(session, "bridge", ".", "other", "--domain", "code", "--once");
        run(session, "schema");
        run(session, "schema", "send");
        run(session, "completion", "bash");
        run(session, "help");
        run(session, "help", "all");
        run(session, "help", "send");
        List<String> missing = new ArrayList<>(Verbs.NAMES);
        missing.removeAll(checked);
        missing.removeAll(ELSEWHERE);
        assertThat(missing).isEmpty();
    }

    /// As [#run], of words that end in a command of their own.
    private void work(Session session, String... words) {
        List<String> line = new ArrayList<>(List.of("work", "--json"));
        line.addAll(List.of(words));
        Session.Result result = session.rsm(line, "");
        assertThat(result.err()).as("%s", line).isEmpty();
        assertThat(schemas.problems("work", result.out())).isEmpty();
        checked.add("work");
    }

    private String run(Session session, String... words) {
        List<String> line = new ArrayList<>(List.of(words));
        line.add("--json");
        Session.Result result = session.rsm(line, "");
        assertThat(result.err()).as("%s", line).isEmpty();
        assertThat(result.out()).as("%s", line).isNotEmpty();
        assertThat(schemas.problems(words[0], result.out())).isEmpty();
        if (result.exit() == 0) {
            checked.add(words[0]);
        }
        return result.out();
    }
}
