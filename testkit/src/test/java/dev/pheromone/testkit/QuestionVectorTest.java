package dev.pheromone.testkit;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Ask;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.question.Question;
import dev.pheromone.question.QuestionState;
import dev.pheromone.question.SetAside;
import dev.pheromone.question.StoredAnswer;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;
import dev.pheromone.trust.SignatureCheck;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

class QuestionVectorTest {

    @TestFactory
    Stream<DynamicTest> questions() {
        return CaseTests.of("question", QuestionVectorTest::check);
    }

    private static void check(Vector vector) throws MalformedJsonException {
        List<Json.Obj> lines = new ArrayList<>();
        for (String line : new String(vector.content(), StandardCharsets.UTF_8).split("\n")) {
            lines.add((Json.Obj) Json.parse(line));
        }
        Question question = Question.of(asked(lines.getFirst())).orElseThrow();
        List<StoredAnswer> answers = new ArrayList<>();
        for (Json.Obj line : lines.subList(1, lines.size())) {
            answers.add(answer(line));
        }
        Set<String> withKey = Set.of(vector.keys().getOrDefault("keys", "").split(" "));
        Question.Outcome outcome =
                question.look(
                        answers,
                        (actor, _) -> withKey.contains(actor.name()),
                        Instant.parse(vector.get("now")));
        Map<String, String> found = new TreeMap<>(Map.of("now", vector.get("now")));
        found.put("keys", vector.keys().getOrDefault("keys", ""));
        found.put("ends_at", question.endsAt().toString());
        found.put("state", outcome.state().word());
        switch (outcome.state()) {
            case QuestionState.Open _, QuestionState.Expired _ -> {}
            case QuestionState.Defaulted(var answer, var _) -> found.put("answer", answer);
            case QuestionState.Answered(var id, var answer, var by, var proof, var _) -> {
                found.put("answer", answer);
                found.put("answer_id", id.text());
                found.put("by", by.name());
                found.put("proof", proof.toString());
            }
        }
        List<String> setAside = new ArrayList<>();
        for (SetAside each : outcome.setAside()) {
            setAside.add(each.answer().id() + "=" + each.why());
        }
        found.put("set_aside", setAside.isEmpty() ? "none" : String.join(" ", setAside));
        CaseTests.assertKeys(vector, found);
    }

    private static Envelope asked(Json.Obj line) {
        return Envelope.draft(
                        Actor.parse(line.text("from")),
                        addresses(line, "to"),
                        Lane.CODE,
                        "a question")
                .id(EnvelopeId.parse(line.text("id")))
                .ts(Instant.parse(line.text("ts")))
                .ttl(Ttl.parse(line.text("ttl")))
                .ask(
                        new Ask(
                                texts(line, "ask"),
                                line.has("free") && line.flag("free"),
                                line.optionalText("default").orElse(null),
                                line.optionalText("deadline_at").map(Instant::parse).orElse(null),
                                addresses(line, "of")))
                .seal();
    }

    private static StoredAnswer answer(Json.Obj line) {
        Actor from = Actor.parse(line.text("from"));
        SignatureCheck check =
                switch (line.optionalText("signature").orElse("unsigned")) {
                    case "valid" -> new SignatureCheck.Valid(new KeyId("k1"), from, false);
                    case "bad" -> new SignatureCheck.Bad("bad");
                    default -> new SignatureCheck.Unsigned();
                };
        return new StoredAnswer(
                EnvelopeId.parse(line.text("id")),
                from,
                line.text("answer"),
                Instant.parse(line.text("stored_at")),
                !line.has("hash_matches") || line.flag("hash_matches"),
                check,
                line.has("taken") && line.flag("taken"),
                false);
    }

    private static List<Address> addresses(Json.Obj line, String name) {
        return texts(line, name).stream().map(Address::parse).toList();
    }

    private static List<String> texts(Json.Obj line, String name) {
        List<String> texts = new ArrayList<>();
        if (line.get(name).orElse(null) instanceof Json.Arr(var items)) {
            for (Json item : items) {
                texts.add(((Json.Str) item).value());
            }
        }
        return texts;
    }
}
