package dev.pheromone.envelope;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.EnvelopeText.Field;
import dev.pheromone.text.HeaderChars;
import dev.pheromone.text.IsoTime;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// The fields of one header as values of their types; what does not fit its type is an error with
/// its line.
final class HeaderFields {

    static final int TOPIC_LENGTH_MAX = 256;

    private final EnvelopeText text;

    HeaderFields(EnvelopeText text) {
        this.text = text;
    }

    EnvelopeId id() throws MalformedEnvelopeException {
        return required(FieldName.ID, EnvelopeId::parse);
    }

    Instant ts() throws MalformedEnvelopeException {
        return required(FieldName.TS, IsoTime::parse);
    }

    Actor from() throws MalformedEnvelopeException {
        return required(FieldName.FROM, Actor::parse);
    }

    Lane lane() throws MalformedEnvelopeException {
        return required(FieldName.LANE, Lane::parse);
    }

    String topic() throws MalformedEnvelopeException {
        return required(FieldName.TOPIC, HeaderFields::parseTopic);
    }

    Priority priority() throws MalformedEnvelopeException {
        return required(FieldName.PRIORITY, Priority::parse);
    }

    Ttl ttl() throws MalformedEnvelopeException {
        return required(FieldName.TTL, Ttl::parse);
    }

    ContentHash hash() throws MalformedEnvelopeException {
        return required(FieldName.HASH, ContentHash::parse);
    }

    /// The signature, or null if the header has no `sig` line; such a line without a value is an
    /// error.
    @Nullable Signature signature() throws MalformedEnvelopeException {
        Field field = find(FieldName.SIG);
        return field == null ? null : parse(field, only(field), Signature::parse);
    }

    /// The value of a field that must be there.
    <T> T required(FieldName name, Function<String, T> parser) throws MalformedEnvelopeException {
        Field field = find(name);
        if (field == null) {
            throw MalformedEnvelopeException.at(
                    text.closingLine(),
                    1,
                    name.toString(),
                    "found no such field in the header, expected one");
        }
        return parse(field, only(field), parser);
    }

    /// The value of a field that may be missing; a key without a value counts as missing.
    <T> @Nullable T optional(FieldName name, Function<String, T> parser)
            throws MalformedEnvelopeException {
        Field field = find(name);
        return field == null || field.isEmpty() ? null : parse(field, only(field), parser);
    }

    /// The values of a list that may be missing.
    <T> List<T> list(FieldName name, Function<String, T> parser) throws MalformedEnvelopeException {
        Field field = find(name);
        if (field == null || field.isEmpty()) {
            return List.of();
        }
        if (field.shape() != Field.Shape.LIST) {
            throw error(field, "found a single value, expected a list such as [one, two]");
        }
        return parseAll(field, parser);
    }

    /// The addresses, of which there is at least one; a single one may stand without brackets.
    List<Address> to() throws MalformedEnvelopeException {
        Field field = find(FieldName.TO);
        if (field == null) {
            return required(FieldName.TO, text -> List.of());
        }
        if (field.values().isEmpty()) {
            throw error(field, "found nobody, expected at least one address such as queen://code");
        }
        return parseAll(field, Address::parse);
    }

    /// The value of a field that is no reason to lose mail: null if it is missing, and with a
    /// warning if it is malformed.
    <T> @Nullable T lenient(FieldName name, Function<String, T> parser, List<String> warnings) {
        try {
            return optional(name, parser);
        } catch (MalformedEnvelopeException e) {
            warnings.add(e.getMessage());
            return null;
        }
    }

    /// What a question asks; null, with a warning, if that can't be understood: then the envelope
    /// is mail like any other, as it is for readers who know no questions.
    @Nullable Ask ask(List<String> warnings) {
        Field field = find(FieldName.ASK);
        if (field == null || field.isEmpty()) {
            return null;
        }
        try {
            List<String> choices = list(FieldName.ASK, Ask::parseChoice);
            Boolean free = optional(FieldName.ASK_FREE, Ask::parseFree);
            return new Ask(
                    choices,
                    free != null && free,
                    optional(FieldName.ASK_DEFAULT, Ask::parseAnswer),
                    optional(FieldName.ASK_DEADLINE, IsoTime::parse),
                    list(FieldName.ASK_OF, Address::parse));
        } catch (MalformedEnvelopeException e) {
            warnings.add(e.getMessage());
        } catch (IllegalArgumentException e) {
            warnings.add(place(FieldName.ASK) + e.getMessage());
        }
        return null;
    }

    /// The line and name of a field that is there, as errors and warnings begin.
    String place(FieldName name) {
        Field field = find(name);
        return field == null ? name + ": " : "line " + field.line() + ": " + name + ": ";
    }

    @Nullable Field find(FieldName name) {
        return text.find(name);
    }

    static String parseTopic(String topic) {
        int length = topic.codePointCount(0, topic.length());
        if (HeaderChars.isOnlySpaces(topic) || length > TOPIC_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "found "
                            + length
                            + " characters, expected 1 to "
                            + TOPIC_LENGTH_MAX
                            + ", not all of them spaces");
        }
        return topic;
    }

    static String parseText(String value) {
        if (HeaderChars.isOnlySpaces(value)) {
            throw new IllegalArgumentException(
                    "found an empty text, expected at least one character");
        }
        return value;
    }

    static Integer parseHops(String value) {
        if (value.length() != 1
                || value.charAt(0) < '0'
                || value.charAt(0) > '0' + Envelope.HOPS_MAX) {
            throw new IllegalArgumentException(
                    "found \"" + value + "\", expected a number from 0 to " + Envelope.HOPS_MAX);
        }
        return value.charAt(0) - '0';
    }

    private static <T> List<T> parseAll(Field field, Function<String, T> parser)
            throws MalformedEnvelopeException {
        List<T> values = new ArrayList<>(field.values().size());
        for (String value : field.values()) {
            values.add(parse(field, value, parser));
        }
        return List.copyOf(values);
    }

    private static <T> T parse(Field field, String value, Function<String, T> parser)
            throws MalformedEnvelopeException {
        try {
            return parser.apply(value);
        } catch (IllegalArgumentException e) {
            throw error(field, withoutName(String.valueOf(e.getMessage())));
        }
    }

    private static String only(Field field) throws MalformedEnvelopeException {
        return switch (field.shape()) {
            case SCALAR -> field.values().getFirst();
            case EMPTY -> throw error(field, "found nothing after the colon, expected a value");
            case LIST -> throw error(field, "found a list, expected a single value");
        };
    }

    /// The values' own messages begin with their names (`ttl: found …`), which the field's name
    /// here replaces.
    private static String withoutName(String message) {
        int found = message.indexOf(": found ");
        return found > 0 && message.indexOf(' ') == found + 1
                ? message.substring(found + 2)
                : message;
    }

    private static MalformedEnvelopeException error(Field field, String problem) {
        return MalformedEnvelopeException.at(field.line(), 1, field.key(), problem);
    }
}
