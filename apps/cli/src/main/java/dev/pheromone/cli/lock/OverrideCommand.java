package dev.pheromone.cli.lock;

import dev.pheromone.address.Actor;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.PersonsWord;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.frame.TypedFiles;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.session.HiveLocks;
import dev.pheromone.session.hive.Authority;
import dev.pheromone.session.passkey.Deed;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;

/// `rsm override`: lets one content into one file in spite of a lock, for people.
public final class OverrideCommand implements Command {

    @Override
    public Spec spec() {
        return Spec.of(
                        "override",
                        Group.GOVERNANCE,
                        "lets one exact content be written to one file despite a lock; for people")
                .usage("rsm override")
                .usage(
                        "rsm override TARGET --content FILE --reason TEXT [--for ACTOR] [--ttl 1h]"
                                + " [--by NAME]")
                .optional(
                        "TARGET",
                        "the file that may be written, or for mail its place in the inbox; without"
                                + " it, the overrides there are and what each is worth are shown")
                .opt(
                        Opt.value(
                                "content",
                                "FILE",
                                "what may be written there, and nothing else; - is standard input"))
                .opt(Opt.value("reason", "TEXT", "why; it is written down"))
                .opt(Opt.value("for", "ACTOR", "who asked for it; you, if nobody is named"))
                .opt(Opt.value("ttl", "DURATION", "for how long, at most 30d").withFallback("1h"))
                .opt(Opt.value("by", "NAME", "who permits it, if there is no terminal to ask at"))
                .note(
                        "Where the hive trusts a person's key, it is signed with that, and one"
                            + " without such a signature counts for nothing. Otherwise it asks for"
                            + " confirmation at the terminal. In an agent's session it is refused."
                            + " To take one back, delete its file in .deia/overrides/.")
                .example(
                        "rsm override docs/spec.md --content new.md --reason \"a typo\"",
                        "this content may be written there for an hour")
                .example("rsm override", "what is permitted, and which count for nothing")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        HiveLocks locks = new HiveLocks(call, TypedHive.find(call));
        String typed = call.args().operand(0);
        if (typed == null) {
            for (String option : new String[] {"content", "reason", "for"}) {
                if (call.args().has(option)) {
                    throw new CliException(
                            ErrorCode.USAGE,
                            "option --" + option + " belongs to a TARGET, found none");
                }
            }
            return new OverrideAnswer.Listing(locks.guard().overrides());
        }
        String target = target(call, locks.layout(), typed);
        String reason = LockCommand.reason(call);
        if (reason.isEmpty()) {
            throw new CliException(ErrorCode.USAGE, "found no reason, expected --reason TEXT")
                    .fix(call.line().plus("--reason", "TEXT").toString());
        }
        ContentHash content = content(call);
        String requestor = requestor(call);
        Ttl ttl = Objects.requireNonNull(Typed.ttl(call.args(), "ttl"));
        Authority.Person person =
                PersonsWord.ask(
                        call,
                        locks.authority(),
                        Deed.of(
                                        Deed.OVERRIDE,
                                        target,
                                        "letting " + target + " be written in spite of a lock")
                                .with("target", target)
                                .with("hash", content.toString())
                                .with("reason", reason)
                                .with("ttl", ttl.toString())
                                .with(
                                        "requestor",
                                        requestor.isEmpty() ? call.actor().name() : requestor),
                        "override");
        try {
            HiveLocks.Permitted permitted =
                    locks.permit(target, content, reason, requestor, ttl, person);
            return new OverrideAnswer.Given(permitted.leave(), permitted.file(), person);
        } catch (IllegalArgumentException e) {
            throw Typed.wrong("TARGET", e);
        }
    }

    /// The file that was typed, relative to the hive root.
    private static String target(Invocation call, HiveLayout layout, String typed) {
        Path path = call.userFiles().asTyped(typed).normalize();
        if (!path.startsWith(layout.root()) || path.equals(layout.root())) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "TARGET: found \""
                                    + typed
                                    + "\", expected a file below "
                                    + layout.root())
                    .hint("a hive's locks are on its own files");
        }
        return layout.nameOf(path);
    }

    private static ContentHash content(Invocation call) throws IOException {
        String file = call.args().value("content");
        if (file == null) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "found no content, expected --content FILE: what may be written there")
                    .fix(call.line().plus("--content", "FILE").toString());
        }
        return new TypedFiles(call).hash(file);
    }

    private static String requestor(Invocation call) {
        String typed = call.args().value("for");
        try {
            return typed == null ? "" : Actor.parse(typed).name();
        } catch (IllegalArgumentException e) {
            throw Typed.wrong("option --for", e);
        }
    }
}
