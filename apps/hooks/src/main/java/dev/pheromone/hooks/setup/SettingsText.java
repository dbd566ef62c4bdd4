package dev.pheromone.hooks.setup;

import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// A settings file as text: values are added and taken out, and everything else stays as somebody
/// wrote it, blanks and order included. Immutable.
final class SettingsText {
    static final int LENGTH_MAX = 1024 * 1024;

    private static final String INDENT = "  ";

    /// A file that has no settings, as we begin one.
    static final String NEW = "{}\n";

    private final String text;

    /// The same with blanks for comments, each character in its place.
    private final String bare;

    private SettingsText(String text) {
        this.text = text;
        this.bare = withoutComments(text);
    }

    /// Some of the programs take comments, and editors leave a mark at the beginning.
    private static String withoutComments(String text) {
        var bare = new StringBuilder(text);
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int end = i;
            if (c == '"') {
                quoted = !quoted;
            } else if (quoted) {
                i += c == '\\' ? 1 : 0;
            } else if (text.startsWith("//", i)) {
                end = text.indexOf('\n', i);
                end = end < 0 ? text.length() : end;
            } else if (text.startsWith("/*", i)) {
                end = text.indexOf("*/", i + 2) + 2;
            } else if (i == 0 && c == '\uFEFF') {
                end = 1;
            }
            for (int at = i; at < end; at++) {
                bare.setCharAt(at, text.charAt(at) == '\n' ? '\n' : ' ');
            }
            i = Math.max(i, end - 1);
        }
        return bare.toString();
    }

    /// Parses the text of a file; an empty one counts as a file that has no settings yet.
    static SettingsText parse(String text) throws MalformedSettingsException {
        if (text.isBlank()) {
            return new SettingsText(NEW);
        }
        if (text.length() > LENGTH_MAX) {
            throw new MalformedSettingsException(
                    "settings: found %d characters, expected at most %d"
                            .formatted(text.length(), LENGTH_MAX));
        }
        var settings = new SettingsText(text);
        if (!(settings.json() instanceof Json.Obj)) {
            throw new MalformedSettingsException("settings: found no object, expected one");
        }
        return settings;
    }

    Json json() throws MalformedSettingsException {
        try {
            return Json.parse(bare);
        } catch (MalformedJsonException e) {
            throw new MalformedSettingsException("settings are not JSON: " + e.getMessage());
        }
    }

    /// The items of the array at `path`; none if it isn't there.
    List<Json> items(String... path) throws MalformedSettingsException {
        Json value = json();
        for (String name : path) {
            if (!(value instanceof Json.Obj object)) {
                throw new MalformedSettingsException(
                        name + " is in something that is not an object");
            }
            if (!object.has(name)) {
                return List.of();
            }
            value = object.get(name).orElseThrow();
        }
        if (value instanceof Json.Arr(List<Json> items)) {
            return items;
        }
        throw new MalformedSettingsException(
                String.join(".", path) + ": found no array, expected one");
    }

    /// The same settings with `value` at the end of the array at `path`, which is made if needed.
    SettingsText append(Json value, String... path) throws MalformedSettingsException {
        JsonSpan here = JsonSpan.of(bare);
        for (int depth = 0; depth < path.length; depth++) {
            JsonSpan.Part member = member(here, path[depth]);
            if (member == null) {
                Json inner = Json.arr(value);
                for (int i = path.length - 1; i > depth; i--) {
                    inner = Json.obj().put(path[i], inner);
                }
                return insert(here, depth, Json.of(path[depth]) + ": ", inner);
            }
            here = member.value();
        }
        return insert(here, path.length, "", value);
    }

    /// Whether the settings have a member of this name.
    boolean has(String name) {
        return member(JsonSpan.of(bare), name) != null;
    }

    /// The same settings with a member at their end; `written` is its name with the colon, whose
    /// blanks say that it is ours.
    SettingsText with(String written, Json value) throws MalformedSettingsException {
        return insert(JsonSpan.of(bare), 0, written, value);
    }

    /// The same settings without the member that [#with] added.
    SettingsText without(String written, Json value) throws MalformedSettingsException {
        JsonSpan all = JsonSpan.of(bare);
        for (int i = 0; i < all.parts().size(); i++) {
            JsonSpan.Part part = all.parts().get(i);
            if (bare.substring(part.start(), part.value().end()).equals(written + value)) {
                return parse(cut(all, i));
            }
        }
        return this;
    }

    private static JsonSpan.@Nullable Part member(JsonSpan object, String name) {
        // Of equal names the last one counts.
        return object.parts().reversed().stream()
                .filter(part -> part.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    private SettingsText insert(JsonSpan into, int depth, String name, Json value)
            throws MalformedSettingsException {
        String lineEnd = text.contains("\r\n") ? "\r\n" : "\n";
        boolean lines = text.strip().contains("\n") || text.equals(NEW);
        String changed;
        if (into.parts().isEmpty() && name.isEmpty()) {
            // The blanks say that the empty array was there before: it stays when ours goes.
            String start = lineEnd + unit().repeat(depth);
            String shown = lines ? pretty(value, lineEnd, start) : value.toString();
            changed = replaced(into.start(), into.end(), "[ " + shown + " ]");
        } else if (into.parts().isEmpty()) {
            char open = text.charAt(into.start());
            char close = text.charAt(into.end() - 1);
            String before = lines ? lineEnd + unit().repeat(depth + 1) : "";
            String after = lines ? lineEnd + unit().repeat(depth) : "";
            String shown = lines ? pretty(value, lineEnd, before) : value.toString();
            changed =
                    replaced(
                            into.start(), into.end(), open + before + name + shown + after + close);
        } else {
            JsonSpan.Part last = into.parts().getLast();
            int previousEnd =
                    into.parts().size() > 1
                            ? into.parts().get(into.parts().size() - 2).value().end()
                            : into.start() + 1;
            String gap = bare.substring(previousEnd, last.start()).replace(",", "");
            boolean broken = gap.contains("\n");
            String before = broken ? lineEnd + gap.substring(gap.lastIndexOf('\n') + 1) : gap;
            String shown = broken ? pretty(value, lineEnd, before) : value.toString();
            int at = last.value().end();
            changed = replaced(at, at, "," + before + name + shown);
        }
        return parse(changed);
    }

    private String replaced(int start, int end, String replacement)
            throws MalformedSettingsException {
        if (!text.substring(start, end).equals(bare.substring(start, end))) {
            throw new MalformedSettingsException(
                    "a comment stands where our hook is, or is to be: move it");
        }
        return text.substring(0, start) + replacement + text.substring(end);
    }

    /// What one level is indented by: as the first indented line.
    private String unit() {
        int line = text.indexOf('\n');
        int end = line + 1;
        while (line >= 0 && end < text.length() && " \t".indexOf(text.charAt(end)) >= 0) {
            end++;
        }
        return line < 0 || end == line + 1 ? INDENT : text.substring(line + 1, end);
    }

    private String pretty(Json value, String lineEnd, String lineStart) {
        return switch (value) {
            case Json.Obj object when object.size() > 0 -> {
                var members = new ArrayList<String>();
                object.forEach((name, field) ->
                        members.add(
                                Json.of(name) + ": " + pretty(field, lineEnd, lineStart + unit())));
                yield "{" + lines(members, lineStart) + "}";
            }
            case Json.Arr(List<Json> items) when !items.isEmpty() ->
                    "["
                            + lines(
                                    items.stream()
                                            .map(item -> pretty(item, lineEnd, lineStart + unit()))
                                            .toList(),
                                    lineStart)
                            + "]";
            default -> value.toString();
        };
    }

    private String lines(List<String> parts, String lineStart) {
        String inner = lineStart + unit();
        return inner + String.join("," + inner, parts) + lineStart;
    }

    /// The same settings without those items of the array at `path` that `unwanted` finds. What is
    /// empty then goes as well, unless it was there before: the array, and the objects around it.
    SettingsText without(Predicate<Json> unwanted, String... path)
            throws MalformedSettingsException {
        SettingsText kept = this;
        List<Json> items = items(path);
        for (int i = items.size() - 1; i >= 0; i--) {
            kept = unwanted.test(items.get(i)) ? kept.remove(i, path) : kept;
        }
        return kept;
    }

    /// The same settings with item `index` of the array at `path` replaced.
    SettingsText replace(int index, Json value, String... path) throws MalformedSettingsException {
        JsonSpan item = at(path).parts().get(index).value();
        String line = text.substring(text.lastIndexOf('\n', item.start()) + 1, item.start());
        String indent = line.isBlank() ? line : "";
        boolean broken = text.substring(item.start(), item.end()).contains("\n");
        String lineEnd = text.contains("\r\n") ? "\r\n" : "\n";
        String shown = broken ? pretty(value, lineEnd, lineEnd + indent) : value.toString();
        return parse(replaced(item.start(), item.end(), shown));
    }

    private JsonSpan at(String... path) {
        JsonSpan here = JsonSpan.of(bare);
        for (String name : path) {
            JsonSpan.Part member = member(here, name);
            if (member == null) {
                throw new IllegalArgumentException("no " + name + " in the settings");
            }
            here = member.value();
        }
        return here;
    }

    private SettingsText remove(int index, String... path) throws MalformedSettingsException {
        JsonSpan here = JsonSpan.of(bare);
        JsonSpan container = here;
        int part = -1;
        for (String name : path) {
            JsonSpan.Part member = member(here, name);
            if (member == null) {
                return this;
            }
            // The outermost place below which nothing else stands.
            if (part < 0 || here.parts().size() > 1) {
                container = here;
                part = here.parts().indexOf(member);
            }
            here = member.value();
        }
        if (here.parts().size() > 1 || wasThereBefore(here)) {
            container = here;
            part = index;
        }
        return parse(cut(container, part));
    }

    /// Whether the array was there, and empty, before something was put in.
    private boolean wasThereBefore(JsonSpan array) {
        return text.startsWith("[ ", array.start()) && text.startsWith(" ]", array.end() - 2);
    }

    private String cut(JsonSpan container, int index) throws MalformedSettingsException {
        List<JsonSpan.Part> parts = container.parts();
        JsonSpan.Part part = parts.get(index);
        if (parts.size() == 1) {
            return replaced(container.start() + 1, container.end() - 1, "");
        }
        return index > 0
                ? replaced(parts.get(index - 1).value().end(), part.value().end(), "")
                : replaced(part.start(), parts.get(1).start(), "");
    }

    @Override
    public String toString() {
        return text;
    }
}
