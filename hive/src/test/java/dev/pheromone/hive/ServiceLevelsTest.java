package dev.pheromone.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.hive.ServiceLevel.Metric;
import dev.pheromone.hive.ServiceLevel.Result;
import dev.pheromone.hive.ServiceLevels.Evidence;
import dev.pheromone.hive.ServiceReport.Bucket;
import dev.pheromone.hive.ServiceReport.Course;
import dev.pheromone.rse.Notice;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseEvent.WorkerAck.Status;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

class ServiceLevelsTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final Instant SINCE = NOW.minus(Duration.ofHours(24));
    private static final Actor ANT = Actor.parse("ant");
    private static final Domain CODE = Address.parse("queen://code").domain();
    private static final Domain DOCS = Address.parse("queen://docs").domain();

    private final List<RseEvent> log = new ArrayList<>();
    private int ids;

    private EnvelopeId id() {
        return EnvelopeId.parse("00000000-0000-4000-8000-%012d".formatted(ids++));
    }

    private EnvelopeId sent(Instant at, String ttl) {
        return sent(id(), CODE, at, ttl);
    }

    private EnvelopeId sent(EnvelopeId id, Domain inbox, Instant at, String ttl) {
        log.add(
                new RseEvent.RsmEnvelopeEmit(
                        at,
                        Lane.CODE,
                        ANT,
                        id,
                        List.of("queen://code"),
                        Priority.P2,
                        Ttl.parse(ttl),
                        "inbox/" + inbox.name() + "/" + id + ".md",
                        ContentHash.of(new byte[0]),
                        inbox));
        return id;
    }

    private void taken(EnvelopeId id, Instant at, int attempt) {
        log.add(new RseEvent.QueenSelect(at, Lane.CODE, ANT, id, "first of 1", CODE, attempt));
    }

    private void done(EnvelopeId id, Instant at, int attempt) {
        log.add(new RseEvent.WorkerAck(at, Lane.CODE, ANT, id, Status.DONE, null, CODE, attempt));
    }

    private void pressure(Instant at, String action) {
        log.add(new RseEvent.Backpressure(at, Lane.CODE, ANT, CODE, 1_200, 30, action));
    }

    private ServiceReport report(Evidence evidence) {
        ServiceLevels levels = new ServiceLevels();
        log.forEach(levels::take);
        return levels.report(SINCE, NOW, evidence);
    }

    private ServiceLevel level(Metric metric) {
        return report(Evidence.NONE).level(metric);
    }

    private static Instant ago(String duration) {
        return NOW.minus(Ttl.parse(duration).duration());
    }

    @Test
    void anEmptyLogKeepsNoPromiseAndBreaksNone() {
        assertThat(report(Evidence.NONE).levels())
                .hasSize(Metric.values().length)
                .allMatch(level -> level.result() == Result.NO_DATA);
        assertThat(report(Evidence.NONE).missed()).isZero();
    }

    @Nested
    class Seen {

        private void notice(Notice notice, EnvelopeId id, Instant at) {
            log.add(notice.event(at, ANT, id, CODE, Lane.CODE, Consent.TEAM, "prompt", "0a"));
        }

        @Test
        void isWhatAModelSawOrSomebodyTookInTimeOfWhatASessionWasToldOf() {
            EnvelopeId seen = sent(ago("2h"), "1d");
            notice(Notice.HANDED_OVER, seen, ago("1h59m30s"));
            notice(Notice.SEEN, seen, ago("1h59m"));
            EnvelopeId taken = sent(ago("2h"), "1d");
            notice(Notice.ANNOUNCED, taken, ago("1h59m30s"));
            taken(taken, ago("1h59m"), 1);
            EnvelopeId late = sent(ago("2h"), "1d");
            notice(Notice.HANDED_OVER, late, ago("1h59m30s"));
            notice(Notice.SEEN, late, ago("1h"));
            EnvelopeId never = sent(ago("2h"), "1d");
            notice(Notice.HANDED_OVER, never, ago("1h59m30s"));
            EnvelopeId _ = sent(ago("2h"), "1d");
            EnvelopeId young = sent(ago("1m"), "1d");
            notice(Notice.HANDED_OVER, young, ago("30s"));
            assertThat(level(Metric.SEEN)).isEqualTo(new ServiceLevel(Metric.SEEN, 0.5, 4));
        }
    }

    @Nested
    class Latency {

        @Test
        void runsFromSentToFirstDoneByNearestRank() {
            for (int i = 1; i <= 100; i++) {
                EnvelopeId id = sent(ago("2h"), "1d");
                taken(id, ago("1h59m"), 1);
                done(id, ago("2h").plusSeconds(i), 1);
            }
            assertThat(level(Metric.LATENCY_P50))
                    .isEqualTo(new ServiceLevel(Metric.LATENCY_P50, 50.0, 100));
            assertThat(level(Metric.LATENCY_P95).value()).isEqualTo(95.0);
        }

        @Test
        void isMissedBeyondItsTarget() {
            EnvelopeId id = sent(ago("2h"), "1d");
            done(id, ago("1h"), 1);
            assertThat(level(Metric.LATENCY_P50).result()).isEqualTo(Result.MISSED);
            assertThat(report(Evidence.NONE).missed()).isEqualTo(2);
        }

        @Test
        void leavesOutWhatWasSentBefore() {
            EnvelopeId id = sent(ago("25h"), "2d");
            done(id, ago("1h"), 1);
            assertThat(level(Metric.LATENCY_P50).samples()).isZero();
        }

        @Test
        void isShownInBucketsThatDouble() {
            for (long ms : new long[] {3, 5, 6, 40}) {
                EnvelopeId id = sent(ago("2h"), "1d");
                done(id, ago("2h").plusMillis(ms), 1);
            }
            assertThat(report(Evidence.NONE).latencies())
                    .extracting(Bucket::from, Bucket::count)
                    .containsExactly(
                            tuple(Duration.ofMillis(2), 1L),
                            tuple(Duration.ofMillis(4), 2L),
                            tuple(Duration.ofMillis(8), 0L),
                            tuple(Duration.ofMillis(16), 0L),
                            tuple(Duration.ofMillis(32), 1L));
        }
    }

    @Nested
    class Delivery {

        @Test
        void countsWhatWasTakenInTimeAgainstWhatWasTakenOrIsOver() {
            taken(sent(ago("5h"), "1h"), ago("4h30m"), 1);
            EnvelopeId over = sent(ago("5h"), "1h");
            log.add(new RseEvent.PheromoneExpire(ago("4h"), Lane.CODE, ANT, over, CODE));
            // Waits, and may still be taken.
            sent(ago("5h"), "1d");
            assertThat(level(Metric.DELIVERY)).isEqualTo(new ServiceLevel(Metric.DELIVERY, 0.5, 2));
            assertThat(report(Evidence.NONE).open()).isEqualTo(2);
        }

        @Test
        void missesMailThatNobodyCaredToExpire() {
            sent(ago("5h"), "1h");
            assertThat(level(Metric.DELIVERY).value()).isZero();
        }

        @Test
        void leavesOutWhatWasNoMailForAnybody() {
            EnvelopeId forged = sent(ago("5h"), "1h");
            log.add(
                    new RseEvent.RsmEnvelopeDead(
                            ago("4h"), Lane.CODE, ANT, forged.text(), CODE, "signature: bad"));
            assertThat(level(Metric.DELIVERY).samples()).isZero();
        }

        @Test
        void countsEachCopyByItself() {
            EnvelopeId id = id();
            sent(id, CODE, ago("5h"), "1h");
            sent(id, DOCS, ago("5h"), "1h");
            taken(id, ago("4h30m"), 1);
            assertThat(level(Metric.DELIVERY)).isEqualTo(new ServiceLevel(Metric.DELIVERY, 0.5, 2));
        }
    }

    @Nested
    class Duplicates {

        @Test
        void areSecondEffectsOfOneCopy() {
            EnvelopeId id = sent(ago("5h"), "1d");
            done(id, ago("4h"), 1);
            done(id, ago("3h"), 2);
            done(sent(ago("5h"), "1d"), ago("4h"), 1);
            assertThat(level(Metric.DUPLICATES))
                    .isEqualTo(new ServiceLevel(Metric.DUPLICATES, 1.0 / 3, 3));
        }

        @Test
        void areNotEventsThatRecoveryWroteAgain() {
            EnvelopeId id = sent(ago("5h"), "1d");
            done(id, ago("4h"), 1);
            done(id, ago("3h"), 1);
            assertThat(level(Metric.DUPLICATES))
                    .isEqualTo(new ServiceLevel(Metric.DUPLICATES, 0.0, 1));
        }
    }

    @Nested
    class FromTheFiles {

        @Test
        void coverageIsTheShareOfFactsThatWereTold() {
            ServiceReport report = report(new Evidence(200, 189, 7, 0, 3));
            assertThat(report.level(Metric.COVERAGE))
                    .isEqualTo(new ServiceLevel(Metric.COVERAGE, 0.945, 200));
            assertThat(report.level(Metric.COVERAGE).result()).isEqualTo(Result.MISSED);
            assertThat(report.level(Metric.VIOLATIONS).result()).isEqualTo(Result.MET);
            assertThat(report.withheld()).isEqualTo(3);
        }

        @Test
        void oneViolationIsOneTooMany() {
            assertThat(report(new Evidence(1, 1, 7, 1, 0)).level(Metric.VIOLATIONS).result())
                    .isEqualTo(Result.MISSED);
            assertThat(report(new Evidence(0, 0, 0, 1, 0)).level(Metric.VIOLATIONS).result())
                    .isEqualTo(Result.MISSED);
        }
    }

    @Nested
    class Recovery {

        /// Something waits in the inbox all the time.
        @BeforeEach
        void fill() {
            sent(ago("60h"), "30d");
        }

        @Test
        void endsWhenNothingWaitsThoughNobodyTold() {
            log.clear();
            EnvelopeId id = sent(ago("5h"), "1d");
            pressure(ago("4h"), "enter");
            taken(id, ago("3h50m"), 1);
            pressure(ago("2h"), "enter");
            assertThat(level(Metric.RECOVERY))
                    .isEqualTo(new ServiceLevel(Metric.RECOVERY, 600.0, 2));
        }

        @Test
        void isTheLongestTimeThatAnInboxWasTooFull() {
            pressure(ago("5h"), "enter");
            pressure(ago("4h50m"), "leave");
            pressure(ago("2h"), "enter");
            pressure(ago("1h40m"), "leave");
            assertThat(level(Metric.RECOVERY))
                    .isEqualTo(new ServiceLevel(Metric.RECOVERY, 1_200.0, 2));
        }

        @Test
        void goesOnUntilItIsOver() {
            pressure(ago("40m"), "enter");
            assertThat(level(Metric.RECOVERY).result()).isEqualTo(Result.MISSED);
        }

        @Test
        void leavesOutWhatWasOverBefore() {
            pressure(ago("50h"), "enter");
            pressure(ago("40h"), "leave");
            assertThat(level(Metric.RECOVERY).result()).isEqualTo(Result.NO_DATA);
        }
    }

    /// As the specification shows events, without inbox and attempt.
    @Nested
    class OfForeignWriters {

        private void event(Instant at, String type, Json.Obj data) {
            log.add(RseEvent.of(at, type, Lane.CODE, "other", data));
        }

        private EnvelopeId sentForeign(String path) {
            EnvelopeId id = id();
            event(
                    ago("2h"),
                    "rsm_envelope_emit",
                    Json.obj()
                            .put("id", id.text())
                            .putTexts("to", List.of("queen://code"))
                            .put("priority", "P1")
                            .put("ttl", "1h")
                            .put("path", path)
                            .put("hash", ContentHash.of(new byte[0]).toString()));
            return id;
        }

        @Test
        void mailIsJoinedWithWhatWeDidWithIt() {
            for (String path : List.of(".deia/inbox/code/x.md", "elsewhere/x.md")) {
                EnvelopeId id = sentForeign(path);
                taken(id, ago("1h59m"), 1);
                done(id, ago("1h58m"), 1);
            }
            assertThat(level(Metric.DELIVERY)).isEqualTo(new ServiceLevel(Metric.DELIVERY, 1.0, 2));
            assertThat(level(Metric.LATENCY_P50))
                    .isEqualTo(new ServiceLevel(Metric.LATENCY_P50, 120.0, 2));
        }

        @Test
        void anEndToldInTwoFormsIsOneEffect() {
            EnvelopeId id = sent(ago("2h"), "1d");
            done(id, ago("1h"), 1);
            event(ago("1h"), "worker_ack", Json.obj().put("ref", id.text()).put("status", "done"));
            assertThat(level(Metric.DUPLICATES))
                    .isEqualTo(new ServiceLevel(Metric.DUPLICATES, 0.0, 1));
        }
    }

    @Test
    void depthIsTheMostThatWaitedInEachPart() {
        // Older than what is asked for, and done before.
        taken(sent(ago("30h"), "2d"), ago("29h"), 1);
        for (int i = 0; i < 3; i++) {
            sent(ago("23h"), "2d");
        }
        EnvelopeId id = sent(ago("12h"), "2d");
        taken(id, ago("12h").plusMillis(5), 1);
        log.add(
                new RseEvent.RsmEnvelopeReturn(
                        ago("6h"),
                        Lane.CODE,
                        ANT,
                        id,
                        CODE,
                        1,
                        RseEvent.RsmEnvelopeReturn.Reason.LEASE));
        List<Course> depths = report(Evidence.NONE).depths();
        assertThat(depths).extracting(Course::inbox).containsExactly("code");
        List<Integer> most = depths.getFirst().values();
        assertThat(most).hasSize(ServiceLevels.PARTS);
        assertThat(most.getFirst()).isZero();
        assertThat(most.get(15)).isEqualTo(3);
        // Shorter than a part of the time, and still seen.
        assertThat(most.get(120)).isEqualTo(4);
        assertThat(most.get(140)).isEqualTo(3);
        assertThat(most.getLast()).isEqualTo(4);
    }

    @Test
    void theOldestAndWhatEndedAreCountedInEachPart() {
        EnvelopeId first = sent(ago("20h"), "2d");
        sent(ago("10h"), "2d");
        taken(first, ago("12h"), 1);
        done(first, ago("11h"), 1);

        ServiceReport report = report(Evidence.NONE);

        assertThat(report.drawnFrom()).isEqualTo(ago("20h"));
        // A part is five minutes long.
        List<Integer> oldest = report.oldest().getFirst().values();
        assertThat(oldest.getFirst()).isEqualTo(300);
        assertThat(oldest.get(94)).isEqualTo(95 * 300);
        assertThat(oldest.get(96)).isZero();
        assertThat(oldest.getLast()).isEqualTo(10 * 3_600);
        List<Integer> ended = report.ended().getFirst().values();
        assertThat(ended.get(108)).isEqualTo(1);
        assertThat(ended.stream().mapToInt(count -> count).sum()).isEqualTo(1);
    }

    @Test
    void aYoungHiveIsDrawnFromItsFirstMailOn() {
        taken(sent(ago("2m"), "1d"), ago("1m"), 1);

        ServiceReport report = report(Evidence.NONE);

        assertThat(report.since()).isEqualTo(SINCE);
        assertThat(report.drawnFrom()).isEqualTo(ago("2m"));
        List<Integer> most = report.depths().getFirst().values();
        assertThat(most.subList(0, ServiceLevels.PARTS / 2)).containsOnly(1);
        assertThat(most.getLast()).isZero();
    }

    @Test
    void theOrderOfTheLogDoesNotMatter() {
        for (int i = 0; i < 50; i++) {
            EnvelopeId id = sent(ago("5h").plusSeconds(i), "2h");
            taken(id, ago("4h").plusSeconds(i), 1);
            done(id, ago("3h").plusSeconds(2L * i), 1);
        }
        sent(ago("23h"), "2d");
        pressure(ago("2h"), "enter");
        pressure(ago("1h"), "leave");
        ServiceReport inOrder = report(Evidence.NONE);
        Random random = new Random(7);
        for (int run = 0; run < 20; run++) {
            Collections.shuffle(log, random);
            assertThat(report(Evidence.NONE)).isEqualTo(inOrder);
        }
    }
}
