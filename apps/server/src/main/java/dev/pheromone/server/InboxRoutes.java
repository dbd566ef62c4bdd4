package dev.pheromone.server;

import dev.pheromone.Capability;
import dev.pheromone.Claim;
import dev.pheromone.Lag;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.http.ClaimJson;
import dev.pheromone.http.SettlementJson;
import dev.pheromone.http.WaitingJson;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.ServedInbox;
import dev.pheromone.session.ServedSession;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/// Looking into inboxes, taking from them, and settling what was taken.
final class InboxRoutes {

    /// An agent that thinks for minutes: as long as `rsm select` gives it.
    private static final Duration LEASE = Duration.ofMinutes(30);

    private static final int LISTED = 100;

    /// A count is a list of names, which many clients may ask for.
    private static final Duration DEPTHS_FRESH = Duration.ofSeconds(1);

    private final ServedSession session;
    private final ServerOptions options;
    private final BooleanSupplier stopping;
    private final Kept<List<Domain>, List<Json>> depths = new Kept<>(DEPTHS_FRESH);

    InboxRoutes(ServedSession session, ServerOptions options, BooleanSupplier stopping) {
        this.session = session;
        this.options = options;
        this.stopping = stopping;
    }

    List<Route> routes() {
        return List.of(
                new Route("GET", "/v1/inboxes", (_, _) -> inboxes()),
                new Route(
                        "GET",
                        "/v1/inboxes/{domain}",
                        (call, parts) -> look(call, inbox(parts.getFirst()))),
                new Route(
                        "PUT",
                        "/v1/inboxes/{domain}",
                        (_, parts) -> create(domain(parts.getFirst()))),
                new Route(
                        "POST",
                        "/v1/inboxes/{domain}/select",
                        (call, parts) -> select(call, inbox(parts.getFirst()))),
                new Route(
                        "POST",
                        "/v1/claims/{claim}/ack",
                        (call, parts) -> ack(call, parts.getFirst())),
                new Route(
                        "POST",
                        "/v1/claims/{claim}/release",
                        (call, parts) -> release(call, parts.getFirst())),
                new Route("GET", "/v1/status", (_, _) -> status()),
                new Route("GET", "/v1/about", (_, _) -> about()));
    }

    private ServedInbox inbox(String name) throws IOException, NoSuchInboxException {
        return session.inbox(domain(name));
    }

    /// The inbox that a request is about, if it names one.
    static @Nullable Domain wanted(Call call) {
        return call.parameter("inbox").map(InboxRoutes::domain).orElse(null);
    }

    static Domain domain(String name) {
        try {
            return Domain.parse(name);
        } catch (IllegalArgumentException e) {
            throw Problem.of(404, "not_found", "no inbox can have this name").thrown();
        }
    }

    private Reply create(Domain domain) throws IOException {
        session.createInbox(domain);
        return Reply.json(200, named(domain));
    }

    private Reply inboxes() throws IOException {
        List<Json> items = new ArrayList<>();
        for (Domain domain : session.domains()) {
            items.add(named(domain));
        }
        return Reply.json(200, list(items, false));
    }

    private static Json.Obj named(Domain domain) {
        return Json.obj().put("inbox", domain.name()).put("address", domain.address().toString());
    }

    private static Json.Obj list(List<Json> items, boolean more) {
        return Json.obj()
                .put("items", Json.arr(items))
                .put("count", items.size())
                .put("more", more);
    }

    private Reply look(Call call, ServedInbox inbox) throws IOException {
        int limit = call.count("limit", LISTED, options.limits().listedMax());
        Duration wait = call.wait("wait_s", options.limits().waitMax());
        if (!wait.isZero()) {
            inbox.await(wait);
        }
        // One more than is told, to know whether there are more.
        List<Waiting> found = inbox.waiting(limit == 0 ? 0 : limit + 1);
        List<Json> items = new ArrayList<>();
        for (Waiting item : found.subList(0, Math.min(limit, found.size()))) {
            items.add(WaitingJson.write(item, session.now()));
        }
        return Reply.json(200, named(inbox.domain()).putAll(list(items, found.size() > limit)));
    }

