package dev.pheromone.selection;

import dev.pheromone.envelope.Ttl;

import java.time.Duration;

/// How long it takes an envelope to lose half its weight: a part of its time to live, or the same
/// for all.
public sealed interface HalfLife {

    String PART_PREFIX = "ttl/";
    int DIVISOR_MAX = 1_000;

    /// Written `ttl/4`.
    record PartOfTtl(int divisor) implements HalfLife {
        public PartOfTtl {
            if (divisor < 1 || divisor > DIVISOR_MAX) {
                throw new IllegalArgumentException(
                        "half_life: found ttl/"
                                + divisor
                                + ", expected ttl/1 to ttl/"
                                + DIVISOR_MAX);
            }
        }

        @Override
        public String toString() {
            return PART_PREFIX + divisor;
        }
    }

    /// Written as a duration, `15m`.
    record Fixed(Duration duration) implements HalfLife {
        public Fixed {
            if (duration.toSeconds() < 1) {
                throw new IllegalArgumentException(
                        "half_life: found " + duration + ", expected at least 1s");
            }
        }

        @Override
        public String toString() {
            return Ttl.format(duration);
        }
    }

    /// Reads `ttl/4` or a duration; fails on anything else.
    static HalfLife parse(String text) {
        if (!text.startsWith(PART_PREFIX)) {
            return new Fixed(Ttl.parseDuration(text));
        }
        String divisor = text.substring(PART_PREFIX.length());
        boolean isNumber = !divisor.isEmpty() && divisor.length() <= 4;
        for (int i = 0; isNumber && i < divisor.length(); i++) {
            isNumber = divisor.charAt(i) >= '0' && divisor.charAt(i) <= '9';
        }
        if (!isNumber) {
            throw new IllegalArgumentException(
                    "half_life: found \"" + text + "\", expected a duration, or for example ttl/4");
        }
        return new PartOfTtl(Integer.parseInt(divisor));
    }

    /// The half-life of an envelope that lives for `ttl`; never zero.
    default Duration of(Duration ttl) {
        return switch (this) {
            case PartOfTtl(int divisor) -> {
                Duration part = Duration.ofNanos(ttl.toNanos() / divisor);
                yield part.isZero() ? Duration.ofNanos(1) : part;
            }
            case Fixed(Duration duration) -> duration;
        };
    }
}
