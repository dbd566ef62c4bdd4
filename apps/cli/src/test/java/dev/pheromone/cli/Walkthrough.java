package dev.pheromone.cli;

import dev.pheromone.envelope.Ttl;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The `console` blocks of a Markdown document, as one session: commands after `$ `, and below each
/// what a terminal shows.
///
/// A command is what somebody can type as it is: the lines that begin with `> ` go with it, and no
/// id in it is one that only the document has. Its output is a sample. What differs from run to run
/// (ids, times, folders, the widths of tables) stands there as it was, and is read here as a place
/// for its like: the same id again is the same envelope again. `…` stands for any text, `...` for
/// any lines, and `# 31m later` moves the clock.
record Walkthrough(List<Step> steps) {

    /// One command and what it is to print, in the form that [Expected] reads.
    ///
    /// @param lineNumber where in the document it stands
    /// @param later by how much the clock is moved instead, if it is
    /// @param fails whether the document shows an error or a freeze
    record Step(
            int lineNumber,
            String command,
            Optional<Duration> later,
            List<String> output,
            boolean fails) {}

    private static final String PROMPT = "$ ";
    private static final String CONTINUED = "> ";

    /// A freeze is not an error, and the command did not do what was typed all the same.
    private static final String FROZEN = "the hive was frozen ";

    private static final Pattern LATER = Pattern.compile("# (\\S+) later");
    private static final Pattern SPACES = Pattern.compile(" {2,}");

    static Walkthrough of(String markdown) {
        Samples samples = new Samples();
        List<Step> steps = new ArrayList<>();
        List<String> lines = markdown.lines().toList();
        boolean inside = false;
        int commandAt = -1;
        for (int at = 0; at < lines.size(); at++) {
            String line = lines.get(at);
            boolean ends = inside && line.equals("```");
            if (commandAt >= 0 && (ends || isCommand(line))) {
                steps.add(step(commandAt, lines.subList(commandAt, at), samples));
                commandAt = -1;
            }
            if (ends) {
                inside = false;
            } else if (inside && isCommand(line)) {
                commandAt = at;
            } else if (inside && commandAt < 0) {
                throw new IllegalArgumentException(
                        "line " + (at + 1) + ": found output without a command");
            } else if (line.equals("```console")) {
                inside = true;
            }
        }
        return new Walkthrough(List.copyOf(steps));
    }

    private static boolean isCommand(String line) {
        return line.startsWith(PROMPT) || LATER.matcher(line).matches();
    }

    private static Step step(int at, List<String> lines, Samples samples) {
        Matcher later = LATER.matcher(lines.getFirst());
        if (later.matches()) {
            Duration duration = Ttl.parseDuration(later.group(1));
            return new Step(at + 1, "", Optional.of(duration), List.of(), false);
        }
        StringBuilder command = new StringBuilder(lines.getFirst().substring(PROMPT.length()));
        int done = 1;
        for (; done < lines.size() && lines.get(done).startsWith(CONTINUED); done++) {
            command.append('\n').append(lines.get(done).substring(CONTINUED.length()));
        }
        samples.refuseIn(command.toString(), at + 1);
        List<String> output = new ArrayList<>();
        for (String line : lines.subList(done, lines.size())) {
            output.add(samples.inOutput(line));
        }
        return new Step(
                at + 1,
                command.toString(),
                Optional.empty(),
                withoutBlankEnd(output),
                endsInError(output));
    }

    private static boolean endsInError(List<String> output) {
        if (output.stream().anyMatch(line -> line.contains(FROZEN))) {
            return true;
        }
        for (String line : withoutBlankEnd(output).reversed()) {
            if (!line.startsWith("rsm: hint: ")) {
                return line.startsWith("rsm: error: ");
            }
        }
        return false;
    }

    static List<String> withoutBlankEnd(List<String> lines) {
        int end = lines.size();
        while (end > 0 && lines.get(end - 1).isEmpty()) {
            end--;
        }
        return List.copyOf(lines.subList(0, end));
    }

    /// A line as it is compared: tables are as wide as their longest cell, which may be another.
    static String squeezed(String line) {
        return SPACES.matcher(line).replaceAll(" ").stripTrailing();
    }

    /// Turns the samples in a document into places for their like.
    private static final class Samples {
        private static final Pattern ID =
                Pattern.compile(
                        "\\b(?:[0-7][0-9A-HJKMNP-TV-Z]{25}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\\b");

        /// Six small letters and digits with a digit among them, or every word of six letters would
        /// be one.
        private static final Pattern SHORT_ID =
                Pattern.compile("(?<![<:\\w-])(?!sha256)(?=[a-z]*[0-9])[0-9a-z]{6}(?![\\w-])");

        private static final Pattern WORD = Pattern.compile("\\w[\\w-]*");

        private static final String AGE =
                "\\bnow\\b|\\bin \\d+[smhd]\\b|\\b\\d+[smhd] ago\\b|\\b\\d+s\\b";

        /// Names of files that end in a time and a random word; times; hashes; ages.
        private static final List<Pattern> VARYING =
                List.of(
                        Pattern.compile("(?<=\\.)\\d{13}\\.[0-9a-z]{6}(?=\\.md)"),
                        Pattern.compile("(?<=\\.)\\d{13}\\.\\d+\\.[0-9a-z]{7,}"),
                        Pattern.compile("\\d{4}-\\d\\d-\\d\\d(?:[T ][\\d:.]+Z)?"),
                        Pattern.compile("\\b\\d\\d:\\d\\dZ"),
                        Pattern.compile("\\b[0-9a-f]{64}(?:[0-9a-f]{64})?\\b"),
                        Pattern.compile("\\b\\d+-[0-9a-f]{16}\\b"),
                        Pattern.compile("(?<=yours for )\\d+[smhd]\\b"),
                        Pattern.compile(AGE),
                        Pattern.compile("…"));

        private final Map<String, String> names = new HashMap<>();

        /// Fails on an id that the document has printed before: a reader's is another.
        void refuseIn(String command, int lineNumber) {
            Matcher word = WORD.matcher(command);
            while (word.find()) {
                if (names.containsKey(word.group())) {
                    throw new IllegalArgumentException(
                            "line %d: found \"%s\", an id that only this page has, expected a variable: id=$(rsm send --quiet …)"
                                    .formatted(lineNumber, word.group()));
                }
            }
        }

        String inOutput(String line) {
            String places = folders(squeezed(line));
            for (Pattern varying : VARYING) {
                places = varying.matcher(places).replaceAll("<ANY>");
            }
            return ids(places);
        }

        private static String folders(String line) {
            return line.replace("/home/you/parser", "<folder>").replace("/home/you", "<home>");
        }

        private String ids(String line) {
            String shorter = ID.matcher(line).replaceAll(id -> place(id.group(), "ID"));
            return SHORT_ID.matcher(shorter).replaceAll(id -> place(id.group(), "SHORT"));
        }

        private String place(String id, String kind) {
            String name = names.get(id);
            if (name != null) {
                return "<" + name + ">";
            }
            String fresh = "id" + names.size();
            names.put(id, fresh);
            if (kind.equals("ID")) {
                String ending = id.substring(id.length() - 6).toLowerCase(Locale.ROOT);
                names.putIfAbsent(ending, fresh + ":short");
            }
            return "<" + kind + ":" + fresh + ">";
        }
    }
}
