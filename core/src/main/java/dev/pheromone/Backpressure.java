package dev.pheromone;

import dev.pheromone.HiveConfig.BackpressureLimits;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntSupplier;

/// When an inbox is too full, and what that means for whoever sends to it: the pure rules, with no
/// clock and no files in them.
public final class Backpressure {

    /// It ends below this part of what began it, so that it does not come and go with each letter.
    private static final double LEAVING = 0.8;

    private static final Duration P1_DELAY_MAX = Duration.ofSeconds(2);
    private static final Duration P2_DELAY = Duration.ofSeconds(1);
    private static final Duration P3_DELAY = Duration.ofSeconds(3);

    /// So many sends of one sender in a minute pass an inbox of old mail without a delay: a hive
    /// where nobody works is not an overload.
    private static final int UNDELAYED_PER_MINUTE = 5;

    /// Who is refused comes again soon if there is nearly room, and later the fuller it is.
    private static final Duration RETRY_MIN = Duration.ofSeconds(5);

    private static final Duration RETRY_MAX = Duration.ofSeconds(60);

    /// So many times as far above its end as the limit is, and the longest wait is right.
    private static final double EXCESS_MAX = 10;

    private Backpressure() {}

    /// What waits in an inbox at one moment.
    ///
    /// @param oldestAge how long the oldest has waited that is not expired; zero if there is none
    public record Load(int depth, Duration oldestAge) {

        /// Nothing waits.
        public static final Load NONE = new Load(0, Duration.ZERO);
    }

    /// Why an inbox is under backpressure.
    public enum Cause {
        /// What waits has waited for long: whoever works can't keep up, or nobody works.
        AGE,
        /// Much waits.
        DEPTH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        /// The cause of that name; fails on any other text.
        public static Cause parse(String text) {
            return switch (text) {
                case "age" -> AGE;
                case "depth" -> DEPTH;
                default ->
                        throw new IllegalArgumentException(
                                "cause: found \"" + text + "\", expected age or depth");
            };
        }
    }

    /// What an inbox does to one envelope.
    public sealed interface Admission {

        /// The envelope may come in, after `delay`.
        ///
        /// @param reason why the sender waits; empty if there is no delay
        record Admitted(Duration delay, String reason) implements Admission {

            /// At once.
            public static final Admitted AT_ONCE = new Admitted(Duration.ZERO, "");
        }

        /// Not now.
        record Refused(Duration retryAfter, String reason) implements Admission {}
    }

    /// Why an inbox comes under backpressure, if it does.
    public static Optional<Cause> entered(Load load, BackpressureLimits limits) {
        if (load.depth() > limits.depthMax()) {
            return Optional.of(Cause.DEPTH);
        }
        return load.oldestAge().compareTo(limits.oldestAgeMax()) > 0
                ? Optional.of(Cause.AGE)
                : Optional.empty();
    }

    /// Whether an inbox that was under backpressure no longer is.
    public static boolean isOver(Load load, BackpressureLimits limits) {
        return load.depth() < LEAVING * limits.depthMax()
                && load.oldestAge().toMillis() < LEAVING * limits.oldestAgeMax().toMillis();
    }

    /// What `inbox` does to an envelope of class `priority`.
    ///
    /// @param held why the inbox is under backpressure, or null if it is not, or not yet
    /// @param sent how many envelopes the sender put into the inbox in the last minute; only asked
    ///   if that matters
    public static Admission admit(
            Priority priority,
            Domain inbox,
            @Nullable Cause held,
            Load load,
            IntSupplier sent,
            BackpressureLimits limits) {
        if (isTooDeep(held, load, limits)) {
            return byDepth(priority, load, limits);
        }
        boolean isTooOld = held != null || entered(load, limits).isPresent();
        // A person reads when they have time: that is no reason to keep mail from them.
        boolean isPersons = inbox.address() instanceof Address.User;
        if (!isTooOld || isPersons || sent.getAsInt() < UNDELAYED_PER_MINUTE) {
            return Admission.Admitted.AT_ONCE;
        }
        Duration delay = delayByAge(priority);
        return delay.isZero()
                ? Admission.Admitted.AT_ONCE
                : new Admission.Admitted(delay, old(load, limits));
    }

    /// Whoever goes by the mark alone does not know the age of the oldest.
    private static String old(Load load, BackpressureLimits limits) {
        return load.oldestAge().toMillis() < LEAVING * limits.oldestAgeMax().toMillis()
                ? "mail there has waited for too long"
                : "the oldest mail there is " + inLargestUnit(load.oldestAge()) + " old";
    }

    private static String inLargestUnit(Duration age) {
        ChronoUnit unit =
                age.toDays() > 0
                        ? ChronoUnit.DAYS
                        : age.toHours() > 0
                                ? ChronoUnit.HOURS
                                : age.toMinutes() > 0 ? ChronoUnit.MINUTES : ChronoUnit.SECONDS;
        return Ttl.format(age.truncatedTo(unit));
    }

    private static boolean isTooDeep(@Nullable Cause held, Load load, BackpressureLimits limits) {
        return load.depth() > limits.depthMax()
                || (held == Cause.DEPTH && load.depth() >= LEAVING * limits.depthMax());
    }

    private static Admission byDepth(Priority priority, Load load, BackpressureLimits limits) {
        double leaving = LEAVING * limits.depthMax();
        // 0 where it ends, 1 where it began.
        double excess = (load.depth() - leaving) / (limits.depthMax() - leaving);
        return switch (priority) {
            case P0 -> Admission.Admitted.AT_ONCE;
            case P1 -> new Admission.Admitted(part(P1_DELAY_MAX, excess), full(load, limits));
            case P2, P3 ->
                    new Admission.Refused(
                            longer(RETRY_MIN, part(RETRY_MAX, excess / EXCESS_MAX)),
                            full(load, limits));
        };
    }

    private static String full(Load load, BackpressureLimits limits) {
        return "the inbox is full: %d waiting, limit %d".formatted(load.depth(), limits.depthMax());
    }

    private static Duration part(Duration whole, double part) {
        long millis = Math.round(whole.toMillis() * Math.clamp(part, 0.0, 1.0));
        return Duration.ofMillis(millis);
    }

    private static Duration longer(Duration one, Duration other) {
        Duration longer = one.compareTo(other) > 0 ? one : other;
        // Whole seconds: that is what people and headers are told.
        return Duration.ofSeconds((longer.toMillis() + 999) / 1_000);
    }

    private static Duration delayByAge(Priority priority) {
        return switch (priority) {
            case P0, P1 -> Duration.ZERO;
            case P2 -> P2_DELAY;
            case P3 -> P3_DELAY;
        };
    }
}
