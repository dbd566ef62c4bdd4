package dev.pheromone.redaction;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/// Finds in a text what must not become public, and puts a mark in its place.
///
/// Pure, and safe for use by several threads. Every pattern is matched in time that grows with the
/// text's length, never faster. What is redacted once has nothing left to redact: the search goes
/// on until a look finds nothing more.
public final class Redactor {

    /// Far more than a body may have.
    public static final int TEXT_LENGTH_MAX = 1024 * 1024;

    /// Ordinary texts need two looks. From this one on a find takes all of its line with it, so
    /// that a text made for it can't keep the search going.
    private static final int CAREFUL_LOOKS_MAX = 8;

    private final Rules rules;
    private final PrivateWords words;
    private final List<Rule> wanted;

    public Redactor(Rules rules, PrivateWords words) {
        this.rules = rules;
        this.words = words;
        this.wanted =
                rules.all().stream()
                        .map(rule -> rule.lookingFor(words))
                        .filter(Objects::nonNull)
                        .toList();
    }

    /// `text` with marks.
    public Redaction redact(String text) {
        return taughtBy(List.of(text)).redactAsTaught(text);
    }

    /// This redactor, knowing also the names of users that show in `texts`: who has a home folder
    /// there is looked for everywhere.
    Redactor taughtBy(Collection<String> texts) {
        Set<String> names = new LinkedHashSet<>();
        for (String text : texts) {
            for (Rule rule : wanted) {
                if (rule.teachesUsers()) {
                    View view = new View(checked(text), Mark.in(text), View.Sight.ALL);
                    new Search(rules, List.of(rule), view)
                            .texts(rule)
                            .forEach(path -> names.add(lastName(path)));
                }
            }
        }
        names.removeAll(words.users());
        return names.isEmpty() ? this : new Redactor(rules, words.withUsers(names));
    }

    Redaction redactAsTaught(String text) {
        List<Span> hidden = Mark.in(checked(text));
        List<View.Sight> sights =
                Stream.of(View.Sight.values())
                        .filter(sight -> sight == View.Sight.ALL || View.isOther(text, sight))
                        .toList();
        for (int look = 1; ; look++) {
            List<Span> found = new ArrayList<>();
            for (View.Sight sight : sights) {
                found.addAll(look(text, hidden, sight));
            }
            found.addAll(lookBehindBase64(text, hidden));
            if (found.isEmpty()) {
                return new Redaction(text, hidden);
            }
            Set<Span> all = new HashSet<>(hidden);
            all.addAll(look > CAREFUL_LOOKS_MAX ? wholeLines(text, found, hidden) : found);
            hidden = Span.merged(all);
        }
    }

    private List<Span> look(String text, List<Span> hidden, View.Sight sight) {
        return new Search(rules, wanted, new View(text, hidden, sight)).spans();
    }

    /// Base64 that stands for a text in which something is found, as a whole.
    private List<Span> lookBehindBase64(String text, List<Span> hidden) {
        View view = new View(text, hidden, View.Sight.ALL);
        List<Span> spans = new ArrayList<>();
        for (Base64Runs.Run run : Base64Runs.in(view.text())) {
            look(run.decoded(), List.of(), View.Sight.ALL).stream()
                    .min(Comparator.comparingInt(Span::rank))
                    .ifPresent(first ->
                            spans.add(
                                    new Span(
                                            view.origin(run.start()),
                                            view.origin(run.end()),
                                            first.kind(),
                                            first.rank())));
        }
        return spans;
    }

    private static String checked(String text) {
        if (text.length() > TEXT_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "text: found %d characters, expected at most %d"
                            .formatted(text.length(), TEXT_LENGTH_MAX));
        }
        return text;
    }

    private static String lastName(String path) {
        return path.substring(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
    }

    /// `found`, each widened to its line, but not over what is hidden already.
    private static List<Span> wholeLines(String text, List<Span> found, List<Span> hidden) {
        List<Span> widened = new ArrayList<>();
        for (Span span : found) {
            int start = text.lastIndexOf('\n', span.start() - 1) + 1;
            int lineEnd = text.indexOf('\n', span.end());
            int end = lineEnd < 0 ? text.length() : lineEnd;
            for (Span other : hidden) {
                if (other.end() <= span.start()) {
                    start = Math.max(start, other.end());
                } else if (other.start() >= span.end()) {
                    end = Math.min(end, other.start());
                }
            }
            widened.add(new Span(start, end, span.kind(), span.rank()));
        }
        return widened;
    }
}
