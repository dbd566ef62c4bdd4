package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.envelope.ContentHash;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The specification's own test: while the hive's lock is there, every command that would read or
/// write in the hive touches nothing there, ends with 3, and leaves one event in the embargo's log.
class FreezeTest {

    /// Long ago: a read would bring a file's time of access forward.
    private static final FileTime LONG_AGO = FileTime.fromMillis(946_684_800_000L);

    @TempDir Path folder;
    Session session;
    private String id;
    private String claim;
    private Map<String, ContentHash> contents;

    @BeforeEach
    void aHiveInUseIsLocked() throws Exception {
        session = new Session(folder.toRealPath());
        rsm("init");
        rsm("init other");
        Files.writeString(
                session.cwd.resolve(".deia/hive.yaml"),
                "transports: {team: {url: \"http://127.0.0.1:1\"}}\n");
        rsm("keys new laptop");
        id = AnswerSchemas.field(rsm("send --to code hello --json").out(), "id");
        claim = AnswerSchemas.field(rsm("select code --json").out(), "claim");
        rsm("send --to code another");
        assertThat(rsm("lock hive --reason freeze").exit()).isZero();
        contents = contents();
        for (Path path : hiveFiles()) {
            Files.getFileAttributeView(
                            path, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setTimes(LONG_AGO, LONG_AGO, null);
        }
    }

    private Session.Result rsm(String line) throws Exception {
        return run(Arrays.asList(line.split(" ", -1)));
    }

    Session.Result run(List<String> words) throws Exception {
        return session.rsm(words, "");
    }

    private List<Path> hiveFiles() throws IOException {
        try (Stream<Path> paths = Files.walk(session.cwd.resolve(".deia"))) {
            return paths.filter(path -> !path.toString().contains("overrides")).toList();
        }
    }

    /// Names, sizes, and times of change and access; of the lock itself the reason is read and
    /// shown, and folders are looked at by this very test.
    private Map<String, String> listing() throws IOException {
        Map<String, String> listing = new TreeMap<>();
        for (Path path : hiveFiles()) {
            BasicFileAttributes attributes =
                    Files.readAttributes(
                            path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            boolean lock = path.toString().endsWith(".lock");
            listing.put(
                    path.toString(),
                    attributes.size()
                            + " "
                            + attributes.lastModifiedTime()
                            + " "
                            + (lock || attributes.isDirectory()
                                    ? ""
                                    : attributes.lastAccessTime()));
        }
        return listing;
    }

    /// What is in each file. Reading brings times of access forward: take the listing before.
    private Map<String, ContentHash> contents() throws IOException {
        Map<String, ContentHash> contents = new TreeMap<>();
        for (Path path : hiveFiles()) {
            if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                contents.put(path.toString(), ContentHash.of(Files.readAllBytes(path)));
            }
        }
        return contents;
    }

    private List<String> mirrorEvents() throws IOException {
        Path log = session.cwd.resolve(".embargo/telemetry/rse.jsonl");
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "send --to code hello",
                "send --to code --to docs hello",
                "send --to nowhere hello --create",
                "reply ID yes",
                "drop red",
                "sense",
                "sense --select",
                "inbox",
                "inbox code",
                "read ID",
                "select code",
                "select code --dry-run",
                "ack CLAIM done",
                "ack CLAIM error no",
                "ack CLAIM accepted",
                "ack ID done",
                "release CLAIM",
                "retry ID",
                "watch code --once",
                "work code --once -- true",
                "log",
                "trace ID",
                "search hello",
                "verify ID",
                "keys trust laptop --by you",
                "keys revoke laptop --by you",
                "archive",
                "archive approve --by you",
                "status",
                "status --line",
                "slo",
                "mute ci --for 1h --by you",
                "audit",
                "doctor",
                "doctor --fix",
                "init",
                "bridge . OTHER --domain code --drain",
                "bridge . team --drain",
                "send --to code --via team hello",
                "inbox code --via team",
                "archive --via team",
                "select code --via team",
                "read ID --via team",
                "ack ID done --via team",
                "release ID --via team",
                "reply ID yes --via team",
                "watch code --once --via team",
                "work code --once --via team -- true",
                "embargo release --yes --by you",
                "redact ID --public --yes",
                "override",
                "lock dnr secret.txt",
                "unlock dnr secret.txt --by you",
                "lock trust-guard --by you",
            })
    void nothingIsTouched(String line) throws Exception {
        Map<String, String> before = listing();
        int told = mirrorEvents().size();

        Session.Result result =
                rsm(line.replace("ID", id).replace("CLAIM", claim).replace("OTHER", "other"));

        assertThat(result.exit()).as("%s: %s", line, result).isEqualTo(3);
        assertThat(listing()).isEqualTo(before);
        assertThat(contents()).isEqualTo(contents);
        List<String> events = mirrorEvents().subList(told, mirrorEvents().size());
        assertThat(events).as(line).hasSize(1);
        assertThat(Json.parse(events.getFirst()))
                .asString()
                .contains(
                        "\"type\":\"policy_guard\"",
                        "\"lock\":\"do-not-erase\"",
                        "\"path\":",
                        "\"mode\":",
                        "\"source\":\"rotg-2\"");
    }

    @Test
    void whatWasSentAndDoneMeanwhileComesToItsPlaceOnce() throws Exception {
        String kept = AnswerSchemas.field(rsm("send --to code meanwhile --json").out(), "id");
        rsm("ack " + claim + " done merged");

        assertThat(rsm("unlock hive --release --by you").exit()).isZero();

        assertThat(rsm("inbox code --quiet").out()).contains(kept);
        assertThat(rsm("trace " + id + " --json").out()).contains("merged");
        assertThat(rsm("embargo").out()).contains("nothing waits");
        assertThat(rsm("embargo release --yes --by you").out()).contains("nothing waits");
        assertThat(rsm("log --type policy_guard --json").out()).contains("rotg-2");
    }
}
