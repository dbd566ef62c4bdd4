package dev.pheromone.server;

import dev.pheromone.Discreet;
import dev.pheromone.LockJson;
import dev.pheromone.guard.Lock;
import dev.pheromone.text.Json;

import java.util.HashMap;
import java.util.Map;

/// Why a request was not done, as RFC 9457 has it.
///
/// @param code the kind of problem in a word that programs can compare; the command line uses the
///   same
/// @param more fields beside the usual ones
/// @param headers of the answer
record Problem(int status, String code, String detail, Json.Obj more, Map<String, String> headers) {

    static final String TYPE = "application/problem+json";

    Problem {
        detail = Discreet.text(detail);
        headers = Map.copyOf(headers);
    }

    static Problem of(int status, String code, String detail) {
        return new Problem(status, code, detail, Json.obj(), Map.of());
    }

    /// What is said where a lock forbids what was asked.
    static Problem locked(Lock lock, String reason) {
        return of(423, "withheld", "under lock " + lock.kind() + ": " + reason)
                .with(Json.obj().put("lock", LockJson.write(lock)));
    }

    Problem with(Json.Obj fields) {
        return new Problem(status, code, detail, fields, headers);
    }

    Problem with(String header, String value) {
        Map<String, String> all = new HashMap<>(headers);
        all.put(header, value);
        return new Problem(status, code, detail, more, all);
    }

    ProblemException thrown() {
        return new ProblemException(this);
    }

    /// As it is sent.
    String text() {
        Json.Obj body =
                Json.obj()
                        .put("type", "urn:pheromone:problem:" + code)
                        .put("title", code.replace('_', ' '))
                        .put("status", status)
                        .put("detail", detail)
                        .put("code", code)
                        .putAll(more);
        return body + "\n";
    }

    Reply reply() {
        return Reply.text(status, TYPE, text()).with(headers);
    }
}
