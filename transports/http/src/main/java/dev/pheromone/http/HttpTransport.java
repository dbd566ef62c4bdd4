package dev.pheromone.http;

import dev.pheromone.Capability;
import dev.pheromone.Inbox;
import dev.pheromone.Lag;
import dev.pheromone.LockJson;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.http.HttpCalls.Answer;
import dev.pheromone.http.HttpCalls.Repeat;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// A hive that another process serves over HTTP. Safe for use by several threads.
///
/// A call that may be repeated is, a few times, with the same bytes: mail that arrived although its
/// answer was lost is then a `Duplicate`. Where the server can't be reached at all, an
/// `AwayException` says so; whether mail arrived is then unknown, and sending it again is safe.
///
/// Claims made here live by their lease alone, whatever its kind: the server can't see whether we
/// live.
public final class HttpTransport implements Transport {

    private static final int NOT_FOUND = 404;
    private static final int LOCKED = 423;

    private final HttpOptions options;
    private final HttpCalls calls;

    /// As the server said; null before it was asked.
    private volatile @Nullable About about;

    /// The hive that `options` name. Nothing is asked of the server yet.
    public HttpTransport(HttpOptions options) {
        this.options = options;
        this.calls = new HttpCalls(options);
    }

    @Override
    public Reach reach() {
        return options.reach();
    }

    /// What the served hive promises, as its server says, but for claims that end with their
    /// process: the server can't see it. Nothing, if the server does not say or can't be asked.
    @Override
    public Set<Capability> capabilities() {
        return about().promised();
    }

    /// That of the served hive, as its server says.
    @Override
    public Lag lag() {
        return about().lag();
    }

    /// What a server says of the hive that it serves.
    private record About(Set<Capability> promised, Lag lag) {

        private static final About NOTHING = new About(Set.of(), Lag.NONE);

        static About read(Json.Obj body) {
            List<String> names = new ArrayList<>();
            for (Json name : body.list("capabilities")) {
                names.add(((Json.Str) name).value());
            }
            Set<Capability> promised = EnumSet.noneOf(Capability.class);
            promised.addAll(Capability.ofNames(names));
            promised.remove(Capability.ATTENDED_LEASES);
            return new About(
                    Set.copyOf(promised),
                    new Lag(seconds(body, "arrival_lag_s"), seconds(body, "freed_lag_s")));
        }

        /// A server of version 0.1 serves folders, which have no lag, and does not say so.
        private static Duration seconds(Json.Obj body, String name) {
            return Duration.ofMillis(Math.round(body.optionalDecimal(name).orElse(0) * 1000));
        }
    }

    private About about() {
        About known = about;
        if (known == null) {
            try {
                known = askAbout();
            } catch (IOException e) {
                return About.NOTHING;
            }
            about = known;
        }
        return known;
    }

    private About askAbout() throws IOException {
        Answer answer = calls.get("/v1/about", options.shortTimeout());
        if (answer.status() == NOT_FOUND) {
            return About.NOTHING;
        }
        throwUnlessOk(answer, "what the server promises");
        return read("a server's promises", () -> About.read(answer.body()));
    }

    @Override
    public Receipt send(Envelope envelope) throws IOException, NoSuchInboxException {
        return send(envelope, envelope.to(), "/v1/envelopes");
    }

    @Override
    public Receipt send(Envelope envelope, Domain inbox) throws IOException, NoSuchInboxException {
        return send(envelope, List.of(inbox.address()), "/v1/envelopes?inbox=" + inbox);
    }

    private Receipt send(Envelope envelope, List<Address> targets, String path)
            throws IOException, NoSuchInboxException {
        if (!envelope.consent().allows(reach())) {
            return Receipt.forAll(
                    envelope, targets, new SendResult.BeyondConsent(envelope.consent(), reach()));
        }
        Optional<SendResult.NotPublic> refusal = options.publicCheck().refusal(envelope);
        if (refusal.isPresent()) {
            return Receipt.forAll(envelope, targets, refusal.get());
        }
        Answer answer =
                calls.post(path, "text/markdown", envelope.bytes(), Repeat.SAFE, options.timeout());
        throwIfNoInbox(answer);
        if (!answer.body().has("to")) {
            throw answer.failure("envelope " + envelope.id());
        }
        Receipt receipt =
                read("a receipt", () -> ReceiptJson.read(answer.body(), location(envelope)));
        if (!receipt.id().equals(envelope.id())
                || !receipt.hash().equals(envelope.hash())
                || receipt.copies().isEmpty()) {
            throw new IOException(
                    "envelope " + envelope.id() + ": the server's answer is not a receipt for it");
        }
        return receipt;
    }

