package dev.pheromone.mqtt;

import dev.pheromone.Actor;
import dev.pheromone.Claim;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Header;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.MalformedEnvelopeException;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.Urgency;
import dev.pheromone.Waiting;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/// An inbox of an [MqttTransport].
final class MqttInbox implements Inbox, AutoCloseable {

    /// How much mail a look shows.
    private static final int SHOWN_MAX = 1_000;

    /// How long a wait trusts that it hears of mail: nothing is heard when a pause ends.
    private static final Duration SCAN_EVERY = Duration.ofSeconds(1);

    private final Domain domain;
    private final InstantSource clock;
    private final Link link;
    private final Names names;
    private final Shelf shelf;
    private final Inspection inspection;
    private final Office office;

    MqttInbox(MqttOptions options, InstantSource clock, Domain domain, Names names, Link link) {
        this.domain = domain;
        this.clock = clock;
        this.link = link;
        this.names = names;
        shelf = new Shelf(link, names, domain);
        inspection = new Inspection(options, names, domain);
        office = new Office(options, clock, domain, names, link);
    }

    @Override
    public Domain domain() {
        return domain;
    }

    @Override
    public Selection select(Actor worker, Lease lease) throws IOException {
        return switch (office.ask(new Ask.Take(link.nonce(), worker, lease))) {
            case Answer.Taken taken -> new Selection.Taken(claim(taken, worker));
            case Answer.Nothing _ -> new Selection.Nothing();
            case Answer other -> throw unexpected(other);
        };
    }

    private Claim claim(Answer.Taken taken, Actor worker) throws IOException {
        try {
            Envelope envelope = Envelope.parse(taken.bytes());
            return new Claim(
                    taken.token(),
                    envelope,
                    domain,
                    worker,
                    taken.attempt(),
                    taken.claimedAt(),
                    taken.leaseEndsAt(),
                    inspection.signature(envelope, taken.claimedAt()),
                    taken.rationale(),
                    location(envelope.id()));
        } catch (MalformedEnvelopeException e) {
            throw new IOException("answer: no envelope in it: " + e.getMessage(), e);
        }
    }

    private String location(EnvelopeId id) {
        return domain + "/" + id;
    }

    @Override
    public Settlement renew(String claim) throws IOException {
        return settlement(office.ask(new Ask.Renew(link.nonce(), claim)));
    }

    @Override
    public Settlement settle(String claim, Outcome outcome) throws IOException {
        return settlement(office.ask(new Ask.Settle(link.nonce(), claim, outcome)));
    }

    private static Settlement settlement(Answer answer) throws IOException {
        return switch (answer) {
            case Answer.Renewed(var endsAt) -> new Settlement.Renewed(endsAt);
            case Answer.Settled(var state) ->
                    new Settlement.Settled(state, Settlement.Confirmation.UNKNOWN);
            case Answer.Lost(var reason) -> new Settlement.Lost(reason);
            case Answer other -> throw unexpected(other);
        };
    }

    private static IOException unexpected(Answer answer) {
        return new IOException(
                "keeper: answered "
                        + answer.getClass().getSimpleName()
                        + ", which is to another question");
    }

    /// Read from the broker by whoever asks; its keeper does not notice.
    @Override
    public List<Waiting> waiting() throws IOException {
        Instant now = clock.instant();
        List<Waiting> bad = new ArrayList<>();
        List<Mail> read = new ArrayList<>();
        List<Post> posts = shelf.mail().posts();
        for (Post post : posts.subList(0, Math.min(SHOWN_MAX, posts.size()))) {
            try {
                read.add(Mail.parse(post, now));
            } catch (MalformedEnvelopeException e) {
                bad.add(new Waiting.Bad(post.topic(), String.valueOf(e.getMessage()), null));
            }
        }
        Map<EnvelopeId, MailRecord> records =
                shelf.records(read.stream().map(mail -> mail.envelope().id()).distinct().toList())
                        .readable();
        List<Waiting.Mail> waiting = new ArrayList<>();
        for (Mail mail : read) {
            @Nullable MailRecord known = records.get(mail.envelope().id());
            MailRecord record =
                    known == null ? MailRecord.fresh(mail.fingerprint(), mail.firstSeen()) : known;
            if (record.state() == State.WAITING && record.mail().equals(mail.fingerprint())) {
                waiting.add(
                        new Waiting.Mail(
                                Header.of(mail.envelope()),
                                inspection.urgency(mail.envelope(), record),
                                record.failures() + 1,
                                location(mail.envelope().id())));
            }
        }
        waiting.sort(Comparator.comparing(Waiting.Mail::urgency, Urgency.normalOrder(now)));
        List<Waiting> all = new ArrayList<>(waiting);
        all.addAll(bad);
        return all;
    }

    @Override
    public void await(Duration timeout) throws IOException, InterruptedException {
        Duration wait = timeout.compareTo(SCAN_EVERY) > 0 ? SCAN_EVERY : timeout;
        if (wait.isPositive()) {
            link.listen(names.news(domain), names.sharedNews(domain)).await(wait);
        }
    }

    @Override
    public void close() {
        office.close();
    }
}
