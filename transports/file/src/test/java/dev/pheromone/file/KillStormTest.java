package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// Whatever is killed, whenever: nothing is lost, nothing is half-read, nothing is done twice
/// without a death in between, and in the end the log tells everything.
///
/// `-Drsm.long=true` makes it long, and `-Drsm.seed=N` repeats the decisions of an earlier run.
@Timeout(value = 20, unit = TimeUnit.MINUTES)
final class KillStormTest {

    private static final KillStorm.Size SHORT = new KillStorm.Size(2, 5, 200);
    private static final KillStorm.Size LONG = new KillStorm.Size(3, 36, 1_700);

    @TempDir Path folder;

    @Test
    void whateverIsKilledNothingIsLost() throws Exception {
        KillStorm.Size size = Boolean.getBoolean("rsm.long") ? LONG : SHORT;
        long seed = Long.getLong("rsm.seed", System.nanoTime());
        System.out.println("kill storm: seed " + seed);
        StormHive hive = StormHive.create(folder);
        KillStorm storm = new KillStorm(hive, size, seed);
        long start = System.nanoTime();

        storm.run();

        Duration duration = Duration.ofNanos(System.nanoTime() - start);
        StormRecord record = StormRecord.afterRecovery(hive, size);
        System.out.println(
                "kill storm: %d envelopes, %d kills of producers, %d of workers, %d.%d s, %d/s"
                        .formatted(
                                size.envelopes(),
                                size.kills() / 2,
                                storm.killedWorkers().size(),
                                duration.toSeconds(),
                                duration.toMillisPart() / 100,
                                size.envelopes() * 1_000L / duration.toMillis()));
        System.out.println("kill storm: " + record.figures());
        assertThat(storm.complaints()).isEmptyFile();
        record.checkNothingIsLost();
        record.checkEffects(storm.killedWorkers());
        record.checkNothingIsLeftOver();
        record.checkEvents();
    }
}
