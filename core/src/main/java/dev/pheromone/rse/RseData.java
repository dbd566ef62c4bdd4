package dev.pheromone.rse;

import dev.pheromone.address.Domain;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.guard.LockKind;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The `data` of each type of event: the specification's fields in its order, then ours.
final class RseData {

    private RseData() {}

    static Json.Obj drop(
            String topic,
            Priority priority,
            @Nullable String ref,
            @Nullable Ttl ttl,
            List<String> tags) {
        Json.Obj data =
                Json.obj()
                        .put("topic", topic)
                        .put("priority", priority.name())
                        .putIfPresent("ref", ref)
                        .putIfPresent("ttl", ttl == null ? null : ttl.text());
        return tags.isEmpty() ? data : data.putTexts("tags", tags);
    }

    static Json.Obj sense(String ref, @Nullable String actorState) {
        return Json.obj().put("ref", ref).putIfPresent("actor_state", actorState);
    }

    /// The data that names one copy of an envelope.
    static Json.Obj copy(String id, Domain inbox) {
        return Json.obj().put("id", id).put("inbox", inbox.name());
    }

    static Json.Obj emit(
            EnvelopeId id,
            List<String> to,
            Priority priority,
            Ttl ttl,
            String path,
            ContentHash hash,
            Domain inbox) {
        return Json.obj()
                .put("id", id.text())
                .putTexts("to", to)
                .put("priority", priority.name())
                .put("ttl", ttl.text())
                .put("path", path)
                .put("hash", hash.toString())
                .put("inbox", inbox.name());
    }

    static Json.Obj recv(EnvelopeId id, String from, Domain inbox, ContentHash hash, int attempt) {
        return Json.obj()
                .put("id", id.text())
                .put("from", from)
                .put("inbox", inbox.name())
                .put("hash", hash.toString())
                .put("attempt", attempt);
    }

    static Json.Obj returned(
            EnvelopeId id, Domain inbox, int attempt, RseEvent.RsmEnvelopeReturn.Reason reason) {
        return copy(id.text(), inbox).put("attempt", attempt).put("reason", wire(reason));
    }

    static Json.Obj select(EnvelopeId id, String rationale, Domain inbox, int attempt) {
        return Json.obj()
                .put("basis", "inbox")
                .put("id", id.text())
                .put("rationale", rationale)
                .put("inbox", inbox.name())
                .put("attempt", attempt);
    }

    static Json.Obj select(String ref, String rationale) {
        return Json.obj().put("basis", "pheromone").put("ref", ref).put("rationale", rationale);
    }

    static Json.Obj spawn(String name, @Nullable String scope, Ttl ttl, String parent) {
        return Json.obj()
                .put("name", name)
                .putIfPresent("scope", scope)
                .put("ttl", ttl.text())
                .put("parent", parent);
    }

    static Json.Obj ack(
            EnvelopeId ref,
            RseEvent.WorkerAck.Status status,
            @Nullable String notes,
            Domain inbox,
            int attempt) {
        return Json.obj()
                .put("ref", ref.text())
                .put("status", wire(status))
                .putIfPresent("notes", notes)
                .put("inbox", inbox.name())
                .put("attempt", attempt);
    }

    static Json.Obj asked(EnvelopeId id, List<String> of, Instant endsAt) {
        return Json.obj()
                .put("id", id.text())
                .putTexts("of", of)
                .put("ends_at", RseTime.format(endsAt));
    }

    static Json.Obj answered(
            EnvelopeId id, EnvelopeId answerId, @Nullable String answer, String proof, Instant at) {
        return Json.obj()
                .put("id", id.text())
                .put("answer_id", answerId.text())
                .putIfPresent("answer", answer)
                .put("proof", proof)
                .put("at", RseTime.format(at));
    }

    static Json.Obj defaulted(EnvelopeId id, String answer, Instant at) {
        return Json.obj().put("id", id.text()).put("answer", answer).put("at", RseTime.format(at));
    }

    static Json.Obj backpressure(Domain inbox, int inboxDepth, long oldestAgeS, String action) {
        return Json.obj()
                .put("inbox_depth", inboxDepth)
                .put("oldest_age_s", oldestAgeS)
                .put("action", action)
                .put("inbox", inbox.name());
    }

    static Json.Obj guard(
            LockKind lock, String path, RseEvent.PolicyGuard.Mode mode, String source) {
        return Json.obj()
                .put("lock", lock.toString())
                .put("path", path)
                .put("mode", wire(mode))
                .put("source", source);
    }

    static boolean hasText(Json.Obj data, String name) {
        return data.optionalText(name).isPresent();
    }

    static Optional<Priority> priority(Json.Obj data) {
        return constant(Priority.class, data, "priority");
    }

    static Optional<Ttl> ttl(Json.Obj data) {
        try {
            return data.optionalText("ttl").map(Ttl::parse);
        } catch (IllegalArgumentException unreadable) {
            return Optional.empty();
        }
    }

    /// The strings in the array `name`; what is no string, and no array, is left out.
    static List<String> texts(Json.Obj data, String name) {
        return data.get(name).orElse(Json.Null.NULL) instanceof Json.Arr(var items)
                ? items.stream()
                        .filter(Json.Str.class::isInstance)
                        .map(item -> ((Json.Str) item).value())
                        .toList()
                : List.of();
    }

    static String wire(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    static <E extends Enum<E>> Optional<E> constant(Class<E> type, Json.Obj data, String name) {
        String text = data.optionalText(name).orElse("");
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equalsIgnoreCase(text)) {
                return Optional.of(constant);
            }
        }
        return Optional.empty();
    }
}
