package dev.pheromone.hooks.setup;

import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.util.ArrayList;
import java.util.List;

/// Where a JSON value stands in a text, and where its parts do. The text must be valid JSON: this
/// only finds places, it does not check.
record JsonSpan(int start, int end, List<Part> parts) {

    /// A member of an object, from its name on, or an item of an array, whose name is empty.
    record Part(int start, String name, JsonSpan value) {}

    static JsonSpan of(String text) {
        return new Reader(text).value();
    }

    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        JsonSpan value() {
            skipBlanks();
            int start = at;
            char first = text.charAt(at);
            var parts = new ArrayList<Part>();
            if (first == '{' || first == '[') {
                at++;
                parts(first == '{', parts);
            } else if (first == '"') {
                string();
            } else {
                while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
                    at++;
                }
            }
            return new JsonSpan(start, at, List.copyOf(parts));
        }

        private void parts(boolean named, List<Part> parts) {
            while (true) {
                skipBlanks();
                char c = text.charAt(at);
                if (c == '}' || c == ']') {
                    at++;
                    return;
                }
                if (c == ',') {
                    at++;
                    continue;
                }
                int start = at;
                String name = "";
                if (named) {
                    name = string();
                    skipBlanks();
                    at++;
                }
                parts.add(new Part(start, name, value()));
            }
        }

        private String string() {
            int start = at++;
            while (text.charAt(at) != '"') {
                at += text.charAt(at) == '\\' ? 2 : 1;
            }
            String written = text.substring(start, ++at);
            try {
                return Json.parse(written) instanceof Json.Str(String value) ? value : written;
            } catch (MalformedJsonException e) {
                throw new IllegalArgumentException("text that is not JSON", e);
            }
        }

        private void skipBlanks() {
            while (" \t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
        }
    }
}
