package dev.pheromone.cli.mail;

import dev.pheromone.address.Address;
import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.args.UsageException;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.frame.TypedFiles;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.mail.Composer;
import dev.pheromone.session.mail.Draft;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// `rsm send`: a drop, an envelope in each inbox, and an event for each.
public final class SendCommand implements HiveCommand {

    /// The options whose values stand in an envelope's file already.
    private static final List<String> BROUGHT_BY_ENVELOPE =
            List.of(
                    "to",
                    "topic",
                    "lane",
                    "priority",
                    "ttl",
                    "scope",
                    "consent",
                    "tag",
                    "choice",
                    "reply-to",
                    "correlation-id",
                    "attach",
                    "body-file");

    @Override
    public Spec spec() {
        return MailOptions.addTo(
                        Spec.of("send", Group.AGENTS, "sends mail to one or more inboxes")
                                .usage("rsm send --to ADDRESS [BODY|-] [options]")
                                .usage("rsm send --envelope FILE [options]")
                                .optional(
                                        "BODY|-",
                                        "the text, Markdown; - reads it from standard input")
                                .opt(
                                        Opt.value(
                                                        "to",
                                                        "ADDRESS",
                                                        "who gets it: queen://code (code for"
                                                            + " short), lane://Code, user://you,"
                                                            + " worker://claude-7f3a")
                                                .repeated())
                                .opt(
                                        Opt.value(
                                                "envelope",
                                                "FILE",
                                                "send this envelope; id, ts and hash are filled"
                                                        + " in")))
                .note("When it says sent, the mail is on the disk and survives a power cut.")
                .note(
                        "With --via it is what that transport promises, which rsm doctor shows."
                                + " While nobody answers there, the mail is kept in .deia/outbox"
                                + " and goes by itself: do not send it again.")
                .example(
                        "rsm send --to code \"please review the parser\"",
                        "sends a line to whoever works on code")
                .example(
                        "rsm send --via team --to code \"please review the parser\"",
                        "sends it by the transport that hive.yaml calls team")
                .example(
                        "git diff | rsm send --to code --topic \"review this\" --priority P1 -",
                        "sends the output of a command")
                .example(
                        "rsm send --to user://you --choice yes --choice no --wait-reply 30m \"may I"
                                + " merge?\"",
                        "asks a person, and waits for the answer")
                .build();
    }

    /// The recipient before the text, as most programs have it.
    @Override
    public @Nullable UsageException meant(CommandLine line, int commandIndex) {
        List<String> words = new ArrayList<>(line.words());
        int first = commandIndex + 1;
        boolean isAddressed =
                words.stream().anyMatch(word -> word.equals("--to") || word.startsWith("--to="));
        if (isAddressed || first + 1 >= words.size() || words.get(first).startsWith("-")) {
            return null;
        }
        words.add(first, "--to");
        return new UsageException(
                "found two texts and no recipient, expected --to ADDRESS and one text",
                "for whoever is at " + words.get(first + 1) + ":",
                new CommandLine(words).toString());
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        TypedMail mail = new TypedMail(call, hive);
        String file = call.args().value("envelope");
        Envelope envelope =
                file == null
                        ? new Composer(call, hive)
                                .compose(recipients(call), mail.draft(mail.body(0)))
                        : fromFile(call, hive, file);
        return SendAndWait.run(call, hive, envelope);
    }

    private static Envelope fromFile(Invocation call, OpenHive hive, String file)
            throws IOException {
        refuseWhatItBrings(call);
        byte[] bytes = new TypedFiles(call).read(file, EnvelopeText.ENVELOPE_BYTES_MAX);
        Draft said =
                new Draft(new byte[0])
                        .id(Typed.id(call.args(), "id"))
                        .publicMeant(call.args().has("public"))
                        .signing(Typed.signing(call.args()));
        return new Composer(call, hive).complete(bytes, file, said);
    }

    /// What was typed and would not count is no help to whoever typed it.
    private static void refuseWhatItBrings(Invocation call) {
        if (call.args().operand(0) != null) {
            throw new CliException(
                    ErrorCode.USAGE, "--envelope brings its own body, expected no BODY");
        }
        for (String option : BROUGHT_BY_ENVELOPE) {
            if (call.args().has(option)) {
                throw new CliException(
                        ErrorCode.USAGE,
                        "--envelope brings its own header and body, expected no --" + option);
            }
        }
    }

    private static void refuseSeveral(Invocation call, String typed) {
        if (typed.indexOf(',') < 0) {
            return;
        }
        List<String> words = new ArrayList<>();
        for (String word : call.line().words()) {
            if (!word.equals(typed) && !word.equals("--to=" + typed)) {
                words.add(word);
                continue;
            }
            boolean isApart = word.equals(typed);
            for (String one : typed.split("[, ]+", -1)) {
                if (!isApart) {
                    words.add("--to");
                }
                words.add(one);
                isApart = false;
            }
        }
        throw new CliException(
                        ErrorCode.USAGE,
                        "option --to: found \"" + typed + "\", expected one address each")
                .hint("once for each:")
                .fix(new CommandLine(words).toString());
    }

    private static List<Address> recipients(Invocation call) {
        List<Address> to = new ArrayList<>();
        for (String typed : call.args().values("to")) {
            refuseSeveral(call, typed);
            to.add(Typed.address(call, "option --to", typed));
        }
        if (to.isEmpty()) {
            throw new CliException(ErrorCode.USAGE, "found no recipient, expected --to ADDRESS")
                    .hint("for whoever works on code:")
                    .fix(call.line().plus("--to", "code").toString());
        }
        return to;
    }
}
