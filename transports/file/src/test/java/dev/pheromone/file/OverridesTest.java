package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.ContentHash;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;
import dev.pheromone.testkit.FakeClock;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/// An override opens a lock for one target, one content and a time, and nothing else.
final class OverridesTest {

    private static final Instant NOW = Instant.parse("2026-11-16T10:30:00Z");
    private static final ContentHash CONTENT =
            ContentHash.of("new text\n".getBytes(StandardCharsets.UTF_8));

    @TempDir private Path folder;
    private HiveLayout layout;
    private Path target;
    private LockFiles guard;
    private final Map<String, String> fields = new LinkedHashMap<>();

    @BeforeEach
    void lockTheTarget() throws IOException {
        layout = new HiveLayout(folder.toRealPath());
        Files.createDirectories(layout.hive().resolve("overrides"));
        Files.createDirectory(layout.hive().resolve("do-not-alter"));
        Files.createDirectory(layout.root().resolve("docs"));
        Files.writeString(layout.hive().resolve("do-not-alter/docs.yaml"), "- docs\n");
        target = Files.writeString(layout.root().resolve("docs/spec.md"), "old text\n");
        guard = new LockFiles(new LocalDisk(), layout, new FakeClock(NOW));
        fields.put("override", "ALLOW-WRITE");
        fields.put("ts", "2026-11-16T10:00:00Z");
        fields.put("requestor", "claude-7f3a");
        fields.put("source", "you");
        fields.put("target", "docs/spec.md");
        fields.put("reason", "a typo");
        fields.put("ttl", "1h");
        fields.put("hash", CONTENT.toString());
    }

    private Path write() throws IOException {
        StringBuilder yaml = new StringBuilder();
        fields.forEach((key, value) -> yaml.append(key).append(": ").append(value).append('\n'));
        return Files.writeString(
                layout.hive().resolve("overrides/ALLOW-WRITE-1.yaml"), yaml.toString());
    }

    private boolean isAllowed() {
        return guard.checkContent(target, CONTENT).equals(Verdict.ALLOWED);
    }

    @Test
    void withoutOneTheLockHolds() {
        assertThat(isAllowed()).isFalse();
    }

    @Test
    void wholeOneOpensItForThisContentAlone() throws IOException {
        write();

        assertThat(isAllowed()).isTrue();
        assertThat(guard.checkContent(target, ContentHash.of(new byte[0])))
                .isInstanceOf(Verdict.Blocked.class);
        assertThat(guard.check(target, Access.WRITE)).isInstanceOf(Verdict.Blocked.class);
        assertThat(guard.check(target, Access.ERASE)).isInstanceOf(Verdict.Blocked.class);
    }

    @Test
    void otherTargetsStayLocked() throws IOException {
        write();

        assertThat(guard.checkContent(layout.root().resolve("docs/other.md"), CONTENT))
                .isInstanceOf(Verdict.Blocked.class);
        assertThat(guard.checkContent(layout.root().resolve("docs"), CONTENT))
                .isInstanceOf(Verdict.Blocked.class);
    }

    @Test
    void linkToTheTargetIsNotTheTarget() throws IOException {
        write();
        Path link = layout.root().resolve("docs/link.md");
        Files.createSymbolicLink(link, target);

        assertThat(guard.checkContent(link, CONTENT)).isInstanceOf(Verdict.Blocked.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"override", "ts", "requestor", "source", "target", "reason", "ttl", "hash"})
    void oneWithoutAFieldOrWithAnEmptyOneIsNone(String field) throws IOException {
        String value = String.valueOf(fields.put(field, "''"));
        write();
        assertThat(isAllowed()).isFalse();

        fields.remove(field);
        write();
        assertThat(isAllowed()).isFalse();

        fields.put(field, value);
        write();
        assertThat(isAllowed()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "ts, yesterday",
        "ts, 2026-11-16T10:31:00Z",
        "ts, 2026-11-16T09:30:00Z",
        "ttl, 0s",
        "ttl, 31d",
        "ttl, 30m",
        "ttl, soon",
        "hash, 5ebe2294ecd0e0f08eab7690d2a6ee69",
        "hash, sha256:00",
        "target, docs/other.md",
        "target, docs",
        "target, docs/*.md",
        "target, '**'",
        "target, .",
        "target, ../docs/spec.md",
        "target, '[docs/spec.md]'",
        "reason, {a: b}",
        "unknown, x"
    })
    void whatIsMalformedOrOverIsNone(String field, String value) throws IOException {
        fields.put(field, value);
        write();

        assertThat(isAllowed()).isFalse();
    }

    @Test
    void onlyARegularFileOfThatNameCounts() throws IOException {
        Path file = write();
        Path other = layout.root().resolve("other.yaml");
        Files.move(file, other);
        Files.createSymbolicLink(file, other);
        assertThat(isAllowed()).isFalse();

        Files.delete(file);
        Files.createDirectory(file);
        assertThat(isAllowed()).isFalse();

        Files.copy(other, layout.hive().resolve("overrides/allowed.yaml"));
        assertThat(isAllowed()).isFalse();
    }

    @Test
    void fileBeyondTheLimitIsNone() throws IOException {
        Files.writeString(write(), "#".repeat(9_000) + "\n", StandardOpenOption.APPEND);

        assertThat(isAllowed()).isFalse();
    }

    @Test
    void hiveLockIsOpenedInTheSameWay() throws IOException {
        Files.createFile(layout.hive().resolve(LockFiles.HIVE_LOCK));
        fields.put("target", ".deia/hive.yaml");
        write();

        assertThat(guard.checkContent(layout.configuration(), CONTENT)).isEqualTo(Verdict.ALLOWED);
        assertThat(guard.checkContent(layout.trust(), CONTENT)).isInstanceOf(Verdict.Blocked.class);
        assertThat(guard.check(layout.configuration(), Access.READ))
                .isInstanceOf(Verdict.Blocked.class);
    }

    @Test
    void outsideGuardIsNotOverridden() throws IOException {
        Files.createDirectory(layout.hive().resolve("tools"));
        Files.writeString(layout.hive().resolve("tools/policy_guard.sh"), "exit 1\n");
        fields.put("target", ".deia/hive.yaml");
        write();

        assertThat(guard.checkContent(layout.configuration(), CONTENT))
                .isInstanceOf(Verdict.Blocked.class);
    }
}
