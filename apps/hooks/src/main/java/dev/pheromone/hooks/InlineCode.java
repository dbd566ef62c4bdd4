package dev.pheromone.hooks;

import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Code on the command line. Its string literals may be paths. If it uses anything but the plainest
/// means it could touch anything: a language has more ways to spell a name than we could list, so
/// the few words that are harmless are listed instead.
final class InlineCode {
    private static final int CODE_LENGTH_MAX = 64 * 1024;
    private static final int PATH_LENGTH_MAX = 1_000;

    /// Stands where a literal was.
    private static final String HOLE = "\u00a7";

    private static final Pattern LITERAL = Pattern.compile("'([^'\\\\\\n]*)'|\"([^\"\\\\\\n]*)\"");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_]\\w*");
    private static final Pattern FORMATTED = Pattern.compile("(?<!\\w)[rR]?[fF][rR]?$");
    private static final Pattern NODE_FILES =
            Pattern.compile("require\\(['\"](?:node:)?fs['\"]\\)");

    /// A call that opens the file of its first argument, and such a call with one plain literal.
    private static final Pattern OPENS = Pattern.compile("\\b(?:open|readFileSync)\\b");

    private static final Pattern OPENS_LITERAL =
            Pattern.compile("\\b(?:open|readFileSync)\\s*\\(\\s*" + HOLE + "\\s*[,)]");

    private static final Pattern IMPORTS =
            Pattern.compile(
                    "\\b(?:import|from)\\s+([\\w.]+(?:(?:\\s+as\\s+\\w+)?\\s*,\\s*[\\w.]+)*)");

    /// Signs with which code is hidden from us, or which mean more than they show.
    private static final Pattern TRICKY = Pattern.compile("[`\\\\#'\"]");

    /// `s/a/b/g` of perl, and printing lines: what its options do to files is seen elsewhere.
    private static final Pattern PLAIN_PERL =
            Pattern.compile(
                    "s([/|,!])(?:(?!\\1)[^\\\\@$`(]|\\((?!\\?)|\\\\[^\\n]|\\$(?=\\1))*\\1"
                            + "(?:(?!\\1)[^\\\\@$`]|\\\\[^\\n]|\\$\\d)*\\1[gimsx]*;?"
                            + "|print(?: \\$_)?(?: if [$.\\d =<>&]+)?;?");

    private static final Set<String> HARMLESS =
            Set.of(
                    ("import from as print len range sum min max abs round int float str bool list"
                         + " dict set tuple sorted reversed enumerate zip map filter for in if else"
                         + " elif while not and or is None True False lambda return def pass break"
                         + " continue with json sys math re datetime time random string collections"
                         + " itertools statistics load loads dump dumps stdin stdout stderr read"
                         + " write close encoding version version_info platform maxsize argv exit"
                         + " now today strftime isoformat utcnow sqrt pi floor ceil upper lower"
                         + " strip split items keys values append count index startswith endswith"
                         + " isdigit indent ensure_ascii sep end sort_keys Counter console log JSON"
                         + " stringify parse Math Date Object Array Number String Boolean const let"
                         + " var typeof null undefined true false process versions toString toFixed"
                         + " fs open readFileSync x y z a b c d e f g h i j k l m n o p q r s t u v"
                         + " w data result value key line name item total row rows obj res out num"
                         + " ver")
                            .split(" ", -1));

    private InlineCode() {}

    static void follow(Invocation call, Shape code) throws ShellSyntaxException {
        if (!code.isPlain() || code.length() > CODE_LENGTH_MAX) {
            call.doubt("its code is known only when it runs");
            return;
        }
        String text = code.toString();
        if (call.program().equals("perl") && PLAIN_PERL.matcher(text.strip()).matches()) {
            return;
        }
        LastNet.note(call, code);
        Matcher imports = IMPORTS.matcher(text);
        while (imports.find()) {
            for (String module : imports.group(1).split(",", -1)) {
                imported(call, module.strip().split("\\s", 2)[0]);
            }
        }
        boolean plain =
                List.of("python", "pypy", "node").stream().anyMatch(call.program()::startsWith);
        String readable = NODE_FILES.matcher(text).replaceAll("fs");
        var rest = new StringBuilder();
        Matcher literal = LITERAL.matcher(readable);
        while (literal.find()) {
            String value = literal.group(1) == null ? literal.group(2) : literal.group(1);
            if (value.length() < PATH_LENGTH_MAX) {
                call.guess(Shape.of(value), Doubt.ANYTHING, Extent.PATH);
            }
            String before = readable.substring(Math.max(0, literal.start() - 4), literal.start());
            plain &= !FORMATTED.matcher(before).find() || value.indexOf('{') < 0;
            literal.appendReplacement(rest, HOLE);
        }
        literal.appendTail(rest);
        if (!plain || !isPlainest(rest.toString())) {
            call.doubt("its code could touch anything");
        }
    }

    /// Notes the files that a module may be in: importing it runs them.
    static void imported(Invocation call, String module) throws ShellSyntaxException {
        Shape path = Shape.of(module.replace('.', '/'));
        call.guess(path, Role.READ.access(), Extent.PATH);
        for (String ending : List.of(".py", ".pyc", ".pyi", "/__init__.py", "/__main__.py")) {
            call.guess(path.plus(ending), Role.READ.access(), Extent.PATH);
        }
    }

    private static boolean isPlainest(String code) {
        Matcher names = NAME.matcher(code);
        while (names.find()) {
            if (!HARMLESS.contains(names.group())) {
                return false;
            }
        }
        return !TRICKY.matcher(code).find()
                && OPENS.matcher(code).results().count()
                        == OPENS_LITERAL.matcher(code).results().count();
    }
}
