package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/// Expands `{a,b}` and `{1..9}` in a word, before everything else is expanded.
final class Braces {
    private static final int WORDS_MAX = 512;

    /// Finding the pairs costs the square of the characters.
    private static final int PARTS_MAX = 2_000;

    private Braces() {}

    static List<Word> expand(Word word) throws ShellSyntaxException {
        boolean any = false;
        for (Word.Part part : word.parts()) {
            any |= part instanceof Word.Bare(String text) && text.indexOf('{') >= 0;
        }
        if (!any) {
            return List.of(word);
        }
        var out = new ArrayList<Word>();
        List<Word.Part> characters = characters(word);
        if (characters.size() > PARTS_MAX) {
            throw new ShellSyntaxException("a word with braces is too long");
        }
        expand(characters, out, 0);
        return out;
    }

    /// The word with each bare character as a part of its own.
    private static List<Word.Part> characters(Word word) {
        var parts = new ArrayList<Word.Part>();
        for (Word.Part part : word.parts()) {
            if (part instanceof Word.Bare(String text)) {
                text.codePoints()
                        .mapToObj(c -> new Word.Bare(Character.toString(c)))
                        .forEach(parts::add);
            } else {
                parts.add(part);
            }
        }
        return parts;
    }

    private static void expand(List<Word.Part> parts, List<Word> out, int depth)
            throws ShellSyntaxException {
        if (out.size() > WORDS_MAX || depth > WORDS_MAX) {
            throw new ShellSyntaxException("braces make too many words");
        }
        for (int open = 0; open < parts.size(); open++) {
            if (!is(parts, open, "{")) {
                continue;
            }
            int close = closing(parts, open);
            if (close < 0) {
                continue;
            }
            List<List<Word.Part>> choices = choices(parts.subList(open + 1, close));
            if (choices.size() < 2) {
                continue;
            }
            for (List<Word.Part> choice : choices) {
                var whole = new ArrayList<>(parts.subList(0, open));
                whole.addAll(choice);
                whole.addAll(parts.subList(close + 1, parts.size()));
                expand(whole, out, depth + 1);
            }
            return;
        }
        out.add(new Word(joined(parts)));
    }

    private static int closing(List<Word.Part> parts, int open) {
        int depth = 0;
        for (int i = open; i < parts.size(); i++) {
            if (is(parts, i, "{")) {
                depth++;
            } else if (is(parts, i, "}") && --depth == 0) {
                return i;
            }
        }
        return -1;
    }

    private static List<List<Word.Part>> choices(List<Word.Part> inside)
            throws ShellSyntaxException {
        var choices = new ArrayList<List<Word.Part>>();
        int start = 0;
        int depth = 0;
        for (int i = 0; i < inside.size(); i++) {
            if (is(inside, i, "{")) {
                depth++;
            } else if (is(inside, i, "}")) {
                depth--;
            } else if (depth == 0 && is(inside, i, ",")) {
                choices.add(inside.subList(start, i));
                start = i + 1;
            }
        }
        if (start == 0) {
            return range(inside);
        }
        choices.add(inside.subList(start, inside.size()));
        return choices;
    }

    private static List<List<Word.Part>> range(List<Word.Part> inside) throws ShellSyntaxException {
        var text = new StringBuilder();
        for (Word.Part part : inside) {
            if (!(part instanceof Word.Bare(String bare))) {
                return List.of();
            }
            text.append(bare);
        }
        String[] ends = text.toString().split("\\.\\.", -1);
        if (ends.length < 2 || ends.length > 3) {
            return List.of();
        }
        OptionalInt first = end(ends[0]);
        OptionalInt last = end(ends[1]);
        if (first.isEmpty() || last.isEmpty() || ends.length == 3) {
            throw new ShellSyntaxException("{" + text + "} is a range that is hard to follow");
        }
        boolean letters = ends[0].length() == 1 && !Character.isDigit(ends[0].charAt(0));
        int from = Math.min(first.getAsInt(), last.getAsInt());
        int to = Math.max(first.getAsInt(), last.getAsInt());
        if ((long) to - from > WORDS_MAX) {
            throw new ShellSyntaxException("braces make too many words");
        }
        var choices = new ArrayList<List<Word.Part>>();
        for (int i = from; i <= to; i++) {
            String value = letters ? Character.toString(i) : padded(i, ends);
            choices.add(List.of(new Word.Bare(value)));
        }
        return choices.size() == 1 ? List.of(choices.getFirst(), choices.getFirst()) : choices;
    }

    private static String padded(int value, String[] ends) {
        boolean pad = ends[0].startsWith("0") || ends[1].startsWith("0");
        String plain = Integer.toString(value);
        int width = Math.max(ends[0].length(), ends[1].length());
        return pad && value >= 0 ? "0".repeat(Math.max(0, width - plain.length())) + plain : plain;
    }

    private static OptionalInt end(String text) {
        if (text.matches("-?\\d{1,6}")) {
            return OptionalInt.of(Integer.parseInt(text));
        }
        return text.matches("[a-zA-Z]") ? OptionalInt.of(text.charAt(0)) : OptionalInt.empty();
    }

    private static boolean is(List<Word.Part> parts, int at, String text) {
        return parts.get(at) instanceof Word.Bare(String bare) && bare.equals(text);
    }

    private static List<Word.Part> joined(List<Word.Part> parts) {
        var out = new ArrayList<Word.Part>();
        var bare = new StringBuilder();
        for (Word.Part part : parts) {
            if (part instanceof Word.Bare(String text)) {
                bare.append(text);
                continue;
            }
            if (!bare.isEmpty()) {
                out.add(new Word.Bare(bare.toString()));
                bare.setLength(0);
            }
            out.add(part);
        }
        if (!bare.isEmpty()) {
            out.add(new Word.Bare(bare.toString()));
        }
        return out;
    }
}
