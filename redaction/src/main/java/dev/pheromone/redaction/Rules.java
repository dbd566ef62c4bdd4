package dev.pheromone.redaction;

import com.google.re2j.Pattern;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What to look for, in the order in which rules win: where two of them find the same, the mark is
/// that of the first.
public final class Rules {

    private static final String BUILT_IN = "built-in.rules";

    private final List<Rule> rules;
    private final List<Pattern> allow;

    private Rules(List<Rule> rules, List<Pattern> allow) {
        this.rules = List.copyOf(rules);
        this.allow = List.copyOf(allow);
    }

    /// The rules that come with the program.
    public static Rules builtIn() {
        try {
            RulesText.Content content = RulesText.parse(BUILT_IN, builtInText());
            return new Rules(List.copyOf(content.rules().values()), content.allow());
        } catch (MalformedRulesException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /// These rules, changed by a file of the user's: its rules come first, or in the place of those
    /// with the same id, and what it switches off is gone.
    ///
    /// @param file its name, for errors
    public Rules with(String file, String text) throws MalformedRulesException {
        RulesText.Content more = RulesText.parse(file, text);
        Map<String, Rule> merged = new LinkedHashMap<>(more.rules());
        for (Rule rule : rules) {
            merged.putIfAbsent(rule.id(), rule);
        }
        for (Map.Entry<String, Integer> off : more.off().entrySet()) {
            if (merged.remove(off.getKey()) == null) {
                throw new MalformedRulesException(
                        file,
                        off.getValue(),
                        "off: found \"" + off.getKey() + "\", expected the id of a rule");
            }
        }
        List<Pattern> harmless = new ArrayList<>(allow);
        harmless.addAll(more.allow());
        return new Rules(List.copyOf(merged.values()), harmless);
    }

    /// The ids of all rules, in their order.
    public List<String> ids() {
        return rules.stream().map(Rule::id).toList();
    }

    List<Rule> all() {
        return rules;
    }

    /// Whether what a rule found is harmless after all. What is harmless to all rules is not asked
    /// of those that look at many lines, because in a long block anything turns up by chance, nor
    /// of words that are known to be private, or of numbers that were checked.
    boolean isHarmless(Rule rule, String found) {
        if (rule.isHarmless(found)) {
            return true;
        }
        if (!rule.manyLines() && rule.words() == null && rule.check() == null) {
            for (Pattern harmless : allow) {
                if (harmless.matcher(found).find()) {
                    return true;
                }
            }
        }
        return false;
    }

    private static String builtInText() {
        try (InputStream in = Rules.class.getResourceAsStream(BUILT_IN)) {
            if (in == null) {
                throw new IllegalStateException("resource " + BUILT_IN + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
