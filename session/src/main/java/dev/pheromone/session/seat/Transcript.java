package dev.pheromone.session.seat;

import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// The end of the file in which an agent program keeps a session, a JSON object a line: which rings
/// stand in it, with a model's answer behind them.
///
/// That a ring stands there says nothing: it does also where the model refused every request. And
/// not every line of a model behind a ring is an answer to it: of several tools that one answer
/// calls, the first may be finished before the last call is written.
///
/// Programs whose files are not known here have no rings that were answered.
final class Transcript {

    /// As much of a file as is looked at.
    static final int BYTES_MAX = 512 * 1024;

    private final String harness;

    /// What is known of a ring from the line in which it stands: the model's answers that had begun
    /// before it, and whether what a model writes next is an answer to it.
    private static final class Stands {
        private final Set<String> begun;
        private boolean mayBeAnswered;

        Stands(Set<String> begun, boolean mayBeAnswered) {
            this.begun = begun;
            this.mayBeAnswered = mayBeAnswered;
        }
    }

    private final Map<String, Stands> rings = new HashMap<>();
    private final Set<String> answered = new HashSet<>();
    private final Set<String> begun = new HashSet<>();
    private final Set<String> openCalls = new HashSet<>();

    private Transcript(String harness) {
        this.harness = harness;
    }

    /// The hashes of the nonces that a model answered, by these last bytes of a file.
    static Set<String> answered(String harness, byte[] end) {
        Transcript transcript = new Transcript(harness);
        String text = new String(end, StandardCharsets.UTF_8);
        int from = end.length < BYTES_MAX ? 0 : text.indexOf('\n') + 1;
        while (from < text.length()) {
            int to = text.indexOf('\n', from);
            if (to < 0) {
                // The program may not be done with this line.
                break;
            }
            transcript.take(text.substring(from, to));
            from = to + 1;
        }
        return transcript.answered;
    }

    private void take(String line) {
        switch (harness) {
            case "claude" -> takeClaude(line);
            case "codex" -> takeCodex(line);
            default -> {}
        }
    }

    /// A line of Claude Code: an answer is one message, which may take several lines with one id.
    private void takeClaude(String line) {
        if (line.contains("\"assistant\"")
                && parse(line) instanceof Json.Obj entry
                && entry.optionalText("type").filter("assistant"::equals).isPresent()) {
            Json.Obj message = object(entry, "message");
            String id = message.optionalText("id").orElse("");
            boolean isError =
                    entry.get("isApiErrorMessage").filter(Json.of(true)::equals).isPresent()
                            || message.optionalText("model")
                                    .filter("<synthetic>"::equals)
                                    .isPresent()
                            || entry.get("isSidechain").filter(Json.of(true)::equals).isPresent();
            if (!isError && !id.isEmpty()) {
                for (Map.Entry<String, Stands> ring : rings.entrySet()) {
                    if (!ring.getValue().begun.contains(id)) {
                        answered.add(ring.getKey());
                    }
                }
                begun.add(id);
            }
            return;
        }
        noteRings(line, true);
    }

    /// A line of Codex: the results of an answer's calls are written when the answer is complete.
    private void takeCodex(String line) {
        if (!line.contains("\"response_item\"") || !(parse(line) instanceof Json.Obj entry)) {
            noteRings(line, openCalls.isEmpty());
            return;
        }
        Json.Obj item = object(entry, "payload");
        String type = item.optionalText("type").orElse("");
        String call = item.optionalText("call_id").orElse("");
        boolean isModels =
                item.optionalText("role").filter("assistant"::equals).isPresent()
                        || type.equals("reasoning")
                        || (type.endsWith("_call") && !type.endsWith("_output"));
        if (isModels) {
            rings.forEach((hash, ring) -> {
                if (ring.mayBeAnswered) {
                    answered.add(hash);
                }
            });
            if (!call.isEmpty()) {
                openCalls.add(call);
            }
            return;
        }
        if (type.endsWith("_output")) {
            openCalls.remove(call);
            // All that belongs to the answer before stands above: what follows is a new one.
            rings.values().forEach(ring -> ring.mayBeAnswered = true);
        }
        noteRings(line, openCalls.isEmpty());
    }

    private void noteRings(String line, boolean mayBeAnswered) {
        int at = line.indexOf(Nonce.MARK);
        while (at >= 0) {
            int from = at + Nonce.MARK.length();
            if (Nonce.isAt(line, from)) {
                Stands _ =
                        rings.putIfAbsent(
                                new Nonce(line.substring(from, from + Nonce.LENGTH)).hash(),
                                new Stands(Set.copyOf(begun), mayBeAnswered));
            }
            at = line.indexOf(Nonce.MARK, from);
        }
    }

    private static Json parse(String line) {
        try {
            return Json.parse(line.getBytes(StandardCharsets.UTF_8));
        } catch (MalformedJsonException | StackOverflowError e) {
            return Json.Null.NULL;
        }
    }

    private static Json.Obj object(Json.Obj of, String name) {
        return of.get(name).orElse(Json.obj()) instanceof Json.Obj object ? object : Json.obj();
    }
}
