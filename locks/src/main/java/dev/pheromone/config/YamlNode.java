package dev.pheromone.config;

import java.util.List;
import java.util.Map;

/// A piece of a YAML file, with the line where it begins: texts, lists and maps, and nothing else.
///
/// Every scalar is a text; what it means is for the reader to say.
public sealed interface YamlNode {

    int line();

    /// One value.
    ///
    /// @param plain whether it was written without quotes
    record Scalar(String text, boolean plain, int line) implements YamlNode {
        /// Whether nothing stands there, as after a key that has no value.
        public boolean isNothing() {
            return plain && text.isEmpty();
        }
    }

    record Sequence(List<YamlNode> items, int line) implements YamlNode {}

    /// Its entries in their order, each key once.
    record Mapping(Map<String, Entry> entries, int line) implements YamlNode {}

    /// What stands at one key.
    ///
    /// @param line the key's
    record Entry(int line, YamlNode value) {}
}
