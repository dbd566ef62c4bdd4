package dev.pheromone.cli.mail;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.cli.frame.OutputClosedException;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.Catalog;
import dev.pheromone.life.Acceptance;
import dev.pheromone.session.GuardedTransport;
import dev.pheromone.session.Letter;
import dev.pheromone.session.Lookup;
import dev.pheromone.session.OpenHive;
import dev.pheromone.session.ProblemException;
import dev.pheromone.session.Signing;
import dev.pheromone.text.Json;
import dev.pheromone.trust.SignatureCheck;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// `rsm retry`: sends an envelope anew that died or expired.
public final class RetryCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("retry", Group.AGENTS, "sends a dead or expired envelope again")
                .required("ID", "the envelope, or the last characters of its id")
                .note(
                        "What ended stays ended: this is a new envelope, with a new id, that refers"
                            + " to the old one; one for each inbox where the old one ended. What"
                            + " ended on its way to another transport goes there. Typing the"
                            + " command twice sends it once.")
                .example("rsm retry k3f9x2", "sends it again, as a new envelope")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        List<Catalog.Item> copies = new Lookup(hive).copies(String.valueOf(call.args().operand(0)));
        Map<Domain, Envelope> ended = ended(hive, copies);
        if (ended.isEmpty()) {
            Catalog.Item first = copies.getFirst();
            tellIfKept(hive, first);
            throw new CliException(
                    ErrorCode.CONFLICT,
                    "envelope "
                            + first.id()
                            + " is "
                            + first.state()
                            + ", expected one that is dead or expired");
        }
        Invocation plain = call.like(MailOptions.spec());
        List<Envelope> anew = new ArrayList<>();
        List<Optional<String>> ways = new ArrayList<>();
        for (Map.Entry<Domain, Envelope> old : ended.entrySet()) {
            Envelope envelope = again(call, hive, old.getValue(), old.getKey());
            refuseIfEnded(hive, old.getValue(), envelope, old.getKey());
            anew.add(new Signing(plain, hive).sign(envelope));
            ways.add(hive.catalog().endedOnTheWayTo(old.getKey(), old.getValue().id()));
        }
        List<SentAnswer> sent = new ArrayList<>();
        for (int i = 0; i < anew.size(); i++) {
            sent.add(send(plain, hive, anew.get(i), ways.get(i)));
        }
        return sent.size() == 1 ? sent.getFirst() : new Retried(sent);
    }

    private static void tellIfKept(OpenHive hive, Catalog.Item item) throws IOException {
        try {
            hive.tellIfKept(new Lookup(hive).open(item).envelope().expiresAt());
        } catch (ProblemException e) {
            // It is not mail that could expire.
        }
    }

    /// By the transport that it was meant for: an inbox of that name here is another.
    private static SentAnswer send(
            Invocation plain, OpenHive hive, Envelope envelope, Optional<String> way)
            throws IOException {
        if (way.isEmpty()) {
            return new Mailing(plain, hive).send(envelope);
        }
        OpenHive by = hive.by(way.get());
        try (GuardedTransport _ = by.mail()) {
            return new Mailing(plain, by).send(envelope);
        }
    }

    /// What ended without success, by inbox. A copy that is not what its sender wrote is never
    /// revived: it would get a signature that vouches for it.
    private static Map<Domain, Envelope> ended(OpenHive hive, List<Catalog.Item> copies)
            throws IOException {
        Map<Domain, Envelope> ended = new LinkedHashMap<>();
        Map<Domain, RuntimeException> bad = new LinkedHashMap<>();
        for (Catalog.Item item : copies) {
            if (item.state() == State.DEAD || item.state() == State.EXPIRED) {
                try {
                    ended.putIfAbsent(item.inbox(), genuine(new Lookup(hive).open(item)));
                } catch (CliException | ProblemException e) {
                    bad.putIfAbsent(item.inbox(), e);
                }
            }
        }
        bad.keySet().removeAll(ended.keySet());
        for (RuntimeException problem : bad.values()) {
            throw problem;
        }
        return ended;
    }

    /// The envelope, if it is what its sender wrote.
    public static Envelope genuine(Letter letter) {
        if (!letter.envelope().hashMatches()) {
            throw forged(letter, Acceptance.WRONG_HASH.toString());
        }
        if (letter.check() instanceof SignatureCheck.Bad(var reason)) {
            throw forged(letter, "signature: " + reason);
        }
        return letter.envelope();
    }

    private static CliException forged(Letter letter, String problem) {
        return new CliException(
                        ErrorCode.BAD_MAIL, letter.path() + ": " + problem + "; nothing was sent")
                .hint("if it says what it should, send it as your own with rsm send; it says:")
                .fix("rsm read " + letter.envelope().id().shortForm());
    }

    /// An earlier retry may have ended too: then it is that one's turn, or nobody's.
    private static void refuseIfEnded(OpenHive hive, Envelope old, Envelope anew, Domain inbox)
            throws IOException {
        for (Catalog.Item item : hive.catalog().find(anew.id().text())) {
            if (item.inbox().equals(inbox) && item.state().isFinal()) {
                CliException ended =
                        new CliException(
                                ErrorCode.CONFLICT,
                                "envelope "
                                        + old.id()
                                        + " was sent anew already, as "
                                        + anew.id()
                                        + ", which is "
                                        + item.state());
                throw item.state() == State.DEAD || item.state() == State.EXPIRED
                        ? ended.fix("rsm retry " + anew.id().shortForm())
                        : ended;
            }
        }
    }

    private static Envelope again(Invocation call, OpenHive hive, Envelope old, Domain inbox)
            throws IOException {
        EnvelopeDraft draft =
                Envelope.draft(call.actor(), List.of(inbox.address()), old.lane(), old.topic())
                        .fromOrigin(call.identity().origin())
                        .id(EnvelopeId.ofRetry(old.id(), inbox))
                        .ts(call.now())
                        .priority(old.priority())
                        .ttl(old.ttl())
                        .consent(old.consent())
                        .tags(old.tags())
                        .attachments(old.attachments())
                        .correlationId(old.id())
                        // Whoever revives it is its sender; answers still go to whoever asked.
                        .replyTo(ReplyCommand.recipient(old, hive))
                        .body(old.body());
        old.scope().ifPresent(draft::scope);
        return draft.seal();
    }

    /// Copies that ended in several inboxes: an envelope each.
    private record Retried(List<SentAnswer> sent) implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> to = new ArrayList<>();
            for (SentAnswer one : sent) {
                to.addAll(one.copies());
            }
            return sent.getFirst().json().put("to", Json.arr(to));
        }

        @Override
        public @Nullable CliException unwritten(Invocation call, OutputClosedException why) {
            return sent.getFirst().unwritten(call, why);
        }

        @Override
        public void show(Screen screen) {
            sent.forEach(one -> one.show(screen));
        }

        @Override
        public void showBriefly(Screen screen) {
            sent.forEach(one -> one.showBriefly(screen));
        }
    }
}
