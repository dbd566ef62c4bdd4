package dev.pheromone.hooks;

import java.util.LinkedHashSet;
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

    /// Longer code is not looked at closely: it takes time, and is hardly ever plain.
    private static final int PLAIN_LENGTH_MAX = 3_000;

    private static final Pattern PLAIN_LITERAL =
            Pattern.compile("'[^'\\\\\\n]*'|\"[^\"\\\\\\n]*\"");

    /// Of what is escaped, only what can't be part of a name here.
    private static final Pattern LITERAL =
            Pattern.compile("'((?:[^'\\\\\\n]|\\\\[nrt])*)'|\"((?:[^\"\\\\\\n]|\\\\[nrt])*)\"");

    private static final String MADE = PlainCode.HOLE + "+" + PlainCode.HOLE;

    private static final Pattern FORMATTED = Pattern.compile("(?<!\\w)[rR]?[fF][rR]?$");
    private static final Pattern FORMATTED_SIGN =
            Pattern.compile("\\b(?:[rRbBuU]?[fF]?|[fF][rR])(?=" + PlainCode.HOLE + ")");
    private static final Pattern FORMATTED_PART = Pattern.compile("\\{([^{}]*)\\}");

    /// How a value is written, behind it.
    private static final Pattern FORMAT = Pattern.compile("(?:![rsa])?(?::[\\w<>^=+ .,%-]*)?$");

    private static final Pattern OPENS =
            Pattern.compile("\\b(?:open|write_text|writeFileSync|appendFileSync)\\b");

    private static final Pattern OPENS_TO_READ =
            Pattern.compile(
                    "\\bopen\\(\\s*(?:0|'[^']*'|\"[^\"]*\")\\s*(?:,\\s*['\"]r?[bt]?['\"]\\s*)?"
                        + "(?:,\\s*(?:encoding|errors|newline)\\s*=\\s*['\"][\\w-]*['\"]\\s*)*\\)");

    private static final Pattern NODE_FILES =
            Pattern.compile("require\\(['\"](?:node:)?fs['\"]\\)");

    /// A file that is read as data, not run.
    private static final Pattern NODE_DATA =
            Pattern.compile("\\brequire\\((['\"]\\.{1,2}/[\\w./@-]+\\.json['\"])\\)");

    private static final Pattern IMPORTS =
            Pattern.compile(
                    "\\b(?:import|from)\\s+([\\w.]+(?:(?:\\s+as\\s+\\w+)?\\s*,\\s*[\\w.]+)*)");

    /// Texts that are told apart from code only by more than we look at, and names that lead from
    /// any value to a function that runs a text.
    private static final Pattern TRICKY_LITERAL =
            Pattern.compile("\"{3}|'{3}|['\"](?:constructor|prototype|__\\w+)['\"]");

    /// True where a file is run, and not loaded.
    private static final Pattern MAIN = Pattern.compile("\\bif __name__ == (['\"])__main__\\1:");

    private InlineCode() {}

    /// Follows code; true if all that it does is to read files.
    static boolean follow(Invocation call, Shape code) throws ShellSyntaxException {
        if (!code.isPlain() || code.length() > CODE_LENGTH_MAX) {
            call.doubt("its code is known only when it runs");
            return false;
        }
        String text = code.toString();
        Matcher imports = IMPORTS.matcher(text);
        while (imports.find()) {
            for (String module : imports.group(1).split(",", -1)) {
                imported(call, module.strip().split("\\s", 2)[0]);
            }
        }
        if (text.length() <= PLAIN_LENGTH_MAX) {
            try {
                return lookInto(call, code, text);
            } catch (StackOverflowError e) {
                // It is too deep for our patterns, and so no plain code.
                noteLong(call, code);
                return false;
            }
        }
        noteLong(call, code);
        return false;
    }

    private static boolean lookInto(Invocation call, Shape code, String whole)
            throws ShellSyntaxException {
        String text = MAIN.matcher(whole).replaceAll("if True:");
        if (call.program().equals("perl") && PlainCode.isPerl(text.strip())) {
            return true;
        }
        boolean script = call.program().startsWith("node");
        boolean known = script || call.program().matches("(?:python|pypy).*");
        String readable = NODE_FILES.matcher(text).replaceAll("fs");
        readable = NODE_DATA.matcher(readable).replaceAll("JSON.parse($1)");
        var literals = new LinkedHashSet<String>();
        String rest = withoutLiterals(readable, literals);
        boolean simple =
                call.program().matches("(?:ruby|php)[\\d.]*") && PlainCode.isSimple(rest, text);
        boolean plain =
                simple
                        || (known
                                && !TRICKY_LITERAL.matcher(text).find()
                                && PlainCode.is(rest, script));
        boolean reads =
                plain
                        && OPENS.matcher(readable).results().count()
                                == OPENS_TO_READ.matcher(readable).results().count();
        if (!plain) {
            call.doubt("its code could touch anything");
        }
        if (!reads) {
            LastNet.note(call, code);
        }
        for (String literal : literals) {
            Shape file = Shape.of(literal);
            if (reads) {
                call.guess(file, Role.READ.access(), Extent.PATH);
                continue;
            }
            // Of plain code it is known that it writes to one of the files that it names.
            call.run()
                    .log()
                    .touch(file, call.state().folders(), Extent.PATH, Doubt.ANYTHING, !plain);
            call.run().log().wroteUnclearly(file);
        }
        return reads;
    }

    private static void noteLong(Invocation call, Shape code) throws ShellSyntaxException {
        call.doubt("its code is too long to be plain");
        LastNet.note(call, code);
        Matcher literal = PLAIN_LITERAL.matcher(code.toString());
        while (literal.find()) {
            Shape file = Shape.of(literal.group().substring(1, literal.group().length() - 1));
            if (file.length() < PATH_LENGTH_MAX) {
                call.guess(file, Doubt.ANYTHING, Extent.PATH);
            }
        }
    }

    /// The code without its literals, but with the code inside of them.
    private static String withoutLiterals(String code, Set<String> literals) {
        var rest = new StringBuilder();
        var inside = new StringBuilder();
        Matcher literal = LITERAL.matcher(code);
        while (literal.find()) {
            String value = literal.group(1) == null ? literal.group(2) : literal.group(1);
            if (value.length() < PATH_LENGTH_MAX) {
                literals.add(value);
            }
            String before = code.substring(Math.max(0, literal.start() - 4), literal.start());
            boolean formatted = FORMATTED.matcher(before).find();
            if (formatted) {
                inside.append(formatted(value, literals));
            }
            // What is put together is more than one literal.
            boolean made = formatted && value.indexOf('{') >= 0;
            literal.appendReplacement(rest, made ? MADE : PlainCode.HOLE);
        }
        literal.appendTail(rest);
        return FORMATTED_SIGN.matcher(rest).replaceAll("").concat(inside.toString());
    }

    /// The code in a formatted text.
    private static String formatted(String text, Set<String> literals) {
        var code = new StringBuilder();
        Matcher part = FORMATTED_PART.matcher(text);
        while (part.find()) {
            String shown = FORMAT.matcher(part.group(1)).replaceFirst("");
            code.append("\n(").append(withoutLiterals(shown, literals)).append(")");
        }
        // What is left of braces is not understood.
        return FORMATTED_PART.matcher(text).replaceAll("").matches("[^{}]*")
                ? code.toString()
                : code + "\\";
    }

    /// Notes the files that a module may be in: importing it runs them.
    static void imported(Invocation call, String module) throws ShellSyntaxException {
        LastNet.noteWritten(call);
        Shape path = Shape.of(module.replace('.', '/'));
        call.guess(path, Role.READ.access(), Extent.PATH);
        for (String ending : List.of(".py", ".pyc", ".pyi", "/__init__.py", "/__main__.py")) {
            call.guess(path.plus(ending), Role.READ.access(), Extent.PATH);
            LastNet.noteRun(call, path.plus(ending));
        }
    }
}
