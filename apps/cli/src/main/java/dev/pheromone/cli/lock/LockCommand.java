package dev.pheromone.cli.lock;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.PatternHints;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.guard.LockKind;
import dev.pheromone.lock.LockEntry;
import dev.pheromone.session.HiveLocks;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.Objects;

/// `rsm lock`: what is locked, and the setting of locks. Anybody may forbid; lifting is for people.
public final class LockCommand implements Command {

    @Override
    public Spec spec() {
        return Spec.of("lock", Group.GOVERNANCE, "shows what is locked, or locks files or the hive")
                .usage("rsm lock")
                .usage("rsm lock hive [--reason TEXT]")
                .usage("rsm lock dnr|do-not-alter|do-not-erase PATTERN [options]")
                .usage("rsm lock trust-guard [--by NAME]")
                .optional(
                        "WHAT",
                        "hive: everything in .deia; dnr (do not read), do-not-alter, do-not-erase:"
                                + " what PATTERN covers; trust-guard: approve the hive's own guard"
                                + " program; nothing: show what is locked",
                        LockWhat.LOCKABLE)
                .optional(
                        "PATTERN",
                        "a path below the hive root, or a glob: src/keys, **/*.pem, {a,b}/*.txt")
                .opt(Opt.value("reason", "TEXT", "why; shown to everybody whom the lock stops"))
                .opt(
                        Opt.value(
                                "expires",
                                "WHEN",
                                "when it ends: 30m, 2h, 2026-12-31, or 2026-12-31T18:00:00Z"))
                .opt(
                        Opt.value(
                                "by",
                                "NAME",
                                "who approves a guard, if there is no terminal to ask at"))
                .note(
                        "When the command returns, the lock is in force: everybody who was working"
                            + " in the hive has finished. If somebody is still working after 30 s,"
                            + " it says so and ends with exit 1; the lock stays. rsm unlock lifts"
                            + " it.")
                .example("rsm lock", "what is locked, and why")
                .example("rsm lock hive --reason \"release freeze\"", "stops all work in the hive")
                .example(
                        "rsm lock dnr \"**/*.pem\" --reason \"private keys\"",
                        "nobody reads, writes or erases them")
                .example(
                        "rsm lock do-not-alter docs/spec.md --expires 2h",
                        "may be read, not changed, for two hours")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        HiveLocks locks = new HiveLocks(call, TypedHive.find(call));
        String what = call.args().operand(0);
        if (what == null) {
            return new LockListing(locks.active());
        }
        LockWhat lock = LockWhat.parse(what);
        if (lock.kind() != null) {
            return lockPattern(call, locks, lock.kind());
        }
        lock.refusePattern(call);
        if (call.args().has("expires")) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "--expires is for locks on files; rsm lock " + what + " has no end")
                    .hint("a person lifts it:")
                    .fix("rsm unlock hive");
        }
        return lock.isHive()
                ? new LockAnswer(locks.lockHive(reason(call)))
                : new TrustGuard(call, locks.layout(), locks.guard(), locks.smith()).run();
    }

    private static Answer lockPattern(Invocation call, HiveLocks locks, LockKind kind)
            throws IOException {
        String pattern = LockWhat.pattern(call, locks.layout());
        String reason = reason(call);
        Instant expires = expires(call);
        PatternHints.of(call, locks.layout(), locks.guard(), "rsm lock " + kind, pattern);
        try {
            return new LockAnswer(locks.lock(kind, pattern, reason, expires));
        } catch (IllegalArgumentException e) {
            throw Typed.wrong("PATTERN", e);
        }
    }

    /// The reason that was typed, as one line; empty if there is none.
    static String reason(Invocation call) {
        return line(call, "reason");
    }

    /// The text of an option, which has to be one line; empty if it was not typed.
    static String line(Invocation call, String option) {
        String text = call.args().value(option);
        if (text == null) {
            return "";
        }
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                throw new CliException(
                        ErrorCode.USAGE,
                        "option --"
                                + option
                                + ": found a line end or another control character, expected one"
                                + " line of text");
            }
        }
        return text.strip();
    }

    private static @Nullable Instant expires(Invocation call) {
        String typed = call.args().value("expires");
        if (typed == null) {
            return null;
        }
        Instant expires;
        if (typed.indexOf('-') > 0) {
            try {
                expires = LockEntry.parseExpires(typed);
            } catch (IllegalArgumentException e) {
                throw new CliException(
                        ErrorCode.USAGE,
                        "option --expires: found \""
                                + typed
                                + "\", expected a duration such as 2h, a day, or a time such as"
                                + " 2026-12-31T18:00:00Z",
                        e);
            }
        } else {
            expires = call.now().plus(Objects.requireNonNull(call.args().duration("expires")));
        }
        if (!expires.isAfter(call.now())) {
            throw new CliException(
                    ErrorCode.USAGE,
                    "option --expires: found \""
                            + typed
                            + "\", which is over, expected a time to"
                            + " come");
        }
        return expires;
    }
}
