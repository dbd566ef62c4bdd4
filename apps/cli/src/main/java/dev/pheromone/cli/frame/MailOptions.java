package dev.pheromone.cli.frame;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;

import java.util.List;

/// The options of every command that sends an envelope.
public final class MailOptions {

    public static final List<String> PRIORITIES = List.of("P0", "P1", "P2", "P3");

    /// How a TIME is typed, for the help of the commands that take one.
    public static final String TIME_NOTE =
            "A TIME is a duration back from now (90m, 24h, 7d), a date (2025-10-15: its first"
                    + " moment), or a date and a time (2025-10-15T17:10). Without a zone, such as"
                    + " the Z of 2025-10-15T17:10:00Z, it is in your time zone (TZ).";

    private MailOptions() {}

    /// What whoever looks is doing, for those who read the log.
    public static Opt state() {
        return Opt.value("state", "TEXT", "what you are doing, for the event: idle, reviewing");
    }

    /// A command with these options and no others: for mail that is sent on the way, with nothing
    /// typed about it.
    public static Spec spec() {
        return addTo(Spec.of("mail", Group.AGENTS, "sends mail on the way")).build();
    }

    /// The option of every command that works on another transport, too.
    public static Opt via(String help) {
        return Opt.value("via", "NAME", help);
    }

    /// Whether `call` sends an envelope, by whatever carries it.
    static boolean areOf(Invocation call) {
        return call.declares("retry-for");
    }

    /// The options of mail of any kind.
    public static Spec.Builder addTo(Spec.Builder spec) {
        return addContentTo(
                spec.opt(Opt.value("choice", "ANSWER", "an answer to choose from").repeated())
                        .opt(
                                Opt.value(
                                        "wait-reply",
                                        "DURATION",
                                        "wait this long for an answer from whoever was asked, and"
                                                + " show it"))
                        .opt(
                                Opt.value(
                                        "wait-for",
                                        "LEG[=30m]",
                                        "wait until it is stored, seen (by a model, as its"
                                                + " transcript or hooks show), taken or done; over"
                                                + " MQTT: stored or done")));
    }

    /// The options that say what mail is like, and how it goes.
    public static Spec.Builder addContentTo(Spec.Builder spec) {
        return spec.opt(
                        Opt.value(
                                "topic",
                                "TEXT",
                                "what it is about; else the body's first line, which of private"
                                        + " mail stays in the body"))
                .opt(Opt.value("lane", "LANE", "the kind of work; else the recipient's first"))
                .opt(
                        Opt.choice(
                                "priority",
                                "how urgent, P0 first; else P2, or the request's",
                                PRIORITIES))
                .opt(Opt.value("ttl", "DURATION", "how long it is valid; else 1d, or 7d to a user"))
                .opt(Opt.value("scope", "TEXT", "the path or capability that it is about"))
                .opt(
                        Opt.choice(
                                        "consent",
                                        "who may see it; of an answer, if it is not given: at most"
                                                + " those who may see the request",
                                        List.of("private", "team", "public"))
                                .withFallback("team"))
                .opt(
                        Opt.flag(
                                "public",
                                "with --consent public, to confirm it is intended; mail with"
                                        + " secrets in it is refused"))
                .opt(Opt.value("tag", "TAG", "a word to find it by").repeated())
                .opt(Opt.value("reply-to", "ADDRESS", "where answers go; else to you"))
                .opt(Opt.value("correlation-id", "ID", "the envelope that it belongs to"))
                .opt(
                        Opt.value("attach", "PATH", "a file that goes with it, by path and hash")
                                .repeated())
                .opt(Opt.value("body-file", "FILE", "read the body from a file"))
                .opt(Opt.flag("sign", "sign it with your key"))
                .opt(Opt.value("key", "KID", "sign it with this key"))
                .opt(Opt.value("id", "ID", "its id: sending the same again is then harmless"))
                .opt(Opt.flag("create", "make the recipient's inbox if there is none"))
                .opt(Opt.value("retry-for", "DURATION", "keep retrying for this long if refused"))
                .opt(via("send it by this transport of hive.yaml; kept while that is away"));
    }
}
