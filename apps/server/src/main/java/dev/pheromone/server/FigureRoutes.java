package dev.pheromone.server;

import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.hive.ServiceLevels;
import dev.pheromone.hive.ServiceReport;
import dev.pheromone.hive.ServiceReportJson;
import dev.pheromone.rse.RseLog;
import dev.pheromone.selection.Waiting;
import dev.pheromone.server.OpenMetrics.Kind;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;

/// The hive in numbers: how promises are kept, and what a monitoring system wants to know. Numbers
/// count all mail, also what may not be given out from here.
final class FigureRoutes {

    private static final Duration SINCE = Duration.ofHours(24);
    private static final Duration SINCE_MAX = Duration.ofDays(366);

    /// Every file of the hive is looked at for it.
    private static final Duration REPORT_FRESH = Duration.ofSeconds(10);

    /// The archive is listed for it.
    private static final Duration COUNTS_FRESH = Duration.ofSeconds(5);

    /// One inbox at one moment.
    private record Box(
            Domain domain, long waiting, long oldestSeconds, Optional<HiveFigures.Counts> counts) {}

    private final Transport transport;
    private final RseLog log;
    private final HiveFigures figures;
    private final InstantSource clock;
    private final IntSupplier streaming;
    private final RequestCounts requests;
    private final Kept<Duration, ServiceReport> report = new Kept<>(REPORT_FRESH);
    private final Kept<List<Domain>, List<Box>> boxes = new Kept<>(COUNTS_FRESH);

    FigureRoutes(
            Transport transport,
            RseLog log,
            HiveFigures figures,
            InstantSource clock,
            IntSupplier streaming,
            RequestCounts requests) {
        this.transport = transport;
        this.log = log;
        this.figures = figures;
        this.clock = clock;
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
        return Reply.json(200, ServiceReportJson.write(report.get(since, () -> measured(since))));
    }

    /// Throws under a lock, when what was found out before is not told either.
    private List<Domain> requireFree() throws IOException {
        EventRoutes.requireReadable(log);
        return transport.domains();
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

    private ServiceReport measured(Duration span) throws IOException {
        Instant now = clock.instant();
        Instant since = now.minus(span);
        ServiceLevels levels = new ServiceLevels();
        levels.takeAll(log);
        return levels.report(since, now, figures.evidence(since));
    }

    private Reply metrics() throws IOException {
        List<Domain> domains = requireFree();
        List<Box> found = boxes.get(domains, () -> counted(domains));
        OpenMetrics text = new OpenMetrics();
        text.family(Kind.GAUGE, "pheromone_waiting", "Envelopes that wait in an inbox.");
        found.forEach(box -> text.sample(box.waiting(), inbox(box)));
        text.family(
                Kind.GAUGE,
                "pheromone_oldest_age_seconds",
                "How long the oldest of them has waited; 0 if nothing waits.");
        found.forEach(box -> text.sample(box.oldestSeconds(), inbox(box)));
        text.family(Kind.GAUGE, "pheromone_active", "Envelopes that somebody works on.");
        counts(found, (box, counts) -> text.sample(counts.active(), inbox(box)));
        text.family(Kind.GAUGE, "pheromone_backpressure", "1 while an inbox is too full, else 0.");
        counts(found, (box, counts) -> text.sample(counts.isTooFull() ? 1 : 0, inbox(box)));
        text.family(
                Kind.COUNTER,
                "pheromone_ended",
                "Envelopes whose life is over, by how it ended: each is in the archive.");
        counts(found, (box, counts) -> ended(text, box, counts));
        text.family(Kind.GAUGE, "pheromone_event_streams", "Clients that follow the event log.");
        text.sample(streaming.getAsInt());
        text.family(Kind.COUNTER, "pheromone_http_requests", "Requests since the server started.");
        requests.writeTo(text);
        return Reply.text(200, OpenMetrics.TYPE, text.toString());
    }

    private static String[] inbox(Box box) {
        return new String[] {"inbox", box.domain().name()};
    }

    private interface PerBox {
        void write(Box box, HiveFigures.Counts counts);
    }

    private static void counts(List<Box> boxes, PerBox writer) {
        boxes.forEach(box -> box.counts().ifPresent(counts -> writer.write(box, counts)));
    }

    private static void ended(OpenMetrics text, Box box, HiveFigures.Counts counts) {
        for (State state : State.values()) {
            if (state.isFinal()) {
                text.sample(
                        counts.ended().getOrDefault(state, 0L),
                        "inbox",
                        box.domain().name(),
                        "state",
                        state.toString());
            }
        }
    }

    private List<Box> counted(List<Domain> domains) throws IOException {
        List<Box> found = new ArrayList<>();
        for (Domain domain : domains) {
            try {
                List<Waiting> waiting = transport.inbox(domain).waiting();
                found.add(new Box(domain, waiting.size(), oldest(waiting), figures.of(domain)));
            } catch (NoSuchInboxException e) {
                // It was taken away since the names were listed.
            }
        }
        return found;
    }

    private long oldest(List<Waiting> waiting) {
        Instant now = clock.instant();
        long oldest = 0;
        for (Waiting item : waiting) {
            if (item instanceof Waiting.Mail mail) {
                Duration age = Duration.between(mail.urgency().orderTime(), now);
                oldest = Math.max(oldest, age.toSeconds());
            }
        }
        return oldest;
    }
}
