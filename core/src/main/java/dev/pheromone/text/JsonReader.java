package dev.pheromone.text;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/// Reads one JSON value with Jackson's token stream, unless it is so simple that [QuickJson] has
/// read it.
///
/// Jackson takes what is not UTF-8 (`C0 80`), so bytes are decoded here, strictly, before it sees
/// them. Numbers stay text: making a big number out of `1e999999999` would never end.
final class JsonReader {

    /// The deepest nesting that is read: far beyond any real message, far from the end of the
    /// stack.
    static final int DEPTH_MAX = 128;

    /// The longest text that is read, in characters.
    static final int LENGTH_MAX = 16 * 1024 * 1024;

    static final int NUMBER_LENGTH_MAX = 1_000;

    /// The longest part of Jackson's message that is passed on: it may repeat the text that was
    /// read.
    private static final int PROBLEM_LENGTH_MAX = 160;

    /// Where Jackson's message tells of itself instead of the text.
    private static final Pattern SOURCE =
            Pattern.compile(" ?\\((?:[^()]* )?\\[Source:[^\\]]*\\]\\)| ?\\[Source:[^\\]]*\\]");

    private static final Map<String, String> NOT_FINITE =
            Map.of(
                    "INF",
                    "Infinity",
                    "+INF",
                    "Infinity",
                    "+Infinity",
                    "Infinity",
                    "-INF",
                    "-Infinity");

    private static final TokenStreamFactory FACTORY =
            JsonFactory.builder()
                    .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
                    // Its shared table of names throws on many names with one hash: text from
                    // outside could do that on purpose.
                    .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxNestingDepth(DEPTH_MAX)
                                    .maxNumberLength(NUMBER_LENGTH_MAX)
                                    .maxStringLength(LENGTH_MAX)
                                    .maxNameLength(LENGTH_MAX)
                                    .build())
                    .build();

    private JsonReader() {}

    static Json read(byte[] utf8) throws MalformedJsonException {
        try {
            return read(
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .onMalformedInput(CodingErrorAction.REPORT)
                            .onUnmappableCharacter(CodingErrorAction.REPORT)
                            .decode(ByteBuffer.wrap(utf8))
                            .toString());
        } catch (CharacterCodingException notUtf8) {
            throw new MalformedJsonException(1, 1, "text is not UTF-8");
        }
    }

    static Json read(String text) throws MalformedJsonException {
        if (text.length() > LENGTH_MAX) {
            throw new MalformedJsonException(
                    1,
                    1,
                    "text has " + text.length() + " characters, expected at most " + LENGTH_MAX);
        }
        Json quick = QuickJson.read(text);
        return quick == null ? readAny(text) : quick;
    }

    /// Reads any JSON.
    static Json readAny(String text) throws MalformedJsonException {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            JsonToken first = parser.nextToken();
            if (first == null) {
                throw new MalformedJsonException(1, 1, "found nothing, expected a JSON value");
            }
            Json value = value(parser, first);
            if (parser.nextToken() != null) {
                throw malformed(
                        parser.currentTokenLocation(),
                        "found more text after one JSON value, expected the end");
            }
            return value;
        } catch (StreamConstraintsException e) {
            throw malformed(
                    e.getLocation(),
                    "too deep or too long, expected at most "
                            + DEPTH_MAX
                            + " levels and numbers of at most "
                            + NUMBER_LENGTH_MAX
                            + " characters");
        } catch (JacksonException e) {
            throw malformed(e.getLocation(), SOURCE.matcher(e.getOriginalMessage()).replaceAll(""));
        }
    }

    // Recursion is safe here: the parser refuses more than DEPTH_MAX levels.
    private static Json value(JsonParser parser, JsonToken token) {
        return switch (token) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> new Json.Str(parser.getString());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser.getString());
            case VALUE_TRUE -> Json.Bool.TRUE;
            case VALUE_FALSE -> Json.Bool.FALSE;
            case VALUE_NULL -> Json.Null.NULL;
            default -> throw new IllegalStateException("token " + token + " where a value starts");
        };
    }

    private static Json.Obj object(JsonParser parser) {
        // A map while reading: a hostile object with 100,000 names must not cost their square.
        var fields = new LinkedHashMap<String, Json>();
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            fields.put(name, value(parser, parser.nextToken()));
        }
        return Json.Obj.of(fields);
    }

    private static Json.Arr array(JsonParser parser) {
        var items = new ArrayList<Json>();
        for (JsonToken token = parser.nextToken();
                token != JsonToken.END_ARRAY;
                token = parser.nextToken()) {
            items.add(value(parser, token));
        }
        return new Json.Arr(items);
    }

    private static Json number(String raw) {
        return JsonNumber.isValid(raw)
                ? new Json.Num(raw)
                : new Json.Str(NOT_FINITE.getOrDefault(raw, raw));
    }

    private static MalformedJsonException malformed(
            @Nullable TokenStreamLocation at, String problem) {
        String firstLower =
                problem.isEmpty()
                        ? problem
                        : problem.substring(0, 1).toLowerCase(Locale.ROOT) + problem.substring(1);
        String cut =
                firstLower.length() <= PROBLEM_LENGTH_MAX
                        ? firstLower
                        : firstLower.substring(0, PROBLEM_LENGTH_MAX) + "…";
        return at == null
                ? new MalformedJsonException(1, 1, cut)
                : new MalformedJsonException(
                        Math.max(1, at.getLineNr()), Math.max(1, at.getColumnNr()), cut);
    }
}
