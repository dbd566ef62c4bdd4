package dev.pheromone.cli;

import dev.pheromone.Address;
import dev.pheromone.Attachment;
import dev.pheromone.Consent;
import dev.pheromone.ContentHash;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeDraft;
import dev.pheromone.EnvelopeId;
import dev.pheromone.EnvelopeText;
import dev.pheromone.HiveConfig;
import dev.pheromone.Lane;
import dev.pheromone.MalformedEnvelopeException;
import dev.pheromone.Priority;
import dev.pheromone.TraceParent;
import dev.pheromone.Ttl;
import dev.pheromone.cli.args.Args;
import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.args.ShellWords;
import dev.pheromone.session.Letter;
import dev.pheromone.session.OpenHive;
import dev.pheromone.session.Signing;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Makes an envelope of what was typed, with the defaults for what was not.
final class Composer {

    private static final int BODY_BYTES_MAX = EnvelopeText.BODY_BYTES_MAX;

    private static final String BY_PATH =
            "a body holds no more; name the file instead, beside a line of text:  --attach FILE";

    /// A topic is a line in a table.
    private static final int TOPIC_LENGTH_MAX = 100;

    /// The topic of private mail for which none was typed.
    static final String PRIVATE_TOPIC = "private mail";

    /// The topic of an answer that goes further than what it answers.
    static final String OTHERS_TOPIC = "Re: your mail";

    private final Invocation call;
    private final OpenHive hive;
    private final Args args;

    Composer(Invocation call, OpenHive hive) {
        this.call = call;
        this.hive = hive;
        this.args = call.args();
    }

    /// A new envelope to `to`.
    Envelope compose(List<Address> to, byte[] body) throws IOException {
        Consent consent = consent(Consent.TEAM);
        return signed(
                draft(
                        to,
                        body,
                        topicOr(body, null, consent),
                        laneOr(to.getFirst(), null),
                        consent));
    }

    /// An answer to `request`.
    ///
    /// @param derivedId the id that an answer by acknowledging has, or null
    Envelope reply(Envelope request, Address to, byte[] body, @Nullable EnvelopeId derivedId)
            throws IOException {
        if (request.hops() >= Envelope.HOPS_MAX) {
            throw new CliException(
                            ErrorCode.REFUSED,
                            "envelope "
                                    + request.id()
                                    + " is answer number "
                                    + request.hops()
                                    + " in a row, expected at most "
                                    + Envelope.HOPS_MAX)
                    .hint("write a new one that sums up");
        }
        // An answer goes no further than what it answers, unless somebody says so.
        Consent consent = consent(request.consent());
        String topic =
                request.topic().startsWith("Re: ") ? request.topic() : "Re: " + request.topic();
        EnvelopeDraft draft =
                draft(
                                List.of(to),
                                body,
                                topicOr(
                                        body,
                                        consent.compareTo(request.consent()) > 0
                                                ? OTHERS_TOPIC
                                                : topic,
                                        consent),
                                laneOr(to, request.lane()),
                                consent)
                        .correlationId(request.id())
                        .hops(request.hops() + 1);
        if (!args.has("priority")) {
            draft.priority(request.priority());
        }
        if (derivedId != null) {
            draft.id(derivedId);
        }
        return signed(draft);
    }