    private String location(Envelope envelope) {
        return options.url().resolve("/v1/envelopes/" + envelope.id()).toString();
    }

    @Override
    public List<Domain> domains() throws IOException {
        Answer answer = calls.get("/v1/inboxes", options.timeout());
        throwUnlessOk(answer, "inboxes");
        return read(
                "a list of inboxes",
                () -> {
                    List<Domain> domains = new ArrayList<>();
                    for (Json item : answer.body().list("items")) {
                        domains.add(Domain.parse(((Json.Obj) item).text("inbox")));
                    }
                    return domains;
                });
    }

    @Override
    public void createInbox(Domain inbox) throws IOException {
        throwUnlessOk(calls.put(HttpInbox.path(inbox)), "inbox " + inbox);
    }

    @Override
    public Optional<Found> find(EnvelopeId id) throws IOException {
        return find(id, "/v1/envelopes/" + id);
    }

    @Override
    public Optional<State> stateOf(EnvelopeId id, Domain inbox) throws IOException {
        return find(id, "/v1/envelopes/" + id + "?inbox=" + inbox)
                .filter(found -> found.inbox().equals(inbox))
                .map(Found::state);
    }

    private Optional<Found> find(EnvelopeId id, String path) throws IOException {
        Answer answer = calls.get(path, options.shortTimeout());
        // Another server, or one in between, does not know what is there.
        if (answer.status() == NOT_FOUND && answer.code().equals("no_such_id")) {
            return Optional.empty();
        }
        throwUnlessOk(answer, "envelope " + id);
        return Optional.of(read("an envelope", () -> found(answer.body())));
    }

    private static Found found(Json.Obj body) {
        try {
            return new Found(
                    Envelope.parse(Base64.getDecoder().decode(body.text("envelope"))),
                    Domain.parse(body.text("inbox")),
                    State.valueOf(body.text("state").toUpperCase(Locale.ROOT)));
        } catch (MalformedEnvelopeException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    @Override
    public Inbox inbox(Domain domain) throws IOException, NoSuchInboxException {
        Answer answer = calls.get(HttpInbox.path(domain) + "?limit=0", options.shortTimeout());
        throwIfNoInbox(answer);
        throwUnlessOk(answer, "inbox " + domain);
        return new HttpInbox(calls, domain, options);
    }

    @Override
    public void close() {
        calls.close();
    }

    private static void throwIfNoInbox(Answer answer) throws IOException, NoSuchInboxException {
        if (answer.status() == NOT_FOUND && answer.code().equals("no_such_inbox")) {
            throw read(
                    "the inboxes that there are",
                    () -> {
                        List<Domain> known = new ArrayList<>();
                        answer.body().texts("known").forEach(n -> known.add(Domain.parse(n)));
                        return new NoSuchInboxException(
                                Address.parse(answer.body().text("address")), known);
                    });
        }
    }

    static void throwUnlessOk(Answer answer, String what) throws IOException {
        if (answer.status() == LOCKED && answer.body().has("lock")) {
            throw read(
                    "a lock",
                    () ->
                            new WithheldException(
                                    Path.of(".deia"),
                                    new Verdict.Blocked(
                                            LockJson.read(answer.body().object("lock")),
                                            answer.body().text("detail"))));
        }
        if (!answer.isOk()) {
            throw answer.failure(what);
        }
    }

    /// Something made of an answer.
    interface Reading<T> {
        T make();
    }

    /// What `reading` makes of an answer; a server that says something else failed.
    static <T> T read(String what, Reading<T> reading) throws IOException {
        try {
            return reading.make();
        } catch (IllegalArgumentException
                | ArithmeticException
                | java.time.DateTimeException
                | ClassCastException e) {
            throw new IOException("the server's answer is not " + what + ": " + e.getMessage(), e);
        }
    }
}
