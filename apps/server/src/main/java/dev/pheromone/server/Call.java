package dev.pheromone.server;

import dev.pheromone.address.Actor;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// One request, taken apart. What is malformed in it is a `ProblemException`.
final class Call {

    static final String JSON = "application/json";

    /// A note, a name and some numbers.
    private static final int JSON_BYTES_MAX = 64 * 1024;

    private static final int PARAMETERS_MAX = 16;

    private final Exchange exchange;
    private final List<String> path;
    private final Map<String, String> query;
    private @Nullable Actor actor;

    private Call(Exchange exchange, List<String> path, Map<String, String> query) {
        this.exchange = exchange;
        this.path = path;
        this.query = query;
    }

    static Call of(Exchange exchange) {
        List<String> path = new ArrayList<>();
        if (exchange.path().startsWith("/")) {
            for (String part : exchange.path().substring(1).split("/", -1)) {
                path.add(decoded(part));
            }
        }
        Map<String, String> query = new HashMap<>();
        if (!exchange.query().isEmpty()) {
            String[] parts = exchange.query().split("&", PARAMETERS_MAX + 1);
            if (parts.length > PARAMETERS_MAX) {
                throw bad("more than " + PARAMETERS_MAX + " parameters");
            }
            for (String part : parts) {
                int equals = part.indexOf('=');
                String name = equals < 0 ? part : part.substring(0, equals);
                String value = equals < 0 ? "" : part.substring(equals + 1).replace('+', ' ');
                if (query.put(decoded(name), decoded(value)) != null) {
                    throw bad("a parameter is given twice");
                }
            }
        }
        return new Call(exchange, path, query);
    }

    private static ProblemException bad(String detail) {
        return Problem.of(400, "bad_request", detail).thrown();
    }

    /// The text that a percent-encoded part stands for.
    private static String decoded(String part) {
        if (part.indexOf('%') < 0) {
            return part;
        }
        var bytes = new ByteArrayOutputStream();
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            if (c != '%') {
                bytes.writeBytes(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
                continue;
            }
            boolean whole = i + 2 < part.length();
            int high = whole ? Character.digit(part.charAt(i + 1), 16) : -1;
            int low = whole ? Character.digit(part.charAt(i + 2), 16) : -1;
            if (high < 0 || low < 0) {
                throw bad("a percent sign is not followed by two digits");
            }
            bytes.write(high << 4 | low);
            i += 2;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw bad("a percent-encoded text is not UTF-8");
        }
    }

    String method() {
        return exchange.method();
    }

    boolean isRead() {
        return method().equals("GET") || method().equals("HEAD");
    }

    /// The parts of the path, decoded.
    List<String> path() {
        return path;
    }

    /// The client has shown the token.
    void prove() {
        exchange.prove();
    }

    /// The client has shown the token that was made for `whom`.
    void prove(Actor whom) {
        actor = whom;
        exchange.prove();
    }

    /// For whom the client speaks; null if its token does not tell that.
    @Nullable Actor actor() {
        return actor;
    }

    /// The port of this machine at which it came in, whatever the request says.
    int port() {
        return exchange.port();
    }

    /// The values of a header.
    List<String> headers(String name) {
        return exchange.headers(name);
    }

    Optional<String> header(String name) {
        return headers(name).stream().findFirst();
    }

    /// All parameters of the query.
    Map<String, String> parameters() {
        return query;
    }

    Optional<String> parameter(String name) {
        return Optional.ofNullable(query.get(name));
    }

    /// A number of things, at most `max`.
    int count(String name, int usual, int max) {
        if (!query.containsKey(name)) {
            return usual;
        }
        try {
            int count = Integer.parseInt(query.getOrDefault(name, ""));
            if (count >= 0) {
                return Math.min(count, max);
            }
        } catch (NumberFormatException e) {
            // As wrong as a negative one.
        }
        throw bad(name + ": expected a whole number from 0 to " + max);
    }

    /// How long to wait, at most `max`.
    Duration wait(String name, Duration max) {
        if (!query.containsKey(name)) {
            return Duration.ZERO;
        }
        try {
            double seconds = Double.parseDouble(query.getOrDefault(name, ""));
            if (seconds >= 0) {
                return atMost(seconds, max);
            }
        } catch (NumberFormatException e) {
            // As wrong as a negative one.
        }
        throw bad(name + ": expected seconds");
    }

    private static Duration atMost(double seconds, Duration max) {
        double most = Math.min(seconds, (double) max.toSeconds());
        return Duration.ofMillis((long) (most * 1000));
    }

    /// How long to wait, in a field of a body: whoever may wait for less is asked again.
    static Duration wait(Json.Obj body, String name, Duration max) {
        if (!body.has(name)) {
            return Duration.ZERO;
        }
        double seconds = body.optionalDecimal(name).orElse(Double.NaN);
        if (!(seconds >= 0)) {
            throw Problem.of(422, "usage", name + ": expected seconds").thrown();
        }
        return atMost(seconds, max);
    }

    /// Seconds in a field of a body, which must not be more than `max`: it would be a promise that
    /// is not kept.
    static Duration seconds(Json.Obj body, String name, Duration usual, Duration max) {
        if (!body.has(name)) {
            return usual;
        }
        double seconds = body.optionalDecimal(name).orElse(Double.NaN);
        if (!(seconds >= 0) || seconds > max.toSeconds()) {
            throw Problem.of(422, "usage", name + ": expected seconds, at most " + max.toSeconds())
                    .thrown();
        }
        return atMost(seconds, max);
    }

    /// The body, which must be of this type.
    byte[] body(String type, int bytesMax) throws IOException {
        String given = header("Content-Type").orElse("");
        int semicolon = given.indexOf(';');
        String essence = (semicolon < 0 ? given : given.substring(0, semicolon)).strip();
        if (!essence.toLowerCase(Locale.ROOT).equals(type)) {
            throw Problem.of(415, "usage", "Content-Type: expected " + type).thrown();
        }
        if (exchange.length() > bytesMax) {
            throw tooLarge(bytesMax);
        }
        byte[] bytes;
        try {
            bytes = exchange.body(bytesMax + 1);
        } catch (IOException e) {
            // Malformed chunks, or an end before its time; if nobody is left, nobody hears of it.
            throw Problem.of(400, "bad_request", "the body ends early, or is not as HTTP has it")
                    .with("Connection", "close")
                    .thrown();
        }
        if (bytes.length > bytesMax) {
            throw tooLarge(bytesMax);
        }
        return bytes;
    }

    private static ProblemException tooLarge(int bytesMax) {
        return Problem.of(413, "too_large", "the body has more than " + bytesMax + " bytes")
                .thrown();
    }

    /// The body as a JSON object.
    Json.Obj json() throws IOException {
        byte[] bytes = body(JSON, JSON_BYTES_MAX);
        try {
            if (Json.parse(bytes) instanceof Json.Obj object) {
                return object;
            }
        } catch (MalformedJsonException e) {
            throw Problem.of(422, "usage", "the body is not JSON: " + e.getMessage()).thrown();
        }
        throw Problem.of(422, "usage", "the body is not a JSON object").thrown();
    }

    /// A text in a field of a body.
    static String text(Json.Obj body, String name) {
        return body.optionalText(name)
                .orElseThrow(() -> Problem.of(422, "usage", name + ": expected a string").thrown());
    }
}
