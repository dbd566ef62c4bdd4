package dev.pheromone.text;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.BiConsumer;

/// A JSON value: immutable, and written by `toString()` as compact text that any JSON reader takes.
///
/// `parse` is the inverse of `toString`. Reading is tolerant in three places, because event logs in
/// the wild need it: of equal names in one object the last value counts, a lone surrogate is kept,
/// and `NaN`, `Infinity` and `-Infinity` become the strings of that name. Writing is strict in all
/// of them.
@CheckReturnValue
public sealed interface Json {

    /// The empty object, to be filled: `Json.obj().put("ok", true).put("count", 2)`.
    static Obj obj() {
        return Obj.EMPTY;
    }

    /// The array of `items`.
    static Arr arr(Json... items) {
        return new Arr(List.of(items));
    }

    /// The array of `items`.
    static Arr arr(Iterable<? extends Json> items) {
        var list = new ArrayList<Json>();
        items.forEach(list::add);
        return new Arr(list);
    }

    /// The array of the strings `items`.
    static Arr texts(Iterable<String> items) {
        var list = new ArrayList<Json>();
        items.forEach(item -> list.add(new Str(item)));
        return new Arr(list);
    }

    /// The string `value`.
    static Str of(String value) {
        return new Str(value);
    }

    /// The number `value`.
    static Num of(long value) {
        return new Num(Long.toString(value));
    }

