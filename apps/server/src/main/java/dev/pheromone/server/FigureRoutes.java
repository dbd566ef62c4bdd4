package dev.pheromone.server;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.hive.ServiceReport;
import dev.pheromone.hive.ServiceReportJson;
import dev.pheromone.server.OpenMetrics.Kind;
import dev.pheromone.session.ServedSession;
import dev.pheromone.session.look.HiveState;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.ToLongFunction;

/// The hive in numbers: how promises are kept, and what a monitoring system wants to know. Numbers
/// count all mail, also what may not be given out from here.
final class FigureRoutes {

    private static final Duration SINCE = Duration.ofHours(24);
    private static final Duration SINCE_MAX = Duration.ofDays(366);

    /// Every file of the hive is looked at for it.
    private static final Duration REPORT_FRESH = Duration.ofSeconds(10);

    /// The archive is listed for it.
    private static final Duration COUNTS_FRESH = Duration.ofSeconds(5);

    private final ServedSession session;
    private final IntSupplier streaming;
    private final RequestCounts requests;
    private final Kept<Duration, ServiceReport> report = new Kept<>(REPORT_FRESH);
    private final Kept<List<Domain>, List<ServedSession.Figures>> figures =
            new Kept<>(COUNTS_FRESH);

    FigureRoutes(ServedSession session, IntSupplier streaming, RequestCounts requests) {
        this.session = session;
        this.streaming = streaming;
        this.requests = requests;
    }

    List<Route> routes() {
        return List.of(
                new Route("GET", "/v1/slo", (call, _) -> promises(call)),
                new Route("GET", "/metrics", (_, _) -> metrics()));
    }

    private Reply promises(Call call) throws IOException {
        Duration since = call.parameter("since").map(FigureRoutes::span).orElse(SINCE);
        requireFree();
        return Reply.json(
                200, ServiceReportJson.write(report.get(since, () -> session.slo(since))));
    }

    /// Throws under a lock, when what was found out before is not told either.
    private List<Domain> requireFree() throws IOException {
        EventRoutes.requireReadable(session.log());
        return session.domains();
    }

    private static Duration span(String text) {
        try {
            Duration since = Ttl.parseDuration(text);
            if (since.isPositive() && since.compareTo(SINCE_MAX) <= 0) {
                return since;
            }
        } catch (IllegalArgumentException e) {
            // As wrong as one that is too long.
        }
        throw Problem.of(
                        400,
                        "usage",
                        "since: expected a duration, for example 90m, 24h or 7d, more than 0 and at"
                                + " most 366d")
                .thrown();
    }

    private Reply metrics() throws IOException {
        List<Domain> domains = requireFree();
        List<ServedSession.Figures> found = figures.get(domains, () -> session.figures(domains));
        OpenMetrics text = new OpenMetrics();
        text.family(Kind.GAUGE, "pheromone_waiting", "Envelopes that wait in an inbox.");
        sample(text, found, box -> box.waiting() + box.bad());
        text.family(
                Kind.GAUGE,
                "pheromone_oldest_age_seconds",
                "How long the oldest of them has waited; 0 if nothing waits.");
        Instant now = session.now();
        sample(text, found, box -> age(box.oldest(), now));
        text.family(Kind.GAUGE, "pheromone_active", "Envelopes that somebody works on.");
        sample(text, found, HiveState.Box::active);
        text.family(Kind.GAUGE, "pheromone_backpressure", "1 while an inbox is too full, else 0.");
        sample(text, found, box -> box.isThrottled() ? 1 : 0);
        text.family(
                Kind.COUNTER,
                "pheromone_ended",
                "Envelopes whose life is over, by how it ended: each is in the archive.");
        found.forEach(inbox -> ended(text, inbox));
        text.family(Kind.GAUGE, "pheromone_event_streams", "Clients that follow the event log.");
        text.sample(streaming.getAsInt());
        text.family(Kind.COUNTER, "pheromone_http_requests", "Requests since the server started.");
        requests.writeTo(text);
        return Reply.text(200, OpenMetrics.TYPE, text.toString());
    }

    private static void sample(
            OpenMetrics text,
            List<ServedSession.Figures> inboxes,
            ToLongFunction<HiveState.Box> figure) {
        for (ServedSession.Figures inbox : inboxes) {
            String name = inbox.box().domain().name();
            text.sample(figure.applyAsLong(inbox.box()), "inbox", name);
        }
    }

    private static long age(@Nullable Instant oldest, Instant now) {
        return oldest == null ? 0 : Math.max(0, Duration.between(oldest, now).toSeconds());
    }

    private static void ended(OpenMetrics text, ServedSession.Figures inbox) {
        for (State state : State.values()) {
            if (state.isFinal()) {
                text.sample(
                        inbox.ended().getOrDefault(state, 0L),
                        "inbox",
                        inbox.box().domain().name(),
                        "state",
                        state.toString());
            }
        }
    }
}
