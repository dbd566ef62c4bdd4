package dev.pheromone.testkit;

import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.selection.HalfLife;
import dev.pheromone.selection.Urgency;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/// Mail that comes to one inbox in a simulation: made from a seed, and the same each time.
///
/// @param service how long one envelope occupies the only worker: the capacity
/// @param mail what comes, in the order in which it comes
public record Traffic(String name, String about, Duration service, List<Urgency> mail) {

    /// When every simulation begins.
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private static final HalfLife HALF_LIFE = new HalfLife.PartOfTtl(4);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /// How many of a hundred are of each class.
    private static final int[] EVERYDAY = {5, 20, 45, 30};

    private static final int[] RUSH = {10, 20, 40, 30};
    private static final int[] BURST = {0, 20, 50, 30};
    private static final int[] ALARM = {40, 45, 10, 5};

    /// The lives that mail of each class may have, one as likely as the other: the urgent is soon
    /// stale, and some of what can wait can't wait for long.
    private static final Duration[][] LIVES = {
        {Duration.ofMinutes(10), Duration.ofHours(1)},
        {Duration.ofMinutes(30), Duration.ofHours(4)},
        {Duration.ofHours(1), Duration.ofDays(1)},
        {Duration.ofMinutes(15), Duration.ofHours(1), Duration.ofDays(1)},
    };

    public Traffic {
        mail = List.copyOf(mail);
    }

    /// An hour at four fifths of the capacity.
    public static Traffic steady(long seed) {
        return new Maker(seed)
                .flow(Duration.ZERO, Duration.ofHours(1), 0.8, EVERYDAY)
                .make("Steady", "An hour at 80 % of the capacity.");
    }

    /// Two hours at half of the capacity, and every twenty minutes 400 at once.
    public static Traffic bursts(long seed) {
        Maker maker = new Maker(seed).flow(Duration.ZERO, Duration.ofHours(2), 0.5, EVERYDAY);
        for (int minute = 10; minute < 120; minute += 20) {
            maker.flow(Duration.ofMinutes(minute), Duration.ofSeconds(10), 40, BURST);
        }
        return maker.make(
                "Bursts", "Two hours at half of the capacity; every 20 minutes 400 within 10 s.");
    }

    /// Ten minutes at three times the capacity, and then silence.
    public static Traffic overload(long seed) {
        return new Maker(seed)
                .flow(Duration.ZERO, Duration.ofMinutes(10), 3, RUSH)
                .make("Overload", "Ten minutes at 3 times the capacity, then nothing more.");
    }

    /// Two hours in which the urgent classes alone take all that there is.
    public static Traffic alarm(long seed) {
        return new Maker(seed)
                .flow(Duration.ZERO, Duration.ofHours(2), 1.15, ALARM)
                .make(
                        "Alarm",
                        "Two hours at 115 % of the capacity; P0 and P1 alone need 98 % of it.");
    }

    /// All of them, in the order of the page about them.
    public static List<Traffic> all(long seed) {
        return List.of(steady(seed), bursts(seed), overload(seed), alarm(seed));
    }

    /// Mail that nobody wrote: it was seen when it was sent, and never failed.
    static Urgency mail(int number, Priority priority, Duration at, Duration ttl) {
        Instant ts = START.plus(at);
        return new Urgency(
                EnvelopeId.parse("%026d".formatted(number)),
                priority,
                ts,
                ts,
                ttl,
                HALF_LIFE.of(ttl),
                0,
                null);
    }

    /// Draws mail.
    private static final class Maker {

        private final Random random;
        private final List<Urgency> mail = new ArrayList<>();

        Maker(long seed) {
            random = new Random(seed);
        }

        /// Adds mail that comes at random, `rate` a second on average, from `start` on.
        Maker flow(Duration start, Duration length, double rate, int[] shares) {
            Duration end = start.plus(length);
            for (Duration at = start.plus(gap(rate));
                    at.compareTo(end) < 0;
                    at = at.plus(gap(rate))) {
                Priority priority = priority(shares);
                Duration[] lives = LIVES[priority.ordinal()];
                Duration life = lives[random.nextInt(lives.length)];
                mail.add(mail(mail.size(), priority, at, life));
            }
            return this;
        }

        private Duration gap(double rate) {
            // StrictMath: the same on every machine.
            double seconds = -StrictMath.log(1 - random.nextDouble()) / rate;
            return Duration.ofMillis(Math.round(seconds * 1_000));
        }

        private Priority priority(int[] shares) {
            int drawn = random.nextInt(100);
            int index = 0;
            while (drawn >= shares[index]) {
                drawn -= shares[index];
                index++;
            }
            return Priority.values()[index];
        }

        Traffic make(String name, String about) {
            mail.sort(Comparator.comparing(Urgency::ts).thenComparing(Urgency::id));
            return new Traffic(name, about, SECOND, mail);
        }
    }
}