    /// The number `value`, which must be finite: JSON has no other numbers.
    static Num of(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("number " + value + ", expected a finite one");
        }
        boolean integral = value == Math.rint(value) && Math.abs(value) < 1e15;
        return new Num(integral ? Long.toString((long) value) : Double.toString(value));
    }

    /// `true` or `false`.
    static Bool of(boolean value) {
        return value ? Bool.TRUE : Bool.FALSE;
    }

    /// Parses exactly one JSON value.
    static Json parse(String text) throws MalformedJsonException {
        return JsonReader.read(text);
    }

    /// Parses exactly one JSON value from UTF-8. Overlong forms and every other invalid byte are
    /// refused.
    static Json parse(byte[] utf8) throws MalformedJsonException {
        return JsonReader.read(utf8);
    }

    /// Appends the text of this value, as `toString` gives it.
    default void appendTo(StringBuilder out) {
        JsonWriter.write(this, out);
    }

    /// A string. It may hold a lone surrogate, which is written as an escape.
    record Str(String value) implements Json {
        @Override
        public String toString() {
            return JsonWriter.write(this);
        }
    }

    /// A number, kept as the text it came in: nothing is rounded, and a huge exponent costs
    /// nothing.
    record Num(String raw) implements Json {

        public Num {
            if (!JsonNumber.isValid(raw)) {
                throw new IllegalArgumentException(
                        "number \"" + raw + "\", expected a JSON number");
            }
        }

        /// The value, if it is whole and fits.
        public OptionalLong longValue() {
            return JsonNumber.longValue(raw);
        }

        /// The nearest double; beyond its range an infinity.
        public double doubleValue() {
            return Double.parseDouble(raw);
        }

        @Override
        public String toString() {
            return raw;
        }
    }

    /// `true` or `false`.
    enum Bool implements Json {
        TRUE,
        FALSE;

        /// The truth value.
        public boolean value() {
            return this == TRUE;
        }

        @Override
        public String toString() {
            return this == TRUE ? "true" : "false";
        }
    }

    /// `null`.
    enum Null implements Json {
        NULL;

        @Override
        public String toString() {
            return "null";
        }
    }

    /// An array.
    record Arr(List<Json> items) implements Json {

        public Arr {
            items = List.copyOf(items);
        }

        @Override
        public String toString() {
            return JsonWriter.write(this);
        }
    }

    /// An object that keeps the order of its fields; two are equal if they have equal fields in any
    /// order.
    ///
    /// `put` answers with a new object. Short arrays instead of a map: events have a handful of
    /// fields, and are built and written half a million times a second.
    @CheckReturnValue
    final class Obj implements Json {

        static final Obj EMPTY = new Obj(new String[0], new Json[0]);

        private final String[] names;
        private final Json[] values;

        /// Takes over both arrays. Names must differ: the callers are this class and the reader.
        Obj(String[] names, Json[] values) {
            this.names = names;
            this.values = values;
        }

        static Obj of(Map<String, Json> fields) {
            return new Obj(
                    fields.keySet().toArray(new String[0]), fields.values().toArray(new Json[0]));
        }

        /// This object with `name` set; an earlier value of that name is replaced where it stands.
        public Obj put(String name, Json value) {
            int at = indexOf(name);
            if (at >= 0) {
                Json[] replaced = values.clone();
                replaced[at] = value;
                return new Obj(names, replaced);
            }
            String[] moreNames = Arrays.copyOf(names, names.length + 1);
            Json[] moreValues = Arrays.copyOf(values, values.length + 1);
            moreNames[names.length] = name;
            moreValues[values.length] = value;
            return new Obj(moreNames, moreValues);
        }

        /// This object with one more member, or another value for it.
        public Obj put(String name, String value) {
            return put(name, new Str(value));
        }

        /// This object with one more member, or another value for it.
        public Obj put(String name, long value) {
            return put(name, Json.of(value));
        }

        /// This object with one more member, or another value for it.
        public Obj put(String name, double value) {
            return put(name, Json.of(value));
        }

        /// This object with one more member, or another value for it.
        public Obj put(String name, boolean value) {
            return put(name, Json.of(value));
        }

        /// This object with `name` set to an array of strings.
        public Obj putTexts(String name, Iterable<String> values) {
            return put(name, Json.texts(values));
        }

        /// This object with `name` set, or this object as it is if there is no `value`.
        public Obj putIfPresent(String name, @Nullable String value) {
            return value == null ? this : put(name, value);
        }

        /// This object with `name` set, or this object as it is if there is no `value`.
        public Obj putIfPresent(String name, Optional<String> value) {
            return putIfPresent(name, value.orElse(null));
        }

        /// This object with all fields of `other` set.
        public Obj putAll(Obj other) {
            var all = new LinkedHashMap<String, Json>();
            forEach(all::put);
            other.forEach(all::put);
            return Obj.of(all);
        }

        /// This object without the field `name`.
        public Obj without(String name) {
            int at = indexOf(name);
            if (at < 0) {
                return this;
            }
            var fewerNames = new String[names.length - 1];
            var fewerValues = new Json[values.length - 1];
            System.arraycopy(names, 0, fewerNames, 0, at);
            System.arraycopy(values, 0, fewerValues, 0, at);
            System.arraycopy(names, at + 1, fewerNames, at, fewerNames.length - at);
            System.arraycopy(values, at + 1, fewerValues, at, fewerValues.length - at);
            return new Obj(fewerNames, fewerValues);
        }

        /// The number of fields.
        public int size() {
            return names.length;
        }

        /// Whether the field exists, even as `null`.
        public boolean has(String name) {
            return indexOf(name) >= 0;
        }

        /// The names of the fields, in order.
        public List<String> names() {
            return List.of(names);
        }

        /// Gives every field to `action`, in order.
        public void forEach(BiConsumer<String, Json> action) {
            for (int i = 0; i < names.length; i++) {
                action.accept(names[i], values[i]);
            }
        }

        /// The value of the field, if it exists.
        public Optional<Json> get(String name) {
            int at = indexOf(name);
            return at < 0 ? Optional.empty() : Optional.of(values[at]);
        }

        /// The text of a field that must be a string.
        public String text(String name) {
            return find(name) instanceof Str(String value) ? value : wrong(name, "a string");
        }

        /// The text of the field, if it exists and is a string.
        public Optional<String> optionalText(String name) {
            return find(name) instanceof Str(String value) ? Optional.of(value) : Optional.empty();
        }

        /// The value of a field that must be a whole number.
        public long number(String name) {
            OptionalLong value = optionalNumber(name);
            return value.isPresent() ? value.getAsLong() : wrong(name, "a whole number");
        }

        /// The value of the field, if it exists and is a whole number.
        public OptionalLong optionalNumber(String name) {
            return find(name) instanceof Num number ? number.longValue() : OptionalLong.empty();
        }

        /// The value of the field, if it exists and is a number of any kind.
        public OptionalDouble optionalDecimal(String name) {
            return find(name) instanceof Num number
                    ? OptionalDouble.of(number.doubleValue())
                    : OptionalDouble.empty();
        }

        /// The value of a field that must be `true` or `false`.
        public boolean flag(String name) {
            return find(name) instanceof Bool value ? value.value() : wrong(name, "true or false");
        }

        /// The value of a field that must be an object.
        public Obj object(String name) {
            return find(name) instanceof Obj value ? value : wrong(name, "an object");
        }

        /// The items of a field that must be an array.
        public List<Json> list(String name) {
            return find(name) instanceof Arr(List<Json> items) ? items : wrong(name, "an array");
        }

        /// The items of a field that must be an array of strings.
        public List<String> texts(String name) {
            var texts = new ArrayList<String>();
            for (Json item : list(name)) {
                texts.add(
                        item instanceof Str(String value)
                                ? value
                                : wrong(name, "an array of strings"));
            }
            return List.copyOf(texts);
        }

        String nameAt(int index) {
            return names[index];
        }

        Json valueAt(int index) {
            return values[index];
        }

        private @Nullable Json find(String name) {
            int at = indexOf(name);
            return at < 0 ? null : values[at];
        }

        private int indexOf(String name) {
            for (int i = 0; i < names.length; i++) {
                if (names[i].equals(name)) {
                    return i;
                }
            }
            return -1;
        }

        // The message names the kind of what was found, never the content: it may be private.
        private <T> T wrong(String name, String expected) {
            Json found = find(name);
            String kind = found == null ? "nothing" : found.getClass().getSimpleName();
            throw new IllegalArgumentException(
                    "field \"" + name + "\": found " + kind + ", expected " + expected);
        }

        private Map<String, Json> asMap() {
            var map = new HashMap<String, Json>();
            forEach(map::put);
            return map;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Obj that
                    && names.length == that.names.length
                    && (Arrays.equals(names, that.names)
                            ? Arrays.equals(values, that.values)
                            : asMap().equals(that.asMap()));
        }

        @Override
        public int hashCode() {
            return asMap().hashCode();
        }

        @Override
        public String toString() {
            return JsonWriter.write(this);
        }
    }
}
