package dev.pheromone.session.mail;

import dev.pheromone.HiveConfig;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Ask;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.Lanes;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.caller.ProblemException.Remedy;
import dev.pheromone.session.hive.OpenHive;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Makes an envelope of what was said in a [Draft], with the defaults for what was not.
public final class Composer {

    /// A topic is a line in a table.
    private static final int TOPIC_LENGTH_MAX = 100;

    /// The topic of private mail for which none was said.
    static final String PRIVATE_TOPIC = "private mail";

    /// The topic of an answer that goes further than what it answers.
    public static final String OTHERS_TOPIC = "Re: your mail";

    private final Caller caller;
    private final OpenHive hive;

    public Composer(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
    }

    /// A new envelope to `to`, signed where that is wanted or needed.
    public Envelope compose(List<Address> to, Draft draft) throws IOException {
        Consent consent = consent(draft, Consent.TEAM);
        return signed(
                sealable(
                        to,
                        draft,
                        topicOr(draft, null, consent),
                        lane(draft, laneOf(to.getFirst())),
                        consent),
                draft);
    }

    /// An answer to `request`.
    ///
    /// @param derivedId the id that an answer by acknowledging has, or null
    public Envelope reply(Envelope request, Address to, Draft draft, @Nullable EnvelopeId derivedId)
            throws IOException {
        if (request.hops() >= Envelope.HOPS_MAX) {
            throw new ProblemException(
                            Code.REFUSED,
                            "envelope "
                                    + request.id()
                                    + " is answer number "
                                    + request.hops()
                                    + " in a row, expected at most "
                                    + Envelope.HOPS_MAX)
                    .hint("write a new one that sums up");
        }
        // An answer goes no further than what it answers, unless somebody says so.
        Consent consent = consent(draft, request.consent());
        String topic =
                request.topic().startsWith("Re: ") ? request.topic() : "Re: " + request.topic();
        EnvelopeDraft reply =
                sealable(
                                List.of(to),
                                draft,
                                topicOr(
                                        draft,
                                        consent.compareTo(request.consent()) > 0
                                                ? OTHERS_TOPIC
                                                : topic,
                                        consent),
                                lane(draft, request.lane()),
                                consent)
                        .correlationId(request.id())
                        .hops(request.hops() + 1);
        Answered.by(request, draft).ifPresent(reply::answer);
        if (draft.priority() == null) {
            reply.priority(request.priority());
        }
        if (derivedId != null) {
            reply.id(derivedId);
        }
        return signed(reply, draft);
    }

    /// The envelope that the caller wrote as the file `name`, with `id`, `ts` and `hash` filled in,
    /// and signed unless it is.
    ///
    /// @param said what the caller says beside it: an id, how to sign, and whether public is meant
    public Envelope complete(byte[] file, String name, Draft said) throws IOException {
        EnvelopeId id = said.id();
        Envelope envelope = complete(file, name, id, caller.now());
        if (id != null && !envelope.id().equals(id)) {
            throw new ProblemException(
                    Code.USAGE,
                    name + ": id: found " + envelope.id() + ", expected " + id + ", as typed");
        }
        if (!hive.config().allows(envelope.lane())) {
            throw Lanes.unknownIn(name, hive.config(), envelope.lane().name());
        }
        if (!envelope.from().equals(caller.actor())) {
            throw new ProblemException(
                            Code.USAGE,
                            name
                                    + ": from: found "
                                    + envelope.from()
                                    + ", expected "
                                    + caller.actor()
                                    + ", who sends it")
                    .hint("to send it in that name:")
                    .remedy(new Remedy.With("actor", envelope.from().name()));
        }
        refuseSlip(envelope.consent(), said.isPublicMeant(), said.consent() != null, name);
        refusePermissiveSilence(envelope.ask().orElse(null), said.isDefaultMeant(), name);
        return envelope.signature().isPresent()
                ? envelope
                : new Signing(caller, hive).sign(envelope, said.signing());
    }

    /// As [#complete(byte[], String, Draft)], of whoever wrote it, and unsigned as it is.
    public static Envelope complete(
            byte[] file, String name, @Nullable EnvelopeId id, Instant now) {
        try {
            return Envelope.complete(file, id == null ? EnvelopeId.random(now) : id, now);
        } catch (MalformedEnvelopeException e) {
            throw new ProblemException(Code.BAD_FILE, name + ": " + e.getMessage(), e)
                    .remedy(new Remedy.Command(List.of("rsm", "verify", name)));
        }
    }

    private EnvelopeDraft sealable(
            List<Address> to, Draft draft, String topic, Lane lane, Consent consent) {
        refusePermissiveSilence(draft.ask(), draft.isDefaultMeant(), null);
        EnvelopeDraft envelope =
                Envelope.draft(caller.actor(), to, lane, topic)
                        .fromOrigin(caller.identity().origin())
                        .ts(caller.now())
                        .ttl(ttl(draft, to))
                        .consent(consent)
                        .tags(draft.tags())
                        .attachments(draft.attachments())
                        .body(draft.body());
        if (draft.id() != null) {
            envelope.id(draft.id());
        }
        if (draft.priority() != null) {
            envelope.priority(draft.priority());
        }
        if (draft.ask() != null) {
            envelope.ask(draft.ask());
        }
        if (draft.scope() != null) {
            envelope.scope(draft.scope());
        }
        if (draft.replyTo() != null) {
            envelope.replyTo(draft.replyTo());
        }
        if (draft.correlation() != null) {
            envelope.correlationId(draft.correlation());
        }
        if (draft.trace() != null) {
            envelope.traceparent(draft.trace());
        }
        return envelope;
    }

