package dev.pheromone.http;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.http.HttpCalls.Answer;
import dev.pheromone.http.HttpCalls.Repeat;
import dev.pheromone.selection.Waiting;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// An inbox of a served hive.
final class HttpInbox implements Inbox {

    /// How many waiting envelopes are asked for; the server gives no more at once.
    private static final int WAITING_MAX = 10_000;

    /// How long one call waits; whoever wants to wait longer asks again.
    private static final Duration AWAIT_MAX = Duration.ofSeconds(20);

    private static final String JSON = "application/json";
    private static final int NO_CONTENT = 204;
    private static final int UNPROCESSABLE = 422;

    private final HttpCalls calls;
    private final Domain domain;
    private final HttpOptions options;

    HttpInbox(HttpCalls calls, Domain domain, HttpOptions options) {
        this.calls = calls;
        this.domain = domain;
        this.options = options;
    }

    static String path(Domain domain) {
        return "/v1/inboxes/" + domain;
    }

    @Override
    public Domain domain() {
        return domain;
    }

    @Override
    public List<Waiting> waiting() throws IOException {
        Answer answer = calls.get(path(domain) + "?limit=" + WAITING_MAX, options.timeout());
        HttpTransport.throwUnlessOk(answer, "inbox " + domain);
        return HttpTransport.read(
                "an inbox",
                () -> {
                    List<Waiting> waiting = new ArrayList<>();
                    for (Json item : answer.body().list("items")) {
                        Json.Obj mail = (Json.Obj) item;
                        waiting.add(
                                WaitingJson.read(
                                        mail, location(mail.optionalText("id").orElse(""))));
                    }
                    return waiting;
                });
    }

    private String location(String id) {
        return options.url().resolve("/v1/envelopes/" + id).toString();
    }

    /// Not repeated when its answer is lost: then the envelope returns when the lease is over.
    @Override
    public Selection select(Actor worker, Lease lease) throws IOException {
        Json.Obj wish =
                Json.obj()
                        .put("worker", worker.name())
                        .put("lease_s", lease.duration().toSeconds());
        Answer answer =
                calls.post(
                        path(domain) + "/select",
                        JSON,
                        bytes(wish),
                        Repeat.UNSAFE,
                        options.shortTimeout());
        if (answer.status() == NO_CONTENT) {
            return new Selection.Nothing();
        }
        try {
            HttpTransport.throwUnlessOk(answer, "inbox " + domain);
        } catch (WithheldException e) {
            return new Selection.Withheld(e.verdict().lock(), e.verdict().reason());
        }
        return new Selection.Taken(HttpTransport.read("a claim", () -> claim(answer.body())));
    }

    private Claim claim(Json.Obj body) {
        try {
            return ClaimJson.read(body, location(body.text("id")));
        } catch (MalformedEnvelopeException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    @Override
    public void await(Duration timeout) throws IOException {
        Duration wait = timeout.compareTo(AWAIT_MAX) > 0 ? AWAIT_MAX : timeout;
        Answer answer =
                calls.get(
                        path(domain) + "?limit=0&wait_s=" + Math.max(1, wait.toMillis()) / 1000.0,
                        options.timeout().plus(wait));
        HttpTransport.throwUnlessOk(answer, "inbox " + domain);
    }

    @Override
    public Settlement renew(String claim) throws IOException {
        return settle(claim, "ack", Json.obj().put("status", "accepted").put("heartbeat", true));
    }

    @Override
    public Settlement accept(String claim, String note) throws IOException {
        return settle(claim, "ack", Json.obj().put("status", "accepted").put("note", note));
    }

    @Override
    public Settlement settle(String claim, Outcome outcome) throws IOException {
        Json.Obj note = Json.obj().put("note", outcome.note());
        return switch (outcome) {
            case Outcome.Done _ -> settle(claim, "ack", note.put("status", "done"));
            case Outcome.Failed _ -> settle(claim, "ack", note.put("status", "error"));
            case Outcome.Released(var _, var pause) ->
                    settle(
                            claim,
                            "release",
                            pause.isZero() ? note : note.put("pause_s", pause.toMillis() / 1000.0));
        };
    }

    /// The server knows what it heard before, and says the same again.
    private Settlement settle(String claim, String verb, Json.Obj body) throws IOException {
        String name =
                URLEncoder.encode(
                        new ClaimJson.Name(domain, claim).toString(), StandardCharsets.UTF_8);
        Answer answer =
                calls.post(
                        "/v1/claims/" + name + "/" + verb,
                        JSON,
                        bytes(body),
                        Repeat.SAFE,
                        options.shortTimeout());
        if (answer.body().has("state")) {
            return HttpTransport.read(
                    "the end of a claim", () -> SettlementJson.read(answer.body(), name));
        }
        if (answer.status() == UNPROCESSABLE) {
            throw new IllegalArgumentException(answer.body().optionalText("detail").orElse(name));
        }
        throw answer.failure("claim " + claim);
    }

    private static byte[] bytes(Json.Obj json) {
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }
}
