package dev.pheromone.cli.work;

import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.file.remote.Outbox;
import dev.pheromone.file.upkeep.Recovery;
import dev.pheromone.hive.Hive;
import dev.pheromone.hive.HiveOptions.Mode;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.mail.Forwarding;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// What a worker does beside its work, until it is closed: the line about its progress, and, if it
/// stays, finishing what processes that died left half done, and sending on what waits in the
/// outbox.
final class WorkChores implements AutoCloseable {

    private static final Duration PROGRESS = Duration.ofSeconds(1);
    private static final Duration RECOVERY = Duration.ofMinutes(10);
    private static final Duration FORWARDING = Duration.ofSeconds(15);

    private final Hive loop;
    private final OpenHive hive;
    private final WorkScreen screen;
    private final CountDownLatch over = new CountDownLatch(1);
    private final Thread progress;
    private final Thread recovery;
    private final Thread forwarding;
    private final Forwarding outboxes;

    WorkChores(Invocation call, Hive loop, OpenHive hive, WorkScreen screen, Mode mode) {
        this.loop = loop;
        this.hive = hive;
        this.screen = screen;
        this.progress = Thread.ofVirtual().unstarted(() -> every(PROGRESS, this::showProgress));
        this.outboxes = new Forwarding(call, hive, Outbox.Pace.WHEN_DUE);
        this.forwarding =
                Thread.ofVirtual()
                        .unstarted(() -> every(FORWARDING, () -> forward(Forwarding::round)));
        this.recovery = Thread.ofVirtual().unstarted(() -> every(RECOVERY, this::recover));
        if (screen.hasProgress()) {
            progress.start();
        }
        // What waits here may be for the very inbox that is worked on.
        hive.mail().name().ifPresent(name -> forward(all -> all.round(name)));
        if (mode == Mode.FOREVER) {
            recovery.start();
            forwarding.start();
        }
    }

    /// Not interrupted when it is over: it may be at work on files.
    private void every(Duration interval, Runnable chore) {
        try {
            while (!over.await(interval.toMillis(), TimeUnit.MILLISECONDS)) {
                chore.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void showProgress() {
        try {
            screen.progress(loop.progress());
        } catch (IOException e) {
            // The loop meets the same trouble, and tells it.
        }
    }

    private void recover() {
        try {
            hive.transport().upkeep().recover(Recovery.Extent.RECENT);
        } catch (IOException e) {
            // Under a lock, or on a full disk: next time.
        }
    }

    /// Which outboxes are tried.
    private interface Choice {
        List<Forwarding.Round> of(Forwarding outboxes) throws IOException;
    }

    private void forward(Choice choice) {
        try {
            for (Forwarding.Round round : choice.of(outboxes)) {
                if (round.didAnything()) {
                    screen.note(round.text());
                }
            }
        } catch (IOException e) {
            // As above.
        }
    }

    @Override
    public void close() {
        over.countDown();
        join(progress);
        join(recovery);
        join(forwarding);
        outboxes.close();
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.getState() != Thread.State.NEW) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
