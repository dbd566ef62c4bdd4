package dev.pheromone.cli.mail;

import dev.pheromone.address.Address;
import dev.pheromone.cli.args.Args;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.frame.TypedFiles;
import dev.pheromone.cli.frame.UserFiles;
import dev.pheromone.envelope.Ask;
import dev.pheromone.envelope.Attachment;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.TraceParent;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.mail.Draft;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// The mail that was typed: its body, and what the options say of it.
public final class TypedMail {

    private static final int BODY_BYTES_MAX = EnvelopeText.BODY_BYTES_MAX;

    private static final String BY_PATH =
            "a body holds no more; name the file instead, beside a line of text:  --attach FILE";

    private final Invocation call;
    private final OpenHive hive;
    private final Args args;

    TypedMail(Invocation call, OpenHive hive) {
        this.call = call;
        this.hive = hive;
        this.args = call.args();
    }

    /// What was typed about mail with this body.
    Draft draft(byte[] body) throws IOException {
        return new Draft(body)
                .topic(args.value("topic"))
                .lane(Typed.lane(args, "lane"))
                .priority(Typed.priority(args, "priority"))
                .ttl(Typed.ttl(args, "ttl"))
                .scope(args.value("scope"))
                .consent(
                        args.has("consent")
                                ? Consent.parse(String.valueOf(args.value("consent")))
                                : null)
                .publicMeant(args.has("public"))
                .tags(args.values("tag"))
                .ask(ask(List.of()))
                .defaultMeant(isGiven("default-permits"))
                .attachments(attachments())
                .replyTo(Typed.address(call, "reply-to"))
                .correlation(Typed.id(args, "correlation-id"))
                .trace(trace())
                .id(Typed.id(args, "id"))
                .signing(Typed.signing(args));
    }

    /// What an answer says that is sent on the way, with nothing typed about it but its text.
    static Draft answer(Invocation call, OpenHive hive, String typed) throws IOException {
        TypedMail mail = new TypedMail(call.like(MailOptions.spec()), hive);
        return mail.draft(mail.typedBody(typed));
    }

    /// As [#answer(Invocation, OpenHive, String)], of a text that a command printed.
    public static Draft answer(Invocation call, OpenHive hive, byte[] body) throws IOException {
        return new TypedMail(call.like(MailOptions.spec()), hive).draft(body);
    }

    /// The body as it was typed: an argument, standard input, or a file.
    byte[] body(int operandIndex) throws IOException {
        String typed = args.operand(operandIndex);
        String file = args.value("body-file");
        if (typed != null && file != null) {
            throw new CliException(
                    ErrorCode.USAGE, "BODY and --body-file are both given, expected one");
        }
        if (file != null) {
            return text(read(() -> new TypedFiles(call).read(file, BODY_BYTES_MAX)), file);
        }
        if (typed == null) {
            if (args.has("topic")) {
                return new byte[0];
            }
            throw new CliException(ErrorCode.USAGE, "no text given: add a BODY or --topic")
                    .hint("- reads the body from standard input");
        }
        return typedBody(typed);
    }

    /// What was typed as a body: the text itself, or `-` for standard input.
    byte[] typedBody(String typed) throws IOException {
        if (typed.equals("-")) {
            return text(read(() -> call.userFiles().readInput(BODY_BYTES_MAX)), "standard input");
        }
        byte[] body =
                (typed.endsWith("\n") ? typed : typed + "\n").getBytes(StandardCharsets.UTF_8);
        if (body.length > BODY_BYTES_MAX) {
            throw UserFiles.tooLarge("BODY", BODY_BYTES_MAX).hint(BY_PATH);
        }
        return body;
    }

    private interface Reading {
        byte[] read() throws IOException;
    }

    /// A body that is read from somewhere. What is too long for one can be sent by its path.
    private static byte[] read(Reading reading) throws IOException {
        try {
            return reading.read();
        } catch (CliException e) {
            throw UserFiles.saysTooLarge(e) ? e.hint(BY_PATH) : e;
        }
    }

    /// `bytes` as they are, if they are text.
    private static byte[] text(byte[] bytes, String name) {
        try {
            CharBuffer _ = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return bytes;
        } catch (CharacterCodingException e) {
            throw new CliException(
                            ErrorCode.BAD_FILE,
                            name + " is not text, expected Markdown in UTF-8",
                            e)
                    .hint("send other files by path, with --attach");
        }
    }

    /// What was typed about a question with this body.
    ///
    /// @param of who is asked, if not everybody to whom it goes
    Draft question(byte[] body, List<Address> of) throws IOException {
        Ask typed = ask(of);
        return draft(body)
                .ask(typed == null ? new Ask(List.of(), true, fallback(), deadline(), of) : typed);
    }

    /// What the choices ask; null if there are none.
    private @Nullable Ask ask(List<Address> of) {
        List<String> choices = args.values("choice");
        for (String choice : choices) {
            if (choice.isBlank()) {
                throw new CliException(
                        ErrorCode.USAGE,
                        "option --choice: found an empty text, expected an answer to choose");
            }
        }
        if (choices.isEmpty()) {
            return null;
        }
        boolean isFree = isGiven("free");
        Ask plain;
        try {
            plain = new Ask(choices, isFree, null, deadline(), of);
        } catch (IllegalArgumentException e) {
            throw Typed.wrong("option --choice", e);
        }
        String typed = fallback();
        if (typed == null) {
            return plain;
        }
        try {
            return plain.withDefault(typed);
        } catch (IllegalArgumentException e) {
            throw Typed.wrong("option --default", e);
        }
    }

    private @Nullable String fallback() {
        String typed = isGiven("default") ? args.value("default") : null;
        try {
            return typed == null ? null : Ask.parseAnswer(typed);
        } catch (IllegalArgumentException e) {
            throw Typed.wrong("option --default", e);
        }
    }

    private @Nullable Instant deadline() {
        Duration open = isGiven("deadline") ? args.duration("deadline") : null;
        return open == null ? null : call.now().plus(open);
    }

    private boolean isGiven(String option) {
        return call.declares(option) && args.has(option);
    }

    private List<Attachment> attachments() throws IOException {
        List<Attachment> attachments = new ArrayList<>();
        for (String typed : args.values("attach")) {
            if (typed.equals("-")) {
                throw new CliException(ErrorCode.USAGE, "option --attach: found -, expected a file")
                        .hint("as BODY, - reads the text from standard input");
            }
            ContentHash hash = new TypedFiles(call).hash(typed);
            attachments.add(
                    new Attachment(hive.layout().nameOf(call.userFiles().resolve(typed)), hash));
        }
        return attachments;
    }

    /// The trace that the environment carries on, if its mark is well-formed.
    private @Nullable TraceParent trace() {
        String variable = call.surroundings().variable("TRACEPARENT");
        try {
            return variable == null ? null : TraceParent.parse(variable);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