    private Envelope signed(EnvelopeDraft sealable, Draft draft) throws IOException {
        Envelope envelope;
        try {
            envelope = sealable.seal();
        } catch (IllegalArgumentException e) {
            throw new ProblemException(Code.USAGE, String.valueOf(e.getMessage()), e);
        }
        return new Signing(caller, hive).sign(envelope, draft.signing());
    }

    private String topicOr(Draft draft, @Nullable String otherwise, Consent consent) {
        String said = draft.topic();
        if (said != null) {
            return said;
        }
        if (otherwise != null) {
            return otherwise;
        }
        if (consent == Consent.PRIVATE) {
            // A topic is shown in lists and written into the log, a private body is not.
            caller.note(
                    "the topic is \""
                            + PRIVATE_TOPIC
                            + "\", as nothing of a private body is shown in lists; --topic names"
                            + " another");
            return PRIVATE_TOPIC;
        }
        return firstLine(new String(draft.body(), StandardCharsets.UTF_8));
    }

    /// The first line that says something, without the marks of a heading, a list or a quotation.
    public static String firstLine(String body) {
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
            throw new ProblemException(Code.USAGE, "the body has no line to take the topic from")
                    .hint("say what it is about with --topic");
        }
        return topic.toString().strip();
    }

    private static boolean isMark(int c) {
        return c == '#' || c == '>' || c == '*' || c == '-' || Character.isWhitespace(c);
    }

    /// What was said, if this hive has such a lane; else `otherwise`.
    private Lane lane(Draft draft, Lane otherwise) {
        Lane said = draft.lane();
        if (said != null && !hive.config().allows(said)) {
            throw Lanes.unknown(hive.config(), said.name());
        }
        return said == null ? otherwise : said;
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

    private Ttl ttl(Draft draft, List<Address> to) {
        Ttl said = draft.ttl();
        Ttl ttl = said == null ? usualTtl(to) : said;
        Instant deadline = draft.ask() == null ? null : draft.ask().deadline();
        if (deadline == null) {
            return ttl;
        }
        Duration open = Duration.between(caller.now(), deadline);
        if (open.compareTo(ttl.duration()) <= 0) {
            return ttl;
        }
        if (said != null) {
            throw new ProblemException(
                    Code.USAGE,
                    "the question is open for "
                            + Ttl.format(open)
                            + " and valid for "
                            + said
                            + " only, expected a ttl that is no shorter");
        }
        // A question lives as long as it can be answered.
        return Ttl.of(Duration.ofSeconds(open.toSeconds() + 1));
    }

    private Ttl usualTtl(List<Address> to) {
        for (Address address : to) {
            if (!(address instanceof Address.User)) {
                return hive.config().ttl().usual();
            }
        }
        return hive.config().ttl().user();
    }

    /// What was said; else the usual one, or `most` if that is narrower.
    private static Consent consent(Draft draft, Consent most) {
        Consent said = draft.consent();
        Consent consent =
                said != null ? said : most.compareTo(Consent.TEAM) < 0 ? most : Consent.TEAM;
        refuseSlip(consent, draft.isPublicMeant(), said != null, null);
        return consent;
    }

    /// Fails if silence would permit something and nobody said that this is meant.
    ///
    /// @param file the envelope's file that says the default, or null
    private static void refusePermissiveSilence(
            @Nullable Ask ask, boolean isMeant, @Nullable String file) {
        if (ask == null || isMeant || !ask.permitsBySilence()) {
            return;
        }
        String found =
                "default \""
                        + ask.fallback()
                        + "\" may permit something that nobody has allowed; only \"no\" needs no"
                        + " second word";
        throw file == null
                ? new ProblemException(Code.USAGE, found + ", expected --default-permits beside it")
                        .remedy(new Remedy.With("default-permits", null))
                : new ProblemException(Code.USAGE, file + ": " + found)
                        .hint("ask with rsm ask, where --default-permits says that it is meant");
    }

    /// Fails unless consent public is said twice, and nothing else is: once alone would be a slip.
    ///
    /// @param isMeant whether it was said the second time
    /// @param isSaid whether a consent was said, and did not come by default
    /// @param file the envelope's file that says the consent, or null
    private static void refuseSlip(
            Consent consent, boolean isMeant, boolean isSaid, @Nullable String file) {
        if (consent == Consent.PUBLIC && !isMeant) {
            throw new ProblemException(
                            Code.USAGE,
                            "consent public lets the mail leave the team, expected --public beside"
                                    + " it")
                    .remedy(new Remedy.With("public", null));
        }
        if (consent != Consent.PUBLIC && isMeant) {
            ProblemException slip =
                    new ProblemException(
                            Code.USAGE,
                            "--public is for consent public, found consent "
                                    + consent
                                    + (file == null
                                            ? ", expected --consent public beside it"
                                            : " in " + file + ", expected consent: public there"));
            throw isSaid || file != null
                    ? slip.hint("leave out --public, or change the consent")
                    : slip.remedy(new Remedy.With("consent", "public"));
        }
    }
}
