package dev.pheromone.redaction;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;

/// One look of all rules at a view.
final class Search {

    /// Part of a line with nothing hidden in it: what a rule sees at a time.
    private record Piece(int start, String text, String lowerCase) {}

    /// A find's place in the view.
    private record Place(int start, int end) {}

    private final Rules rules;
    private final List<Rule> wanted;
    private final View view;
    private final List<Piece> pieces = new ArrayList<>();

    /// @param wanted the rules to look by; their places in the list are their ranks
    Search(Rules rules, List<Rule> wanted, View view) {
        this.rules = rules;
        this.wanted = wanted;
        this.view = view;
    }

    /// What the rules find, in places of the original text.
    List<Span> spans() {
        List<Span> spans = new ArrayList<>();
        String lowerCase = view.text().toLowerCase(Locale.ROOT);
        split();
        for (int rank = 0; rank < wanted.size(); rank++) {
            Rule rule = wanted.get(rank);
            if (rule.isWorthSearching(lowerCase)) {
                int ofRule = rank;
                search(
                        rule,
                        (place, found) ->
                                spans.add(
                                        new Span(
                                                view.origin(place.start),
                                                view.origin(place.end),
                                                rule.kind(),
                                                ofRule)));
            }
        }
        return spans;
    }

    /// The texts that `rule` finds.
    List<String> texts(Rule rule) {
        List<String> texts = new ArrayList<>();
        split();
        search(rule, (place, found) -> texts.add(found));
        return texts;
    }

    private void split() {
        String text = view.text();
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i == text.length() || isBorder(text.charAt(i))) {
                if (i > start) {
                    String piece = text.substring(start, i);
                    pieces.add(new Piece(start, piece, piece.toLowerCase(Locale.ROOT)));
                }
                start = i + 1;
            }
        }
    }

    private static boolean isBorder(char c) {
        return c == '\n' || c == '\r' || c == View.HIDDEN;
    }

    private void search(Rule rule, BiConsumer<Place, String> finds) {
        Pattern pattern = rule.pattern();
        if (pattern == null) {
            return;
        }
        if (rule.manyLines()) {
            search(rule, pattern, 0, view.text(), finds);
            return;
        }
        for (Piece piece : pieces) {
            if (rule.isWorthSearching(piece.lowerCase)) {
                search(rule, pattern, piece.start, piece.text, finds);
            }
        }
    }

    private void search(
            Rule rule, Pattern pattern, int offset, String text, BiConsumer<Place, String> finds) {
        Matcher matcher = pattern.matcher(text);
        int from = 0;
        while (from <= text.length() && matcher.find(from)) {
            int group = secretGroup(matcher);
            int start = matcher.start(group);
            int end = matcher.end(group);
            Checksum check = rule.check();
            int length =
                    check == null ? end - start : check.validLength(text.substring(start, end));
            String found = text.substring(start, start + length);
            if (isSomething(found) && !rules.isHarmless(rule, found)) {
                finds.accept(new Place(offset + start, offset + start + length), found);
            }
            // What follows the secret may be what precedes the next one.
            from = Math.max(end, matcher.start() + 1);
        }
    }

    private static int secretGroup(Matcher matcher) {
        for (int group = 1; group <= matcher.groupCount(); group++) {
            if (matcher.start(group) >= 0) {
                return group;
            }
        }
        return 0;
    }

    private static boolean isSomething(String found) {
        for (int i = 0; i < found.length(); i++) {
            if (found.charAt(i) != View.HIDDEN) {
                return true;
            }
        }
        return false;
    }
}
