package dev.pheromone.testkit;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// The JSON Schemas in `spec/schema`, by their file's name without its ending: `header`,
/// `event/worker_ack`.
final class Schemas {

    private static final Path FOLDER = Vectors.folder().resolveSibling("schema");

    private final Map<String, Schema> schemas = new LinkedHashMap<>();

    Schemas() {
        Map<String, String> texts = new LinkedHashMap<>();
        Map<String, String> byId = new LinkedHashMap<>();
        for (Path file : files()) {
            String text = read(file);
            texts.put(nameOf(file), text);
            byId.put(idOf(file, text), text);
        }
        SchemaRegistry registry =
                SchemaRegistry.withDefaultDialect(
                        SpecificationVersion.DRAFT_2020_12, builder -> builder.schemas(byId));
        texts.forEach(
                (name, text) -> schemas.put(name, registry.getSchema(text, InputFormat.JSON)));
    }

    List<String> names() {
        return List.copyOf(schemas.keySet());
    }

    /// What is wrong with `json` by the schema of that name.
    List<String> problems(String name, String json) {
        Schema schema = schemas.get(name);
        if (schema == null) {
            throw new IllegalArgumentException(
                    "no schema " + name + ", expected one of " + names());
        }
        return schema.validate(json, InputFormat.JSON).stream().map(Error::toString).toList();
    }

    private static String nameOf(Path file) {
        return FOLDER.relativize(file).toString().replace('\\', '/').replaceFirst("\\.json$", "");
    }

    private static String idOf(Path file, String text) {
        try {
            return ((Json.Obj) Json.parse(text)).text("$id");
        } catch (MalformedJsonException e) {
            throw new IllegalStateException("schema " + file + " is not JSON", e);
        }
    }

    private static List<Path> files() {
        try (Stream<Path> files = Files.walk(FOLDER)) {
            return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
