package dev.pheromone.hooks;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Programs that run a program text: shells, and languages with code on the command line.
final class Interpreters {
    private static final Set<String> SHELLS =
            Set.of("sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "yash", "rbash");

    /// A name with a version: `python3.12`, `perl5.36.0`, `lua5.4`.
    private static final Pattern VERSIONED = Pattern.compile("([A-Za-z][A-Za-z-]*?)-?\\d[\\d.]*");

    private static final Map<String, String> OTHER_NAMES =
            Map.of("pypy", "python", "nodejs", "node", "luajit", "lua", "texlua", "lua");

    /// A row each: a language, the options that are followed by code, and those that are followed
    /// by something else, or have it attached.
    private static final String LANGUAGES =
            """
            python | -c | -W -X -Q --check-hash-based-pycs
            perl | -e -E | -I -M -m -C -D -F -V -x -i
            ruby | -e | -r -I -C -E -F -K -T -W -x -i
            node | -e --eval -p --print -pe | -r --require --import --loader --experimental-loader -C --conditions --env-file
            tsx | -e --eval -p --print -pe | -r --require --import --tsconfig -C --conditions
            ts-node | -e --eval -p --print -pe | -r --require -P --project -O
            php | -r -B -R -E | -d -c -z -S -t
            lua | -e | -l
            Rscript | -e |
            osascript | -e | -l
            julia | -e -E --eval --print | -L -J -p -t -C --project
            elixir | -e --eval --rpc-eval | -r -S -pa -pz
            groovy | -e | -cp -classpath -D
            scala | -e | -cp -classpath
            racket | -e --eval | -l -t -r -u
            swift | -e |
            ocaml | -e | -I
            clojure | -e --eval | -Sdeps
            bb | -e --eval | -cp --classpath
            erl | -eval -run -s | -pa -pz
            """;

    private static final Map<String, Language> CODE_OPTIONS = languages();

    /// How a language takes code on its command line.
    private record Language(Set<String> code, Set<String> values) {
        /// Where in a cluster of letters code is attached, such as `-Bc'…'`; negative if nowhere.
        int codeIn(String option) {
            for (int i = 1; i < option.length(); i++) {
                String letter = "-" + option.charAt(i);
                if (code.contains(letter)) {
                    return i + 1;
                }
                if (values.contains(letter) || !Character.isLetterOrDigit(option.charAt(i))) {
                    return -1;
                }
            }
            return -1;
        }
    }

    private static Map<String, Language> languages() {
        var languages = new HashMap<String, Language>();
        for (String row : (Iterable<String>) LANGUAGES.lines()::iterator) {
            String[] columns = row.split("\\|", -1);
            languages.put(columns[0].strip(), new Language(words(columns[1]), words(columns[2])));
        }
        return Map.copyOf(languages);
    }

    private static Set<String> words(String column) {
        return Set.of(column.strip().split(" ", -1));
    }

    /// Interpreters whose code we don't look into.
    private static final Set<String> OPAQUE =
            Set.of(
                    "fish",
                    "pwsh",
                    "powershell",
                    "powershell.exe",
                    "pwsh.exe",
                    "cmd.exe",
                    "csh",
                    "tcsh",
                    "tclsh",
                    "jshell",
                    "ghci",
                    "R",
                    "sqlite3",
                    "psql",
                    "mysql",
                    "mongosh",
                    "bpython",
                    "ptpython",
                    "elisp",
                    "guile",
                    "m4",
                    "nu",
                    "xonsh",
                    "irb",
                    "ipython");

    /// Files that a shell may run before anything else.
    private static final Set<String> READ_AT_FIRST =
            Set.of(
                    (".bashrc .profile .bash_profile .bash_login .zshrc .zshenv .zprofile .zlogin"
                                    + " .kshrc .mkshrc")
                            .split(" "));

    /// Modules of Python that run a text, or what they are told line by line.
    private static final Set<String> RUNNING_TEXTS =
            Set.of("timeit", "pdb", "code", "asyncio", "idlelib", "IPython", "doctest");

    /// Words that Perl takes for more than the name of a file.
    private static final Pattern OPENED_BY_PERL = Pattern.compile("(?s)\\s*[<>|+].*|.*\\|\\s*");

    private Interpreters() {}

    static boolean isOne(String name) {
        return SHELLS.contains(name)
                || OPAQUE.contains(name)
                || CODE_OPTIONS.containsKey(language(name));
    }

    /// Whether it runs a text that is no shell's.
    static boolean isLanguage(String name) {
        return isOne(name) && !SHELLS.contains(name);
    }

    /// Whether it runs code that is given to it on the command line or as its input, and is
    /// followed into it.
    static boolean isFollowed(String name) {
        return SHELLS.contains(name) || CODE_OPTIONS.containsKey(language(name));
    }

    private static String language(String name) {
        Matcher versioned = VERSIONED.matcher(name);
        String plain =
                CODE_OPTIONS.containsKey(name) || !versioned.matches() ? name : versioned.group(1);
        return OTHER_NAMES.getOrDefault(plain, plain);
    }

    /// Follows an interpreter; false if the program is none.
    static boolean run(Invocation call) throws ShellSyntaxException {
        if (SHELLS.contains(call.program())) {
            shell(call);
            return true;
        }
        if (OPAQUE.contains(call.program())) {
            boolean told =
                    call.arguments().size() == 1 && call.has("--version", "-V", "-v", "--help");
            if (!told && !Databases.asksPlainly(call)) {
                call.doubt("runs a text that is not looked into");
            }
            return true;
        }
        Language language = CODE_OPTIONS.get(language(call.program()));
        if (language == null) {
            return false;
        }
        language(call, language);
        return true;
    }

    private static void shell(Invocation call) throws ShellSyntaxException {
        for (String file : READ_AT_FIRST) {
            LastNet.noteRun(call, Shape.of(file));
        }
        List<Shape> arguments = call.arguments();
        int i = 0;
        boolean command = false;
        while (i < arguments.size()
                && (arguments.get(i).startsWith("-") || arguments.get(i).startsWith("+"))) {
            String option = arguments.get(i++).toString();
            if (option.equals("-") || option.equals("--")) {
                break;
            }
            boolean cluster = !option.startsWith("--");
            command |= cluster && option.indexOf('c') > 0;
            if (option.equals("--rcfile") || option.equals("--init-file")) {
                readScript(call, arguments.get(Math.min(i, arguments.size() - 1)));
                i++;
            } else if (cluster && (option.indexOf('o') > 0 || option.indexOf('O') > 0)) {
                i++;
            }
        }
        List<Shape> rest = call.from(i);
        if (command) {
            if (!rest.isEmpty()) {
                call.script(rest.getFirst(), List.copyOf(rest.subList(1, rest.size())));
            }
        } else if (!rest.isEmpty() && !call.has("-s")) {
            readScript(call, rest.getFirst());
            UnknownProgram.follow(call.withArguments(call.program(), rest.subList(1, rest.size())));
        } else if (call.text() != null) {
            call.script(call.text(), rest);
        } else if (call.state().input != null) {
            call.script(Builtins.joined(call.state().input), rest);
        } else if (call.state().piped) {
            runsPiped(call);
        }
    }

    private static void runsPiped(Invocation call) throws ShellSyntaxException {
        call.doubt("runs what comes through a pipe");
        for (Shape text : call.run().log().fed()) {
            LastNet.note(call, text);
        }
        LastNet.noteInput(call);
    }

    /// A file with a program text; or no file, but what another command writes.
    static void readScript(Invocation call, Shape file) throws ShellSyntaxException {
        if (GivenInput.isOpenFile(file) || file.is("-")) {
            runsPiped(call);
        } else {
            call.touch(file, Role.READ, Extent.PATH);
            LastNet.noteRun(call, file);
            LastNet.noteWritten(call);
        }
    }

    private static void language(Invocation call, Language language) throws ShellSyntaxException {
        List<Shape> arguments = call.arguments();
        boolean code = false;
        boolean reads = arguments.stream().noneMatch(Interpreters::mayChange);
        boolean changes =
                language.values().contains("-i")
                        && arguments.stream().anyMatch(Interpreters::surelyChanges);
        for (int i = 0; i < arguments.size(); i++) {
            Shape argument = arguments.get(i);
            Shape next = i + 1 < arguments.size() ? arguments.get(i + 1) : Shape.EMPTY;
            if (argument.is("-") || !argument.startsWith("-")) {
                if (code || argument.is("-")) {
                    // Operands of the code: `perl -i -pe … FILE`.
                    if (OPENED_BY_PERL.matcher(argument.toString()).matches()) {
                        call.doubt("may run \"" + argument + "\"");
                    }
                    if (!reads) {
                        call.run().log().changed(argument);
                    }
                    if (changes) {
                        call.touch(argument, Role.CHANGE, Extent.PATH);
                    } else {
                        call.guess(
                                argument, reads ? Role.READ.access() : Doubt.ANYTHING, Extent.PATH);
                    }
                } else {
                    readScript(call, argument);
                    UnknownProgram.follow(call.withArguments(call.program(), call.from(i + 1)));
                    return;
                }
                continue;
            }
            String option = argument.toString();
            int sign = option.startsWith("--") ? option.indexOf('=') : -1;
            int glued = option.startsWith("--") ? -1 : language.codeIn(option);
            if (language.code().contains(option)
                    || glued == option.length()
                    || endsWithCode(option, language.code())) {
                code = true;
                reads &= InlineCode.follow(call, next);
                i++;
            } else if (sign > 0 && language.code().contains(option.substring(0, sign))) {
                code = true;
                reads &= InlineCode.follow(call, argument.from(sign + 1));
            } else if (glued > 0) {
                code = true;
                reads &= InlineCode.follow(call, argument.from(glued));
            } else if (option.startsWith("-m") && language.code().contains("-c")) {
                Shape name = option.length() > 2 ? argument.from(2) : next;
                module(call, name);
                if (next.equals(name) && (name.is("pytest") || Linters.isOne(name.toString()))) {
                    // Most likely what it is called.
                    Programs.run(call.withArguments(name.toString(), call.from(i + 2)));
                } else {
                    UnknownProgram.follow(call.withArguments(call.program(), call.from(i + 1)));
                }
                return;
            } else if (language.values().contains(option) && !option.equals("-i")) {
                // What it loads, or a setting.
                LastNet.note(call, next);
                LastNet.noteRun(call, next);
                i++;
            } else {
                LastNet.note(call, argument);
            }
        }
        readsStandardInput(call, code);
    }

    /// As [#mayChange], of Perl and Ruby, with nothing before the letter but others without a
    /// value.
    private static boolean surelyChanges(Shape option) {
        return option.toString().matches("-(?:[aclnpsw]|0[0-7]*)*i.*");
    }

    /// `-i`, `-pi.bak`: files are changed in their place.
    private static boolean mayChange(Shape option) {
        return option.toString().matches("-[^-].*i.*|-i.*");
    }

    private static void module(Invocation call, Shape name) throws ShellSyntaxException {
        boolean told = call.arguments().getLast().is("--help");
        if (name.is("http.server") && !told) {
            call.touch(Shape.of("."), Role.READ, Extent.TREE);
            LinkFollowing.note(call, Role.READ.access());
        } else if (RUNNING_TEXTS.contains(name.toString()) && !told) {
            call.doubt("runs a text that is not looked into");
        } else if (name.isPlain()) {
            InlineCode.imported(call, name.toString());
        }
    }

    private static void readsStandardInput(Invocation call, boolean code)
            throws ShellSyntaxException {
        boolean version = call.has("--version", "-V", "-v", "--help", "-h");
        boolean stays =
                Set.of("python", "node").contains(language(call.program()))
                        && call.has("-i", "--interactive");
        if ((code && !stays) || (version && call.text() == null)) {
            return;
        }
        Shape text = call.text();
        if (text != null) {
            InlineCode.follow(call, text);
        } else if (call.state().piped) {
            runsPiped(call);
        }
    }

    /// `-pie`, `-ne`: letters of which the last takes the code.
    private static boolean endsWithCode(String option, Set<String> options) {
        return option.length() > 2
                && option.substring(1).chars().allMatch(Character::isLetterOrDigit)
                && options.contains("-" + option.charAt(option.length() - 1));
    }
}
