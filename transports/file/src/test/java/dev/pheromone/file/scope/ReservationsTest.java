package dev.pheromone.file.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.address.Actor;
import dev.pheromone.disk.ChildJvm;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.TestHive;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.LockFiles;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Reservations as files: who gets one, how long it lasts, and what becomes of files that are none.
final class ReservationsTest {

    private static final Actor ADA = Actor.parse("ada");
    private static final Actor GRACE = Actor.parse("grace");
    private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);

    @TempDir Path folder;

    private TestHive hive;
    private Reservations reservations;

    @BeforeEach
    void make() throws IOException {
        hive = new TestHive(folder);
        reservations = new Reservations(hive.files(), hive.layout);
    }

    private Instant now() {
        return hive.clock.instant();
    }

    private Reservations.Result reserve(Actor holder, String... paths) throws IOException {
        return reserve(holder, HALF_AN_HOUR, paths);
    }

    private Reservations.Result reserve(Actor holder, Duration ttl, String... paths)
            throws IOException {
        List<String> patterns = List.of(paths);
        return reservations.add(
                holder,
                patterns,
                "",
                ttl,
                now(),
                view ->
                        holds(holder).overlapping(patterns, view).stream()
                                .findFirst()
                                .orElse(null));
    }

    private Holds holds(Actor self) {
        return new Holds(hive.layout, new LockFiles(hive.layout), self, now());
    }

    private static Reservation made(Reservations.Result result) {
        return ((Reservations.Result.Made) result).hold().reservation();
    }

    private static Actor holderOf(Reservations.Result result) {
        return ((Reservations.Result.Held) result).hold().holder();
    }

    private List<Hold> covering(Actor self, String path) throws IOException {
        return holds(self).covering(hive.layout.root().resolve(path));
    }

    private Path fileOf(Reservation reservation) {
        return hive.layout
                .reservations()
                .resolve(
                        reservation.holder().name().replace('.', '-')
                                + "."
                                + reservation.id()
                                + ".json");
    }

    @Test
    void whatIsReservedIsHeldForOthersAndNotForTheHolder() throws Exception {
        made(reserve(ADA, "src/parser/**", "pom.xml"));

        assertThat(covering(GRACE, "src/parser/Lexer.java")).hasSize(1);
        assertThat(covering(GRACE, "pom.xml")).hasSize(1);
        assertThat(covering(GRACE, "src/other")).isEmpty();
        assertThat(covering(ADA, "src/parser/Lexer.java")).isEmpty();
        assertThat(holds(GRACE).covering(hive.layout.root().resolve("src"))).isEmpty();
        assertThat(holds(GRACE).reachedIn(hive.layout.root().resolve("src"))).hasSize(1);
        assertThat(holds(GRACE).reachedIn(hive.layout.root().resolve("docs"))).isEmpty();
    }

    @Test
    void whatOverlapsIsRefusedUntilItIsOver() throws Exception {
        made(reserve(ADA, "src/**"));

        assertThat(holderOf(reserve(GRACE, "docs", "src/parser/*.java"))).isEqualTo(ADA);
        assertThat(hive.filesIn("reservations")).hasSize(1);
        made(reserve(GRACE, "docs"));
        hive.clock.advance(HALF_AN_HOUR);
        made(reserve(GRACE, "src/parser/*.java"));
        assertThat(hive.filesIn("reservations")).hasSize(1);
    }

    @Test
    void filesOfOneKindDontOverlapFilesOfAnother() throws Exception {
        made(reserve(ADA, "**/*.md"));

        made(reserve(GRACE, "src/Main.java"));
        assertThat(holderOf(reserve(GRACE, "docs/guide.md"))).isEqualTo(ADA);
        assertThat(holderOf(reserve(GRACE, "docs"))).isEqualTo(ADA);
    }

    @Test
    void aFolderWithAnEndingIsAFolder() throws Exception {
        Files.createDirectories(hive.layout.root().resolve("conf.d"));
        made(reserve(ADA, "conf.d"));

        assertThat(holderOf(reserve(GRACE, "conf.d/a.cfg"))).isEqualTo(ADA);
    }

    @Test
    void theSamePathsAgainBeginAnew() throws Exception {
        Reservation first = made(reserve(ADA, "src"));
        hive.clock.advance(Duration.ofMinutes(20));
        Reservation second = made(reserve(ADA, "src"));

        assertThat(hive.filesIn("reservations")).hasSize(1);
        assertThat(fileOf(first)).doesNotExist();
        assertThat(second.endsAt()).isEqualTo(now().plus(HALF_AN_HOUR));
    }

    @Test
    void aSignOfLifeRenewsWhatIsNotOver() throws Exception {
        Reservation kept = made(reserve(ADA, "src"));
        hive.clock.advance(Duration.ofMinutes(25));
        reservations.renew(GRACE, now());
        reservations.renew(ADA, now());

        hive.clock.advance(Duration.ofMinutes(25));
        assertThat(covering(GRACE, "src/a")).hasSize(1);
        hive.clock.advance(Duration.ofMinutes(5));
        reservations.renew(ADA, now());
        assertThat(covering(GRACE, "src/a")).isEmpty();
        assertThat(fileOf(kept)).exists();
    }

    @Test
    void nothingRenewsItForMoreThanFourHours() throws Exception {
        made(reserve(ADA, Duration.ofHours(1), "src"));
        for (int i = 0; i < 8; i++) {
            assertThat(covering(GRACE, "src/a")).hasSize(1);
            hive.clock.advance(HALF_AN_HOUR);
            reservations.renew(ADA, now());
        }
        assertThat(covering(GRACE, "src/a")).isEmpty();
    }

    @Test
    void lateSignsOfLifeBringNothingBackThatOthersHave() throws Exception {
        Reservation late = made(reserve(ADA, "src"));
        hive.clock.advance(HALF_AN_HOUR);
        made(reserve(GRACE, "src"));

        assertThat(fileOf(late)).doesNotExist();
        reservations.renew(ADA, now());
        assertThat(covering(GRACE, "src/a")).isEmpty();
        assertThat(covering(ADA, "src/a")).hasSize(1);
    }

    @Test
    void filesThatCantBeReadKeepNobodyOutAndAreTold() throws Exception {
        Reservation good = made(reserve(ADA, "docs"));
        String text = Files.readString(fileOf(good));
        Path mine = hive.layout.reservations();
        Files.writeString(mine.resolve("ada.aaaaaa.json"), "{\"holder\":\"ada\"");
        Files.writeString(mine.resolve("ada.bbbbbb.json"), "[]");
        Files.writeString(mine.resolve("ada.cccccc.json"), text.replace("docs", "../.."));
        Files.writeString(mine.resolve("grace.dddddd.json"), text.replace("docs", "**"));
        Files.writeString(mine.resolve("ada.eeeeee.json"), text.replace("1800", "999999"));
        Files.writeString(mine.resolve("ada.no.json"), text.replace("docs", "**"));
        Files.writeString(
                mine.resolve("ada.ffffff.json"),
                text.replaceAll("\"since\":\"[^\"]*\"", "\"since\":\"2999-01-01T00:00:00Z\"")
                        .replace("docs", "**"));
        Files.createDirectory(mine.resolve("ada.gggggg.json"));
        Files.createSymbolicLink(mine.resolve("ada.hhhhhh.json"), fileOf(good));
        Files.writeString(mine.resolve("notes.txt"), "by a person");

        Reservations.View view = reservations.view(now());
        assertThat(view.live()).hasSize(1);
        assertThat(view.unreadable()).hasSize(9).allMatch(line -> line.contains(".json: "));
        assertThat(covering(GRACE, "src/a")).isEmpty();
        made(reserve(GRACE, "src"));
        reservations.removeEnded(now().plus(Duration.ofDays(1)));
        assertThat(fileOf(good)).doesNotExist();
        assertThat(mine.resolve("ada.bbbbbb.json")).exists();
    }

    @Test
    void aFileFromTheFutureEndsByItsAge() throws Exception {
        Reservation reserved = made(reserve(ADA, "src"));
        Files.setLastModifiedTime(
                fileOf(reserved), FileTime.from(now().plus(Duration.ofDays(365))));

        hive.clock.advance(Duration.ofHours(4).minusSeconds(1));
        assertThat(covering(GRACE, "src/a")).hasSize(1);
        hive.clock.advance(Duration.ofSeconds(1));
        assertThat(covering(GRACE, "src/a")).isEmpty();
    }

    @Test
    void whatIsNoReservationIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> reserve(ADA, "../outside"));
        assertThatIllegalArgumentException().isThrownBy(() -> reserve(ADA));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> reserve(ADA, Duration.ofHours(5), "src"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> reserve(ADA, Duration.ofSeconds(1), "src"));
        assertThat(hive.layout.reservations()).doesNotExist();
    }

    @Test
    void underTheHivesLockNothingIsReservedOrTold() throws Exception {
        made(reserve(ADA, "src"));
        Files.writeString(hive.layout.hive().resolve(LockFiles.HIVE_LOCK), "");

        assertThatThrownBy(() -> reserve(GRACE, "docs")).isInstanceOf(WithheldException.class);
        assertThat(reservations.mayBeAny()).isFalse();
    }

    @Test
    void claimsHoldTheirScopeUntilTheyEnd() throws Exception {
        try (FileTransport transport = hive.open()) {
            transport.send(hive.mail().scope("src/parser").seal());
            transport.send(hive.mail().seal());
            Claim claim = TestHive.take(transport.inbox(TestHive.CODE));
            Claim other = TestHive.take(transport.inbox(TestHive.CODE));
            Claim scoped = claim.envelope().scope().isPresent() ? claim : other;

            assertThat(covering(ADA, "src/parser/a")).hasSize(1);
            assertThat(covering(TestHive.WORKER, "src/parser/a")).isEmpty();
            assertThat(holderOf(reserve(ADA, "src"))).isEqualTo(TestHive.WORKER);
            transport.inbox(TestHive.CODE).settle(scoped.token(), new Outcome.Done(""));
            made(reserve(ADA, "src"));
        }
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void ofEightProcessesThatWantTheSameOneGetsIt() throws Exception {
        for (int round = 0; round < 3; round++) {
            List<Process> processes = new ArrayList<>();
            List<BufferedReader> said = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Process process =
                        ChildJvm.plain()
                                .of(
                                        ReserverMain.class,
                                        hive.layout.root().toString(),
                                        "agent-" + i,
                                        i % 2 == 0 ? "src/**" : "src/round" + round)
                                .redirectError(ProcessBuilder.Redirect.INHERIT)
                                .start();
                processes.add(process);
                said.add(process.inputReader());
            }
            for (BufferedReader reader : said) {
                assertThat(reader.readLine()).isEqualTo("ready");
            }
            for (Process process : processes) {
                process.getOutputStream().write('.');
                process.getOutputStream().flush();
            }
            List<String> results = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                results.add(said.get(i).readLine());
                assertThat(processes.get(i).waitFor()).isZero();
            }
            assertThat(results).containsOnlyOnce("made").filteredOn("held"::equals).hasSize(7);
            List<Hold.Reserved> live = reservations.view(Instant.now()).live();
            assertThat(live).hasSize(1);
            assertThat(reservations.remove(live.getFirst().reservation())).isTrue();
        }
    }
}
