package dev.pheromone.server;

import dev.pheromone.Capability;
import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lag;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.http.ClaimJson;
import dev.pheromone.http.SettlementJson;
import dev.pheromone.http.WaitingJson;
import dev.pheromone.selection.Waiting;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/// Looking into inboxes, taking from them, and settling what was taken.
final class InboxRoutes {

    /// An agent that thinks for minutes: as long as `rsm select` gives it.
    private static final Duration LEASE = Duration.ofMinutes(30);

    private static final int LISTED = 100;

    /// A count is a list of names, which many clients may ask for.
    private static final Duration DEPTHS_FRESH = Duration.ofSeconds(1);

    /// Several may wait at one inbox, and only one of them is woken: the others look this often.
    private static final Duration SLICE = Duration.ofSeconds(1);

    private final Transport transport;
    private final ServerOptions options;
    private final InstantSource clock;
    private final BooleanSupplier stopping;
    private final Passage passage;
    private final HandOut handOut;
    private final Kept<List<Domain>, List<Json>> depths = new Kept<>(DEPTHS_FRESH);

    /// Inboxes that were asked for: under a lock no more can be, but these keep how work ended.
    private final Map<Domain, Inbox> known = new ConcurrentHashMap<>();

    InboxRoutes(
            Transport transport,
            ServerOptions options,
            Passage passage,
            InstantSource clock,
            BooleanSupplier stopping) {
        this.transport = transport;
        this.options = options;
        this.clock = clock;
        this.stopping = stopping;
        this.passage = passage;
        this.handOut = new HandOut(passage, clock);
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

    private Inbox inbox(String name) throws IOException, NoSuchInboxException {
        return inbox(domain(name));
    }

    static Domain domain(String name) {
        try {
            return Domain.parse(name);
        } catch (IllegalArgumentException e) {
            throw Problem.of(404, "not_found", "no inbox can have this name").thrown();
        }
    }

    private Reply create(Domain domain) throws IOException {
        transport.createInbox(domain);
        return Reply.json(200, named(domain));
    }

    private Inbox inbox(Domain domain) throws IOException, NoSuchInboxException {
        Inbox inbox = transport.inbox(domain);
        known.put(domain, inbox);
        return inbox;
    }

    /// Ends a claim, or keeps how it ended while a lock forbids more.
    private Settlement settle(ClaimJson.Name claim, Outcome outcome)
            throws IOException, NoSuchInboxException {
        try {
            return inbox(claim.inbox()).settle(claim.token(), outcome);
        } catch (WithheldException e) {
            Inbox inbox = known.get(claim.inbox());
            if (inbox == null) {
                throw e;
            }
            return inbox.settle(claim.token(), outcome);
        }
    }

    private Reply inboxes() throws IOException {
        List<Json> items = new ArrayList<>();
        for (Domain domain : transport.domains()) {
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

    private Reply look(Call call, Inbox inbox) throws IOException {
        int limit = call.count("limit", LISTED, options.limits().listedMax());
        Duration wait = call.wait("wait_s", options.limits().waitMax());
        if (!wait.isZero()) {
            await(inbox, wait);
        }
        List<Json> items = new ArrayList<>();
        boolean more = false;
        for (Waiting item : limit == 0 ? List.<Waiting>of() : inbox.waiting()) {
            if (passage.allows(inbox.domain(), item)) {
                if (items.size() == limit) {
                    more = true;
                    break;
                }
                items.add(WaitingJson.write(item, clock.instant()));
            }
        }
        return Reply.json(200, named(inbox.domain()).putAll(list(items, more)));
    }

    private void await(Inbox inbox, Duration wait) throws IOException {
        Duration slice = wait.compareTo(SLICE) < 0 ? wait : SLICE;
        try {
            if (handOut.isForOthers(inbox)) {
                // The inbox would say at once that there is mail, again and again.
                Thread.sleep(slice);
            } else {
                inbox.await(slice);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the server is being stopped");
        }
    }

    private Reply select(Call call, Inbox inbox) throws IOException {
        Json.Obj wish = call.json();
        Actor worker = Actor.parse(Call.text(wish, "worker"));
        ServerLimits limits = options.limits();
        Lease lease = Lease.unattended(Call.seconds(wish, "lease_s", LEASE, limits.leaseMax()));
        Duration wait = Call.wait(wish, "wait_s", limits.waitMax());
        // Not the hive's clock: a client waits in real time.
        long end = System.nanoTime() + wait.toNanos();
        boolean waited = false;
        while (true) {
            switch (handOut.take(inbox, worker, lease)) {
                case Selection.Taken(var claim) -> {
                    Reply reply =
                            Reply.json(200, ClaimJson.write(claim))
                                    .orElse(() -> giveBack(inbox, claim));
                    return waited ? reply.headFirst() : reply;
                }
                case Selection.Withheld(var lock, var reason) ->
                        throw Locked.problem(lock, reason).thrown();
                case Selection.Nothing _ -> {
                    Duration left = Duration.ofNanos(end - System.nanoTime());
                    if (!left.isPositive() || stopping.getAsBoolean()) {
                        return Reply.nothing();
                    }
                    await(inbox, left);
                    waited = true;
                }
            }
        }
    }

    /// Nobody heard of this claim.
    private static void giveBack(Inbox inbox, Claim claim) throws IOException {
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
        Inbox inbox = inbox(claim.inbox());
        return body.has("heartbeat") && body.flag("heartbeat")
                ? inbox.renew(claim.token())
                : inbox.accept(claim.token(), note);
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
            case Settlement.Withheld(var lock, var reason, var mirror) ->
                    mirror.isEmpty()
                            ? Locked.problem(lock, reason).with(body.without("status")).reply()
                            : Reply.json(202, body);
        };
    }

    /// How much waits where: all mail, also what may not be given out from here.
    private Reply status() throws IOException {
        // Asked each time: under a lock what was counted before is not told either.
        List<Domain> domains = transport.domains();
        List<Json> items = depths.get(domains, () -> counted(domains));
        return Reply.json(200, kind().putAll(list(items, false)));
    }

    private List<Json> counted(List<Domain> domains) throws IOException {
        List<Json> items = new ArrayList<>();
        for (Domain domain : domains) {
            try {
                items.add(named(domain).put("waiting", transport.inbox(domain).depth()));
            } catch (NoSuchInboxException e) {
                // It was taken away since the names were listed.
            }
        }
        return items;
    }

    /// What clients have to know of this server, lock or no lock: no file is looked at for it.
    private Reply about() {
        List<String> promised =
                transport.capabilities().stream().map(Capability::toString).sorted().toList();
        Lag lag = transport.lag();
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
                .put("reach", options.reach().toString())
                .put("read_only", options.mode() == ServerOptions.Mode.READ_ONLY);
    }
}
