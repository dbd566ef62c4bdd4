package dev.pheromone.cli;

import dev.pheromone.Address;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Lane;
import dev.pheromone.Priority;
import dev.pheromone.Ttl;
import dev.pheromone.cli.args.Args;

import org.jspecify.annotations.Nullable;

import java.util.Locale;

/// Words of a command line as values of the protocol; what is no such value is wrong usage.
final class Typed {

    private Typed() {}

    /// `queen://code`, or `code` for short.
    static Address address(String thing, String typed) {
        try {
            return Address.parse(
                    typed.contains("://") ? typed : "queen://" + typed.toLowerCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw wrong(thing, e);
        }
    }

    static @Nullable Address address(Args args, String option) {
        String typed = args.value(option);
        return typed == null ? null : address("option --" + option, typed);
    }

    static @Nullable EnvelopeId id(Args args, String option) {
        String typed = args.value(option);
        try {
            return typed == null ? null : EnvelopeId.parse(typed);
        } catch (IllegalArgumentException e) {
            throw wrong("option --" + option, e);
        }
    }

    static @Nullable Ttl ttl(Args args, String option) {
        String typed = args.value(option);
        try {
            return typed == null ? null : Ttl.parse(typed);
        } catch (IllegalArgumentException e) {
            throw wrong("option --" + option, e);
        }
    }

    static @Nullable Lane lane(Args args, String option) {
        String typed = args.value(option);
        try {
            return typed == null ? null : Lane.parse(typed);
        } catch (IllegalArgumentException e) {
            throw wrong("option --" + option, e);
        }
    }

    static @Nullable Priority priority(Args args, String option) {
        String typed = args.value(option);
        return typed == null ? null : Priority.parse(typed);
    }

    /// The values' own messages already say what was found and expected.
    static CliException wrong(String thing, IllegalArgumentException e) {
        return new CliException(ErrorCode.USAGE, thing + ": " + e.getMessage(), e);
    }
}
