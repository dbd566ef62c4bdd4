package dev.pheromone.rse;

import static java.util.Map.entry;

import dev.pheromone.address.Lane;
import dev.pheromone.text.Json;

import java.time.Instant;
import java.util.Map;
import java.util.Set;

/// The taxonomy as a table: which record has which name on the wire, and the fields without which
/// it means nothing.
public final class RseTypes {

    private static final Map<Class<?>, String> NAMES =
            Map.ofEntries(
                    entry(RseEvent.PheromoneDrop.class, "pheromone_drop"),
                    entry(RseEvent.PheromoneSense.class, "pheromone_sense"),
                    entry(RseEvent.PheromoneExpire.class, "pheromone_expire"),
                    entry(RseEvent.RsmEnvelopeEmit.class, "rsm_envelope_emit"),
                    entry(RseEvent.RsmEnvelopeRecv.class, "rsm_envelope_recv"),
                    entry(RseEvent.RsmEnvelopeDead.class, "rsm_envelope_dead"),
                    entry(RseEvent.RsmEnvelopeConflict.class, "rsm_envelope_conflict"),
                    entry(RseEvent.RsmEnvelopeDuplicate.class, "rsm_envelope_duplicate"),
                    entry(RseEvent.RsmEnvelopeReturn.class, "rsm_envelope_return"),
                    entry(RseEvent.QueenSelect.class, "queen_select"),
                    entry(RseEvent.WorkerSpawn.class, "worker_spawn"),
                    entry(RseEvent.WorkerAck.class, "worker_ack"),
                    entry(RseEvent.QuestionAsked.class, "question_asked"),
                    entry(RseEvent.QuestionAnswered.class, "question_answered"),
                    entry(RseEvent.QuestionDefaulted.class, "question_defaulted"),
                    entry(RseEvent.Backpressure.class, "backpressure"),
                    entry(RseEvent.PolicyGuard.class, "policy_guard"));

    /// The names of the taxonomy. The set of types in a log is open: others may stand there too.
    public static final Set<String> ALL = Set.copyOf(NAMES.values());

    private RseTypes() {}

    static String nameOf(Class<? extends RseEvent> type) {
        String name = NAMES.get(type);
        if (name == null) {
            throw new IllegalStateException("no event type for " + type);
        }
        return name;
    }

    static RseEvent event(Instant ts, String type, Lane lane, String actor, Json.Obj data) {
        if (!fits(type, data)) {
            return new RseEvent.Other(ts, type, lane, actor, data);
        }
        return switch (type) {
            case "pheromone_drop" -> new RseEvent.PheromoneDrop(ts, lane, actor, data);
            case "pheromone_sense" -> new RseEvent.PheromoneSense(ts, lane, actor, data);
            case "pheromone_expire" -> new RseEvent.PheromoneExpire(ts, lane, actor, data);
            case "rsm_envelope_emit" -> new RseEvent.RsmEnvelopeEmit(ts, lane, actor, data);
            case "rsm_envelope_recv" -> new RseEvent.RsmEnvelopeRecv(ts, lane, actor, data);
            case "rsm_envelope_dead" -> new RseEvent.RsmEnvelopeDead(ts, lane, actor, data);
            case "rsm_envelope_conflict" -> new RseEvent.RsmEnvelopeConflict(ts, lane, actor, data);
            case "rsm_envelope_duplicate" ->
                    new RseEvent.RsmEnvelopeDuplicate(ts, lane, actor, data);
            case "rsm_envelope_return" -> new RseEvent.RsmEnvelopeReturn(ts, lane, actor, data);
            case "queen_select" -> new RseEvent.QueenSelect(ts, lane, actor, data);
            case "worker_spawn" -> new RseEvent.WorkerSpawn(ts, lane, actor, data);
            case "worker_ack" -> new RseEvent.WorkerAck(ts, lane, actor, data);
            case "question_asked" -> new RseEvent.QuestionAsked(ts, lane, actor, data);
            case "question_answered" -> new RseEvent.QuestionAnswered(ts, lane, actor, data);
            case "question_defaulted" -> new RseEvent.QuestionDefaulted(ts, lane, actor, data);
            case "backpressure" -> new RseEvent.Backpressure(ts, lane, actor, data);
            case "policy_guard" -> new RseEvent.PolicyGuard(ts, lane, actor, data);
            default -> new RseEvent.Other(ts, type, lane, actor, data);
        };
    }

    static void check(Class<? extends RseEvent> type, Instant ts, Json.Obj data) {
        RseTime.check(ts);
        if (!fits(nameOf(type), data)) {
            throw new IllegalArgumentException(
                    "event "
                            + nameOf(type)
                            + " has data with "
                            + data.names()
                            + ", expected the fields of its type");
        }
    }

    static void checkOther(String type, Instant ts) {
        RseTime.check(ts);
        if (type.isBlank()) {
            throw new IllegalArgumentException(
                    "event has a blank type, expected a name such as pheromone_drop");
        }
    }

    /// Whether `data` has what an event of this type can't do without. The least, not all that we
    /// write: the log has other writers.
    private static boolean fits(String type, Json.Obj data) {
        return switch (type) {
            case "pheromone_drop" -> RseData.hasText(data, "topic");
            case "pheromone_sense" -> RseData.hasText(data, "ref");
            case "pheromone_expire", "queen_select" ->
                    RseData.hasText(data, "id") || RseData.hasText(data, "ref");
            case "rsm_envelope_emit",
                    "rsm_envelope_recv",
                    "rsm_envelope_duplicate",
                    "question_asked",
                    "question_answered",
                    "question_defaulted" ->
                    RseData.hasText(data, "id");
            case "rsm_envelope_dead", "rsm_envelope_conflict" ->
                    RseData.hasText(data, "id") && RseData.hasText(data, "reason");
            case "rsm_envelope_return" ->
                    RseData.hasText(data, "id")
                            && RseData.constant(
                                            RseEvent.RsmEnvelopeReturn.Reason.class, data, "reason")
                                    .isPresent();
            case "worker_spawn" -> RseData.hasText(data, "name");
            case "worker_ack" ->
                    RseData.hasText(data, "ref")
                            && RseData.constant(RseEvent.WorkerAck.Status.class, data, "status")
                                    .isPresent();
            case "policy_guard" -> RseData.hasText(data, "lock");
            default -> true;
        };
    }
}
