package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.HiveConfig;
import dev.pheromone.config.HiveYaml;
import dev.pheromone.config.MalformedYamlException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The page about `hive.yaml` says what its reader does: the same keys, defaults and errors.
class HiveYamlPageTest {

    private static final String PAGE = Documents.read("docs/guide/hive-yaml.md");
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `([\\w.]+)` \\| (\\S+|`.*?`) \\| (.*?) \\| .* \\|$");
    private static final Pattern KNOWN =
            Pattern.compile("found unknown key \"unheard\", expected one of (.*)");
    private static final String NOTHING = "-";
    private static final String ANY = "any text";

    record Key(String path, String usual, String expected) {

        private boolean isList() {
            return List.of("lanes", "notify").contains(path)
                    || path.endsWith(".lanes")
                    || path.contains(".receive");
        }

        /// A file that says nothing but this.
        private String with(String value) {
            String written = value;
            if (path.startsWith("transports.") && !path.endsWith(".url")) {
                boolean isBrokers = path.contains(".receive") || path.endsWith(".events");
                written = value + ", url: \"" + (isBrokers ? "mqtt" : "nats") + "://127.0.0.1\"";
            }
            if (path.equals("transports.NAME.user")) {
                written += ", password_file: p";
            } else if (path.endsWith(".password_file")) {
                written += ", user: u";
            }
            String[] names = path.split("\\.", -1);
            StringBuilder yaml = new StringBuilder(names[names.length - 1] + ": " + written);
            for (int at = names.length - 2; at >= 0; at--) {
                yaml.insert(0, names[at].replace("NAME", "name") + ": {").append('}');
            }
            return yaml.toString();
        }
    }

    static List<Key> keys() {
        return ROW.matcher(PAGE)
                .results()
                .map(row -> new Key(row.group(1), row.group(2).replace("`", ""), row.group(3)))
                .toList();
    }

    private static HiveConfig parse(String yaml) throws MalformedYamlException {
        return HiveYaml.parse(yaml.getBytes(StandardCharsets.UTF_8));
    }

    /// The keys that the reader knows in the map that `yaml` has `%s` for, if that is a map.
    private static Optional<List<String>> known(String yaml) {
        try {
            HiveConfig _ = parse(yaml.replace("%s", "{unheard: {}}"));
            return Optional.empty();
        } catch (MalformedYamlException e) {
            Matcher known = KNOWN.matcher(e.getMessage());
            return known.find()
                    ? Optional.of(List.of(known.group(1).split(", ", -1)))
                    : Optional.empty();
        }
    }

    @Test
    void itHasEveryKeyOfTheReaderAndNoOther() {
        List<String> read = new ArrayList<>();
        for (String key : known("%s").orElseThrow()) {
            Optional<List<String>> below = known("{" + key + ": %s}");
            Optional<List<String>> named = known("{" + key + ": {name: %s}}");
            if (below.isPresent()) {
                below.get().forEach(name -> read.add(key + "." + name));
            } else if (named.isPresent()) {
                named.get().forEach(name -> read.add(key + ".NAME." + name));
            } else {
                read.add(key);
            }
        }
        assertThat(read).hasSizeGreaterThan(20);
        assertThat(keys()).extracting(Key::path).containsExactlyInAnyOrderElementsOf(read);
    }

    @ParameterizedTest
    @MethodSource("keys")
    void aKeysDefaultIsTheReaders(Key key) throws Exception {
        if (!key.usual().equals(NOTHING)) {
            assertThat(parse(key.with(key.usual()))).isEqualTo(HiveConfig.defaults());
        } else {
            assertThat(key.path()).contains(".NAME.");
        }
    }

    @ParameterizedTest
    @MethodSource("keys")
    void aBadValueIsAnErrorInThePagesWords(Key key) throws Exception {
        String yaml = key.with(key.isList() ? "[\"?\"]" : "\"?\"");
        if (key.expected().equals(ANY)) {
            assertThat(parse(yaml)).isNotEqualTo(HiveConfig.defaults());
        } else {
            assertThatThrownBy(() -> parse(yaml))
                    .isInstanceOf(MalformedYamlException.class)
                    .hasMessageEndingWith(", expected " + key.expected());
        }
    }

    @Test
    void theFileInThePageIsTheDefaults() throws Exception {
        String start = "```yaml\n";
        int begin = PAGE.indexOf(start) + start.length();
        String yaml = PAGE.substring(begin, PAGE.indexOf("```", begin));

        assertThat(parse(yaml)).isEqualTo(HiveConfig.defaults());
        for (String key : known("%s").orElseThrow()) {
            assertThat(yaml).containsPattern("(?m)^" + key + ": ");
        }
    }
}
