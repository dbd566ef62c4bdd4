package dev.pheromone.cli;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The schemas that `rsm schema` prints, to check answers by.
final class AnswerSchemas {

    private final Json.Obj all = SchemaCommand.load();
    private final Map<String, Schema> schemas = new HashMap<>();

    AnswerSchemas() throws IOException {}

    List<String> names() {
        return all.object("$defs").names();
    }

    /// What is wrong with what `rsm verb --json` printed, line by line.
    List<String> problems(String verb, String printed) {
        List<String> problems = new ArrayList<>();
        for (String line : printed.lines().toList()) {
            boolean isError = line.startsWith("{\"ok\":false");
            Schema schema = schemas.computeIfAbsent(isError ? "error" : verb, this::schema);
            for (Error error : schema.validate(line, InputFormat.JSON)) {
                problems.add(verb + ": " + error + " in " + line);
            }
        }
        return problems;
    }

    private Schema schema(String name) {
        String text =
                Json.obj()
                        .put("$schema", all.text("$schema"))
                        .put("$ref", "#/$defs/" + name)
                        .put("$defs", all.object("$defs"))
                        .toString();
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12, _ -> {})
                .getSchema(text, InputFormat.JSON);
    }

    /// The value of a field in an answer, as text.
    static String field(String answer, String name) {
        try {
            return ((Json.Obj) Json.parse(answer.strip())).text(name);
        } catch (MalformedJsonException e) {
            throw new IllegalArgumentException("not JSON: " + answer, e);
        }
    }
}
