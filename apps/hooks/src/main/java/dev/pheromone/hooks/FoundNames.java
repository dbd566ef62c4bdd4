package dev.pheromone.hooks;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// The names that programs print which look for files: each is one of these shapes. Of a call with
/// an option that is not known here, nothing is known.
final class FoundNames {
    private static final Shape DEEP = Shape.of(new int[] {Shape.DEEP});

    /// How `ls` sorts names and writes one a line; not what else it tells of them.
    private static final Pattern LS_FLAG = Pattern.compile("-[1trSdU]+");

    private static final Pattern RG_FLAG =
            Pattern.compile(
                    "-[liwFPsnHzu0]+|--(?:files|files-with-matches|hidden|ignore-case|fixed-strings"
                            + "|word-regexp|no-ignore|null|(?:glob|type)=.*)");

    private static final Pattern GREP_FLAG =
            Pattern.compile(
                    "-[lrRiwEFPsnHIz]+|--(?:files-with-matches|ignore-case|fixed-strings|word-regexp"
                        + "|null|recursive|(?:include|exclude|exclude-dir)=.*)");

    private static final Set<String> RG_VALUED = Set.of("-g", "-t", "-T", "-e", "--glob", "--type");

    private static final Set<String> GREP_VALUED =
            Set.of("-e", "--include", "--exclude", "--exclude-dir");

    private static final Pattern FD_FLAG =
            Pattern.compile("-[HIisg0u]+|--(?:hidden|no-ignore|glob|print0)|--(?:type|exclude)=.*");

    private static final Set<String> FD_VALUED =
            Set.of("-e", "-t", "-E", "-d", "--extension", "--type", "--exclude", "--max-depth");

    private static final Pattern LS_FILES_FLAG =
            Pattern.compile("-[zmocd]+|--|--(?:modified|others|cached|deleted|exclude-standard)");

    private FoundNames() {}

    /// What the program prints; null if that is not known.
    static @Nullable List<Shape> of(String program, List<Shape> arguments) {
        if (arguments.stream().anyMatch(Shape::hasGap)) {
            return null;
        }
        return switch (program) {
            case "ls" -> ls(arguments);
            case "rg", "grep", "egrep", "fgrep" -> searched(program, arguments);
            case "fd", "fdfind" -> fd(arguments);
            case "git" -> git(arguments);
            default -> null;
        };
    }

    private static @Nullable List<Shape> ls(List<Shape> arguments) {
        var names = new ArrayList<Shape>();
        for (Shape word : arguments) {
            boolean flag = word.startsWith("-");
            if (flag
                    ? !LS_FLAG.matcher(word.toString()).matches()
                    : !AreaReach.isFile(word.toString())) {
                return null;
            }
            if (!flag) {
                names.add(word);
            }
        }
        return names.isEmpty() ? null : names;
    }

    private static @Nullable List<Shape> searched(String program, List<Shape> arguments) {
        boolean rg = program.equals("rg");
        var searched = new SearchedNames(program);
        var words = new ArrayList<Shape>();
        boolean names = false;
        boolean pattern = true;
        for (int i = 0; i < arguments.size(); i++) {
            Shape word = arguments.get(i);
            String option = word.toString();
            boolean more = i + 1 < arguments.size();
            if ((rg ? RG_VALUED : GREP_VALUED).contains(option) && more) {
                searched.note(option, arguments.get(++i));
                pattern &= !option.equals("-e");
            } else if ((rg ? RG_FLAG : GREP_FLAG).matcher(option).matches()) {
                int sign = word.indexOf('=', 0);
                searched.note(option.substring(0, Math.max(0, sign)), word.from(sign + 1));
                names |= option.matches("-\\w*l\\w*|--files.*");
                pattern &= !option.equals("--files");
            } else if (word.startsWith("-")) {
                return null;
            } else {
                words.add(word);
            }
        }
        if (!names || (pattern && words.isEmpty())) {
            return null;
        }
        return below(words.subList(pattern ? 1 : 0, words.size()), searched.patterns());
    }

    private static @Nullable List<Shape> fd(List<Shape> arguments) {
        var words = new ArrayList<Shape>();
        var endings = new ArrayList<Shape>();
        for (int i = 0; i < arguments.size(); i++) {
            Shape word = arguments.get(i);
            if (FD_VALUED.contains(word.toString()) && i + 1 < arguments.size()) {
                i++;
                if (word.startsWith("-e") || word.startsWith("--ext")) {
                    endings.add(Shape.ANY_NAME.plus(".").plus(arguments.get(i)));
                }
            } else if (!word.startsWith("-")) {
                words.add(word);
            } else if (!FD_FLAG.matcher(word.toString()).matches()) {
                return null;
            }
        }
        return below(words.subList(Math.min(1, words.size()), words.size()), endings);
    }

    /// `git ls-files`: the wildcards of its words go across folders.
    private static @Nullable List<Shape> git(List<Shape> arguments) {
        if (arguments.isEmpty() || !arguments.getFirst().is("ls-files")) {
            return null;
        }
        var names = new ArrayList<Shape>();
        for (Shape word : arguments.subList(1, arguments.size())) {
            if (LS_FILES_FLAG.matcher(word.toString()).matches()) {
                continue;
            }
            if (word.startsWith("-") || !word.isPlain()) {
                return null;
            }
            if (word.startsWith(":")) {
                return List.of(DEEP);
            }
            names.addAll(acrossFolders(word));
        }
        return names.isEmpty() ? List.of(DEEP) : names;
    }

    private static List<Shape> acrossFolders(Shape word) {
        Shape wild = word.withWildcards().withHidden();
        Shape deep = Shape.EMPTY;
        for (int i = 0; i < wild.length(); i++) {
            deep = wild.at(i) < 0 ? deep.plus(DEEP) : deep.plus(wild.part(i, i + 1));
        }
        return List.of(deep, deep.plus("/").plus(DEEP));
    }

    /// The folders or files themselves, and what is in them under one of these names.
    private static List<Shape> below(List<Shape> roots, List<Shape> patterns) {
        var names = new ArrayList<Shape>(roots);
        List<Shape> folders = roots.isEmpty() ? List.of(Shape.of(".")) : roots;
        for (Shape folder : folders) {
            Shape start = folder.plus("/");
            if (patterns.isEmpty()) {
                names.add(start.plus(DEEP));
            }
            for (Shape pattern : patterns) {
                names.add(start.plus(pattern));
                names.add(start.plus(DEEP).plus("/").plus(pattern));
            }
        }
        return names;
    }
}