    private Reply select(Call call, ServedInbox inbox) throws IOException {
        Json.Obj wish = call.json();
        Actor worker = Actor.parse(Call.text(wish, "worker"));
        ServerLimits limits = options.limits();
        Lease lease = Lease.unattended(Call.seconds(wish, "lease_s", LEASE, limits.leaseMax()));
        Duration wait = Call.wait(wish, "wait_s", limits.waitMax());
        // Not the hive's clock: a client waits in real time.
        long end = System.nanoTime() + wait.toNanos();
        boolean waited = false;
        while (true) {
            switch (inbox.select(worker, lease)) {
                case Selection.Taken(var claim) -> {
                    Reply reply =
                            Reply.json(200, ClaimJson.write(claim))
                                    .orElse(() -> giveBack(inbox, claim));
                    return waited ? reply.headFirst() : reply;
                }
                case Selection.Withheld(var lock, var reason) ->
                        throw Problem.locked(lock, reason).thrown();
                case Selection.Nothing _ -> {
                    Duration left = Duration.ofNanos(end - System.nanoTime());
                    if (!left.isPositive() || stopping.getAsBoolean()) {
                        return Reply.nothing();
                    }
                    inbox.await(left);
                    waited = true;
                }
            }
        }
    }

    /// Nobody heard of this claim.
    private static void giveBack(ServedInbox inbox, Claim claim) throws IOException {
        Settlement _ = inbox.settle(claim.token(), new Outcome.Released("the client was gone"));
    }

    private Reply ack(Call call, String claim) throws IOException, NoSuchInboxException {
        Json.Obj body = call.json();
        String status = Call.text(body, "status");
        String note = note(body);
        ClaimJson.Name name = ClaimJson.Name.parse(claim);
        Settlement settlement =
                switch (status) {
                    case "accepted" -> accept(name, body, note);
                    case "done" -> settle(name, new Outcome.Done(note));
                    case "error" -> settle(name, new Outcome.Failed(note));
                    default ->
                            throw Problem.of(
                                            422,
                                            "usage",
                                            "status: expected accepted, done or error")
                                    .thrown();
                };
        return reply(claim, status, settlement);
    }

    private Settlement accept(ClaimJson.Name claim, Json.Obj body, String note)
            throws IOException, NoSuchInboxException {
        ServedInbox inbox = session.inbox(claim.inbox());
        return body.has("heartbeat") && body.flag("heartbeat")
                ? inbox.renew(claim.token())
                : inbox.accept(claim.token(), note);
    }

    private Settlement settle(ClaimJson.Name claim, Outcome outcome)
            throws IOException, NoSuchInboxException {
        return session.settle(claim.inbox(), claim.token(), outcome);
    }

    private Reply release(Call call, String claim) throws IOException, NoSuchInboxException {
        Json.Obj body = call.json();
        ClaimJson.Name name = ClaimJson.Name.parse(claim);
        Duration pause = Call.seconds(body, "pause_s", Duration.ZERO, options.limits().leaseMax());
        return reply(claim, "released", settle(name, new Outcome.Released(note(body), pause)));
    }

    private static String note(Json.Obj body) {
        return body.has("note") ? Call.text(body, "note") : "";
    }

    private static Reply reply(String claim, String status, Settlement settlement) {
        Json.Obj body =
                Json.obj()
                        .put("claim", claim)
                        .put("status", status)
                        .putAll(SettlementJson.write(settlement));
        return switch (settlement) {
            case Settlement.Renewed _, Settlement.Settled _ -> Reply.json(200, body);
            case Settlement.Lost(var reason) ->
                    Problem.of(409, "claim_lost", reason).with(body.without("status")).reply();
            case Settlement.Withheld(var lock, var reason, var embargo) ->
                    embargo.isEmpty()
                            ? Problem.locked(lock, reason).with(body.without("status")).reply()
                            : Reply.json(202, body);
        };
    }

    /// How much waits where: all mail, also what may not be given out from here.
    private Reply status() throws IOException {
        // Asked each time: under a lock what was counted before is not told either.
        List<Domain> domains = session.domains();
        List<Json> items = depths.get(domains, () -> counted(domains));
        return Reply.json(200, kind().putAll(list(items, false)));
    }

    private List<Json> counted(List<Domain> domains) throws IOException {
        List<Json> items = new ArrayList<>();
        for (Domain domain : domains) {
            try {
                items.add(named(domain).put("waiting", session.inbox(domain).depth()));
            } catch (NoSuchInboxException e) {
                // It was taken away since the names were listed.
            }
        }
        return items;
    }

    /// What clients have to know of this server, lock or no lock: no file is looked at for it.
    private Reply about() {
        List<String> promised =
                session.capabilities().stream().map(Capability::toString).sorted().toList();
        Lag lag = session.lag();
        return Reply.json(
                200,
                kind().putTexts("capabilities", promised)
                        .put("arrival_lag_s", seconds(lag.arrival()))
                        .put("freed_lag_s", seconds(lag.freed())));
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    private Json.Obj kind() {
        return Json.obj()
                .put("reach", session.reach().toString())
                .put("read_only", options.mode() == ServerOptions.Mode.READ_ONLY);
    }
}
