package dev.pheromone.server;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A text in the OpenMetrics format, read as strictly as a monitoring system may read it.
///
/// @param types of the families, by name
/// @param samples their values, by name and labels as they stand there
record Exposition(Map<String, String> types, Map<String, Double> samples) {

    private static final Pattern META =
            Pattern.compile("# (TYPE|UNIT|HELP) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)");

    private static final String LABEL =
            "[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\\n]|\\\\[\\\\n\"])*\"";

    private static final Pattern SAMPLE =
            Pattern.compile(
                    "([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{" + LABEL + "(?:," + LABEL + ")*})? (\\S+)");

    private static final Map<String, String> SUFFIXES = Map.of("gauge", "", "counter", "_total");

    static Exposition parse(String text) {
        require(text.endsWith("# EOF\n"), "it does not end with # EOF");
        List<String> lines = text.substring(0, text.length() - "# EOF\n".length()).lines().toList();
        Map<String, String> types = new LinkedHashMap<>();
        Map<String, Double> samples = new LinkedHashMap<>();
        Map<String, String> metadata = new HashMap<>();
        String family = "";
        boolean hasSamples = false;
        for (String line : lines) {
            Matcher meta = META.matcher(line);
            if (meta.matches()) {
                String name = meta.group(2);
                if (!name.equals(family)) {
                    require(!types.containsKey(name), name + " is not in one piece");
                    family = name;
                    hasSamples = false;
                }
                require(!hasSamples, "metadata behind samples: " + line);
                require(
                        metadata.put(meta.group(1) + " " + name, meta.group(3)) == null,
                        "twice: " + line);
                if (meta.group(1).equals("TYPE")) {
                    types.put(name, meta.group(3));
                } else if (meta.group(1).equals("UNIT")) {
                    require(name.endsWith("_" + meta.group(3)), "unit is not in the name: " + line);
                }
                continue;
            }
            Matcher sample = SAMPLE.matcher(line);
            require(sample.matches(), "neither metadata nor a sample: " + line);
            String type = types.getOrDefault(family, "unknown");
            require(SUFFIXES.containsKey(type), "unknown type " + type);
            require(
                    sample.group(1).equals(family + SUFFIXES.get(type)),
                    "a sample outside of its family: " + line);
            double value = Double.parseDouble(sample.group(3));
            require(!type.equals("counter") || value >= 0, "a counter below zero: " + line);
            String labels = sample.group(2) == null ? "" : sample.group(2);
            require(samples.put(sample.group(1) + labels, value) == null, "twice: " + line);
            hasSamples = true;
        }
        return new Exposition(types, samples);
    }

    private static void require(boolean holds, String problem) {
        if (!holds) {
            throw new IllegalArgumentException(problem);
        }
    }

    double value(String sample) {
        Double value = samples.get(sample);
        require(value != null, "no sample " + sample + " among " + samples.keySet());
        return value == null ? Double.NaN : value;
    }
}
