package dev.pheromone.redaction;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;

import java.util.ArrayList;
import java.util.List;

/// What stands in the place of something that was taken out: `[REDACTED:kind]`.
final class Mark {

    private static final Pattern MARK = Pattern.compile("\\[REDACTED:[a-z][a-z0-9-]{0,39}\\]");

    private Mark() {}

    static String of(String kind) {
        return "[REDACTED:" + kind + "]";
    }

    /// The marks that stand in `text` already.
    static List<Span> in(String text) {
        List<Span> marks = new ArrayList<>();
        Matcher matcher = MARK.matcher(text);
        while (matcher.find()) {
            marks.add(Span.ofMark(matcher.start(), matcher.end()));
        }
        return marks;
    }
}
