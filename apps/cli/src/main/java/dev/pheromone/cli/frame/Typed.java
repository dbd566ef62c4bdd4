package dev.pheromone.cli.frame;

import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.cli.args.Args;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.session.mail.Signing;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Locale;

/// Words of a command line as values of the protocol; what is no such value is wrong usage.
public final class Typed {

    private Typed() {}

    /// `queen://code`, or `code` for short.
    public static Address address(String thing, String typed) {
        try {
            return Address.parse(
                    typed.contains("://") ? typed : "queen://" + typed.toLowerCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw wrong(thing, e);
        }
    }

    /// As [#address(String, String)], with the line to type for what is written almost right.
    public static Address address(Invocation call, String thing, String typed) {
        try {
            return address(thing, typed);
        } catch (CliException e) {
            String meant = almost(typed);
            if (typed.startsWith("lane://")) {
                e.hint(
                        "a lane that only hive.yaml lists is not an address; name an inbox, and the"
                                + " lane with --lane");
            } else if (meant != null) {
                e.hint("did you mean " + meant + "?")
                        .fix(call.line().replacing(typed, meant).toString());
            }
            throw e;
        }
    }

    /// `@alice` and `queen:/code` as addresses; null for what is no such thing.
    private static @Nullable String almost(String typed) {
        int colon = typed.indexOf(':');
        if (colon < 0 && !typed.startsWith("@")) {
            return null;
        }
        String scheme = colon < 0 ? "user" : typed.substring(0, colon).toLowerCase(Locale.ROOT);
        String name = typed.substring(Math.max(colon, 0) + 1).replace("/", "");
        try {
            return Address.parse(scheme + "://" + name.toLowerCase(Locale.ROOT)).toString();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    public static @Nullable Address address(Invocation call, String option) {
        String typed = call.args().value(option);
        return typed == null ? null : address(call, "option --" + option, typed);
    }

    /// What `--sign` and `--key` say; a command without them wants what the hive expects.
    public static Signing.Wish signing(Args args) {
        KeyId key = key(args);
        if (key != null) {
            return new Signing.Wish.With(key);
        }
        return args.has("sign") ? new Signing.Wish.Signed() : new Signing.Wish.AsExpected();
    }

    /// The key that `--key` names, or null.
    public static @Nullable KeyId key(Args args) {
        String typed = args.value("key");
        try {
            return typed == null ? null : KeyId.parse(typed);
        } catch (IllegalArgumentException e) {
            throw wrong("option --key", e);
        }
    }

    public static @Nullable EnvelopeId id(Args args, String option) {
        String typed = args.value(option);
        try {
            return typed == null ? null : EnvelopeId.parse(typed);
        } catch (IllegalArgumentException e) {
            throw wrong("option --" + option, e);
        }
    }

    public static @Nullable Ttl ttl(Args args, String option) {
        String typed = args.value(option);
        if (typed == null) {
            return null;
        }
        Duration duration = args.duration(option);
        try {
            return duration == null ? null : Ttl.parse(typed);
        } catch (IllegalArgumentException e) {
            throw new CliException(
                    ErrorCode.USAGE,
                    "--"
                            + option
                            + " "
                            + typed
                            + ": expected more than 0 and at most "
                            + Ttl.format(Ttl.MAX),
                    e);
        }
    }

    public static @Nullable Lane lane(Args args, String option) {
        String typed = args.value(option);
        try {
            return typed == null ? null : Lane.parse(typed);
        } catch (IllegalArgumentException e) {
            throw wrong("option --" + option, e);
        }
    }

    public static @Nullable Priority priority(Args args, String option) {
        String typed = args.value(option);
        return typed == null ? null : Priority.parse(typed);
    }

    /// The values' own messages already say what was found and expected.
    public static CliException wrong(String thing, IllegalArgumentException e) {
        return new CliException(ErrorCode.USAGE, thing + ": " + e.getMessage(), e);
    }
}
