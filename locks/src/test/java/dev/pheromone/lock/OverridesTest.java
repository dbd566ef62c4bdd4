package dev.pheromone.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Actor;
import dev.pheromone.config.TrustYaml;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Permission;
import dev.pheromone.guard.Verdict;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.Signer;
import dev.pheromone.trust.TrustList;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
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
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
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
        new KeptTrust(layout, guard).keep();
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

    /// The hive knows a person's key, and then no override counts without it.
    @Nested
    class WhereAPersonsKeyIsKnown {

        private final Signer key = signer("laptop", 1);
        private final Leave leave =
                new Leave(
                        NOW.minusSeconds(60),
                        "claude-7f3a",
                        "you",
                        "docs/spec.md",
                        "a typo",
                        Ttl.parse("1h"),
                        CONTENT);

        @BeforeEach
        void trustIt() throws IOException {
            trust(Key.of(key, List.of(Actor.parse("you"))).asHuman());
        }

        private static Signer signer(String kid, int seed) {
            byte[] bytes = new byte[32];
            Arrays.fill(bytes, (byte) seed);
            return Signer.ed25519(KeyId.parse(kid), bytes);
        }

        private void trust(Key trusted) throws IOException {
            Files.write(layout.trust(), TrustYaml.write(new TrustList(List.of(trusted))));
        }

        private Path permit(Signer signer) throws IOException {
            return layout.root().resolve(new Locksmith(layout, guard).permit(leave, signer));
        }

        private String refusal() {
            return guard.checkContent(target, CONTENT) instanceof Verdict.Blocked blocked
                    ? blocked.reason()
                    : "allowed";
        }

        @Test
        void oneThatNobodySignedCountsForNothingAndIsNamed() throws IOException {
            write();

            assertThat(refusal())
                    .contains(
                            ".deia/overrides/ALLOW-WRITE-1.yaml counts for nothing",
                            "no signature");
            assertThat(guard.permission(target, CONTENT)).isEmpty();
            assertThat(guard.overrides().getFirst().problem()).contains("no signature");
        }

        @Test
        void oneThatTheirKeySignedCounts() throws IOException {
            permit(key);

            assertThat(refusal()).isEqualTo("allowed");
            assertThat(guard.permission(target, CONTENT))
                    .get()
                    .extracting(Permission::by, Permission::proof)
                    .containsExactly("you", "key laptop");
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                quoteCharacter = '"',
                value = {
                    "claude-7f3a | codex-19be",
                    "ttl: 1h | ttl: 2h",
                    "a typo | another",
                    "source: 'you' | source: 'ada'",
                    "ed25519- | ed25519-00",
                    "\"sig: \" | \"sig:  \"",
                    "kid: 'laptop' | kid: 'other'",
                })
        void oneThatWasChangedAfterwardsCountsForNothing(String from, String to)
                throws IOException {
            Path file = permit(key);
            String signed = Files.readString(file);
            assertThat(signed).contains(from);
            Files.writeString(file, signed.replace(from, to));

            assertThat(refusal()).contains("counts for nothing");
        }

        @Test
        void anotherKeyOfThatNameCountsForNothing() throws IOException {
            permit(signer("laptop", 2));

            assertThat(refusal()).contains("the signature is not key laptop's");
        }

        @Test
        void keyThatIsNoPersonsOrNotTrustedOrRevokedCountsForNothing() throws IOException {
            permit(key);
            trust(Key.of(key, List.of(Actor.parse("you"))));
            assertThat(refusal()).contains("key laptop is not a person's");

            trust(Key.of(signer("other", 2), List.of(Actor.parse("you"))).asHuman());
            assertThat(refusal()).contains("key laptop is not a person's");

            trust(Key.of(key, List.of(Actor.parse("you"))).asHuman().revokedAt(NOW));
            assertThat(refusal()).contains("key laptop is revoked");
        }

        @Test
        void whoPermitsItMustBeTheKeysOwner() throws IOException {
            trust(Key.of(key, List.of(Actor.parse("ada"))).asHuman());
            permit(key);

            assertThat(refusal()).contains("key laptop does not belong to you");
        }

        @Test
        void underTheHivesLockTheKeysKeptInTheMirrorCount() throws Exception {
            Leave configuration =
                    new Leave(
                            leave.ts(),
                            "claude-7f3a",
                            "you",
                            ".deia/hive.yaml",
                            "a freeze",
                            leave.ttl(),
                            CONTENT);
            Locksmith smith = new Locksmith(layout, guard);
            smith.lockHive("freeze");
            smith.permit(configuration, null);
            assertThat(guard.permission(layout.configuration(), CONTENT)).isEmpty();

            smith.permit(configuration, key);
            assertThat(guard.permission(layout.configuration(), CONTENT)).isPresent();

            Files.delete(layout.embargo().resolve("trust.yaml"));
            assertThat(guard.permission(layout.configuration(), CONTENT)).isEmpty();
        }
    }
}