    /// The envelope that somebody wrote as the file `name`, with `id`, `ts` and `hash` filled in.
    static Envelope complete(byte[] file, String name, @Nullable EnvelopeId id, Instant now) {
        try {
            return Envelope.complete(file, id == null ? EnvelopeId.random(now) : id, now);
        } catch (MalformedEnvelopeException e) {
            throw new CliException(ErrorCode.BAD_FILE, name + ": " + e.getMessage(), e)
                    .fix("rsm verify " + ShellWords.quote(name));
        }
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

    private EnvelopeDraft draft(
            List<Address> to, byte[] body, String topic, Lane lane, Consent consent)
            throws IOException {
        EnvelopeDraft draft =
                Envelope.draft(call.actor(), to, lane, topic)
                        .fromOrigin(call.identity().origin())
                        .ts(call.now())
                        .ttl(ttl(to))
                        .consent(consent)
                        .tags(tags())
                        .attachments(attachments())
                        .body(body);
        EnvelopeId id = Typed.id(args, "id");
        Priority priority = Typed.priority(args, "priority");
        String scope = args.value("scope");
        Address replyTo = Typed.address(call, "reply-to");
        EnvelopeId correlation = Typed.id(args, "correlation-id");
        TraceParent trace = trace();
        if (id != null) {
            draft.id(id);
        }
        if (priority != null) {
            draft.priority(priority);
        }
        if (scope != null) {
            draft.scope(scope);
        }
        if (replyTo != null) {
            draft.replyTo(replyTo);
        }
        if (correlation != null) {
            draft.correlationId(correlation);
        }
        if (trace != null) {
            draft.traceparent(trace);
        }
        return draft;
    }

    private Envelope signed(EnvelopeDraft draft) throws IOException {
        Envelope envelope;
        try {
            envelope = draft.seal();
        } catch (IllegalArgumentException e) {
            throw new CliException(ErrorCode.USAGE, String.valueOf(e.getMessage()), e);
        }
        return new Signing(call, hive).sign(envelope, Typed.signing(args));
    }

    private String topicOr(byte[] body, @Nullable String otherwise, Consent consent) {
        String typed = args.value("topic");
        if (typed != null) {
            return typed;
        }
        if (otherwise != null) {
            return otherwise;
        }
        if (consent == Consent.PRIVATE) {
            // A topic is shown in lists and written into the log, a private body is not.
            call.note(
                    "the topic is \""
                            + PRIVATE_TOPIC
                            + "\", as nothing of a private body is shown in lists; --topic names"
                            + " another");
            return PRIVATE_TOPIC;
        }
        return firstLine(new String(body, StandardCharsets.UTF_8));
    }

    /// The first line that says something, without the marks of a heading, a list or a quotation.
    static String firstLine(String body) {
        StringBuilder topic = new StringBuilder();
        int characters = 0;
        for (int i = 0; i < body.length() && characters < TOPIC_LENGTH_MAX; ) {
            int c = body.codePointAt(i);
            i += Character.charCount(c);
            if (topic.isEmpty() ? isMark(c) : c == '\t') {
                // Blanks before the first word say nothing, and a tab is one within a line.
                c = ' ';
            }
            if (c == '\n' && !topic.isEmpty()) {
                break;
            }
            boolean isShown =
                    !Character.isISOControl(c) && Character.getType(c) != Character.FORMAT;
            if (isShown && !(c == ' ' && topic.isEmpty())) {
                topic.appendCodePoint(c);
                characters++;
            }
        }
        if (topic.isEmpty()) {
            throw new CliException(ErrorCode.USAGE, "the body has no line to take the topic from")
                    .hint("say what it is about with --topic");
        }
        return topic.toString().strip();
    }

    private static boolean isMark(int c) {
        return c == '#' || c == '>' || c == '*' || c == '-' || Character.isWhitespace(c);
    }

    private Lane laneOr(Address to, @Nullable Lane otherwise) {
        Lane typed = Typed.lane(args, "lane");
        if (typed == null) {
            return otherwise == null ? laneOf(to) : otherwise;
        }
        if (!hive.config().allows(typed)) {
            throw unknownLane("option --lane", typed);
        }
        return typed;
    }

    /// What is said of a lane that this hive does not have.
    ///
    /// @param place where it was found
    CliException unknownLane(String place, Lane found) {
        return Lanes.unknown(hive.config(), place, found.name());
    }

    /// The recipient's first lane; work for a person or an agent as such is process.
    private Lane laneOf(Address to) {
        if (to instanceof Address.OfLane(var lane)) {
            return lane;
        }
        Domain domain = to.domain();
        HiveConfig.DomainConfig configured = hive.config().domains().get(domain);
        if (configured != null && !configured.lanes().isEmpty()) {
            return configured.lanes().getFirst();
        }
        Lane named = Lane.parse(domain.name());
        return named.isKnown() ? named : Lane.PROCESS;
    }

    private Ttl ttl(List<Address> to) {
        Ttl typed = Typed.ttl(args, "ttl");
        if (typed != null) {
            return typed;
        }
        for (Address address : to) {
            if (!(address instanceof Address.User)) {
                return hive.config().ttl().usual();
            }
        }
        return hive.config().ttl().user();
    }

    /// What was typed; else the usual one, or `most` if that is narrower.
    private Consent consent(Consent most) {
        Consent consent = Consent.parse(String.valueOf(args.value("consent")));
        if (!args.has("consent") && most.compareTo(consent) < 0) {
            consent = most;
        }
        refuseSlip(call, consent, null);
        return consent;
    }

    /// Fails unless `--public` and consent public come together: each alone would be a slip.
    ///
    /// @param file the envelope's file that says the consent, or null if it was typed
    static void refuseSlip(Invocation call, Consent consent, @Nullable String file) {
        boolean isFlagged = call.args().has("public");
        CommandLine line = call.line();
        if (consent == Consent.PUBLIC && !isFlagged) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "consent public lets the mail leave the team, expected --public beside"
                                    + " it")
                    .fix(line.plus("--public").toString());
        }
        if (consent != Consent.PUBLIC && isFlagged) {
            CliException slip =
                    new CliException(
                            ErrorCode.USAGE,
                            "--public is for consent public, found consent "
                                    + consent
                                    + (file == null
                                            ? ", expected --consent public beside it"
                                            : " in " + file + ", expected consent: public there"));
            throw call.args().has("consent") || file != null
                    ? slip.hint("leave out --public, or change the consent")
                    : slip.fix(line.plus("--consent", "public").toString());
        }
    }

    private List<String> tags() {
        List<String> tags = new ArrayList<>(args.values("tag"));
        for (String choice : args.values("choice")) {
            if (choice.isBlank()) {
                throw new CliException(
                        ErrorCode.USAGE,
                        "option --choice: found an empty text, expected an answer to choose");
            }
            tags.add(Letter.CHOICE_TAG + choice);
        }
        return tags;
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
