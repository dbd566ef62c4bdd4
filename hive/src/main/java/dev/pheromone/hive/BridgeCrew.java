package dev.pheromone.hive;

import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.hive.Bridge.Route;
import dev.pheromone.hive.Bridge.Step;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Keeps a [Bridge] going until it is stopped: a thread for each route, and every now and then a
/// look for new ones. Whatever fails is told, and tried again.
public final class BridgeCrew {

    private static final Duration PLAN_INTERVAL = Duration.ofSeconds(10);
    private static final Duration AWAIT = Duration.ofSeconds(1);
    private static final Duration TROUBLE_MIN = Duration.ofSeconds(1);
    private static final Duration TROUBLE_MAX = Duration.ofSeconds(30);

    private final Bridge bridge;
    private final Plan plan;
    private final Log log;
    private final CountDownLatch stopped = new CountDownLatch(1);

    /// Which ways there are now.
    public interface Plan {
        List<Route> routes() throws IOException;
    }

    /// Whoever wants to know what happens; called by several threads.
    public interface Log extends Consumer<Step> {

        /// Something failed, and is tried again.
        ///
        /// @param what what was to be done
        void trouble(String what, Exception cause);
    }

    /// A crew that carries over `bridge` what `plan` says, and tells `log` what went wrong.
    public BridgeCrew(Bridge bridge, Plan plan, Log log) {
        this.bridge = bridge;
        this.plan = plan;
        this.log = log;
    }

    /// Ends it, when what is being carried has arrived or is back.
    public void stop() {
        stopped.countDown();
    }

    /// Carries until it is stopped, or its thread is interrupted.
    public void run() {
        Set<Route> manned = new HashSet<>();
        List<Thread> threads = new ArrayList<>();
        Duration pause = TROUBLE_MIN;
        try {
            do {
                try {
                    for (Route route : plan.routes()) {
                        if (manned.add(route)) {
                            threads.add(Thread.ofVirtual().start(() -> man(route)));
                        }
                    }
                    pause = PLAN_INTERVAL;
                } catch (IOException | RuntimeException e) {
                    log.trouble("looking for inboxes", e);
                    pause = longer(pause);
                }
            } while (!stopped.await(pause.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            stop();
            // Not interrupted: they may be at work on files.
            threads.forEach(BridgeCrew::join);
        }
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        while (true) {
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

    /// One bad envelope, or a side that is away, never ends it.
    private void man(Route route) {
        Duration pause = TROUBLE_MIN;
        try {
            while (stopped.getCount() > 0) {
                try {
                    Step step = bridge.step(route);
                    pause = TROUBLE_MIN;
                    log.accept(step);
                    switch (step) {
                        case Step.Nothing _ ->
                                route.from().transport().inbox(route.inbox()).await(AWAIT);
                        case Step.HeldUp(var _, var _, var time) -> rest(time);
                        case Step.Stopped(var _, var _, var _, var time) -> rest(time);
                        case Step.LeftAlone(var _, var time) -> rest(time);
                        case Step.Carried _ -> {}
                    }
                } catch (NoSuchInboxException e) {
                    rest(TROUBLE_MAX);
                } catch (IOException | RuntimeException e) {
                    log.trouble(
                            "carrying "
                                    + route.inbox().address()
                                    + " from "
                                    + route.from().name()
                                    + " to "
                                    + route.to().name(),
                            e);
                    rest(pause);
                    pause = longer(pause);
                }
            }
        } catch (InterruptedException e) {
            // Nobody does; then it is over.
        }
    }

    private void rest(Duration time) throws InterruptedException {
        Duration bounded = time.compareTo(TROUBLE_MAX) > 0 ? TROUBLE_MAX : time;
        boolean _ = stopped.await(bounded.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static Duration longer(Duration pause) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(TROUBLE_MAX) > 0 ? TROUBLE_MAX : twice;
    }
}
