package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/// What one program does with its arguments: by position, and by the option before them.
final class ProgramRule {
    private static final Pattern TOLD_TO_RECURSE =
            Pattern.compile("(?:^| )(?:-\\w*d|--di[a-z]*[ =]) *rec");

    /// Options that say how deep a program goes, among those that list names.
    private static final Set<String> DEPTHS = Set.of("-L", "--level", "-d", "--max-depth");

    private static final Set<Access> READ = Role.READ.access();
    private static final Shape BELOW = below(Shape.DEEP);
    private static final Shape BELOW_VISIBLE = below(Shape.DEEP_VISIBLE);

    private static Shape below(int folders) {
        return Shape.of("/").plus(Shape.of(new int[] {folders})).plus("/");
    }

    private final List<Role> operands;
    private final Map<String, Role> options;

    /// Options whose value takes the place of the first operand: `-e` of grep.
    private final Set<String> replacing;

    /// Options that make it go through folders, or that undo the skipping of hidden names.
    private final Set<String> deepening;

    private final Extent usual;

    /// Whether it goes through folders for names alone.
    private final boolean lists;

    /// What it reads without operands, or nothing.
    private final String fallback;

    private ProgramRule(
            List<Role> operands,
            Map<String, Role> options,
            Set<String> replacing,
            Set<String> deepening,
            Extent usual,
            boolean lists,
            String fallback) {
        this.operands = operands;
        this.options = options;
        this.replacing = replacing;
        this.deepening = deepening;
        this.usual = usual;
        this.lists = lists;
        this.fallback = fallback;
    }

    /// Parses the columns of a row after the names: operands, options with a value, and when the
    /// program goes through folders.
    static ProgramRule parse(String operandColumn, String optionColumn, String depthColumn) {
        var operands = new ArrayList<Role>();
        for (String word : words(operandColumn)) {
            operands.add(Role.valueOf(word.toUpperCase(Locale.ROOT)));
        }
        var options = new HashMap<String, Role>();
        var replacing = new HashSet<String>();
        for (String word : words(optionColumn)) {
            int sign = word.indexOf(':');
            String role = word.substring(sign + 1).replace("!", "");
            for (String name : word.substring(0, sign).split(",", -1)) {
                options.put(name, Role.valueOf(role.toUpperCase(Locale.ROOT)));
                if (word.endsWith("!")) {
                    replacing.add(name);
                }
            }
        }
        Extent usual = Extent.PATH;
        String fallback = "";
        var deepening = new HashSet<String>();
        boolean lists = false;
        for (String word : words(depthColumn)) {
            switch (word) {
                case "always" -> usual = Extent.TREE;
                case "visible" -> usual = Extent.VISIBLE_TREE;
                case "here" -> fallback = ".";
                case "names" -> lists = true;
                default -> deepening.add(word);
            }
        }
        return new ProgramRule(operands, options, replacing, deepening, usual, lists, fallback);
    }

    private static List<String> words(String column) {
        return column.isBlank() ? List.of() : List.of(column.strip().split("\\s+", -1));
    }

    /// The rule of a program that is in the table.
    static ProgramRule of(String program) {
        return Objects.requireNonNull(ProgramTable.find(program), program);
    }

    /// Whether its words are goals, and other things that tools of its kind are told.
    boolean isBuild() {
        return operands.contains(Role.GOAL);
    }

    void follow(Invocation call) throws ShellSyntaxException {
        Reading reading = new Reading(call);
        reading.read();
        reading.settle();
    }

    /// The words of a call that are no options, nor values of them.
    List<Shape> operands(Invocation call) throws ShellSyntaxException {
        Reading reading = new Reading(call);
        reading.read();
        return List.copyOf(reading.found);
    }

    /// One pass over the arguments of one call.
    private final class Reading {
        private final Invocation call;
        private final List<Shape> found = new ArrayList<>();
        private final Extent extent;
        private final SearchedNames searched;
        private boolean firstReplaced;
        private @Nullable Shape target;
        private Shape depth = Shape.EMPTY;

        Reading(Invocation call) {
            this.call = call;
            boolean deep =
                    call.hasShortened(deepening.toArray(new String[0]))
                            || (options.containsKey("--directories") && isToldToRecurse());
            Extent reached = deep ? Extent.TREE : usual;
            this.extent = lists ? reached.ofNames() : reached;
            this.searched = new SearchedNames(call.program());
        }

        /// `-d recurse` and `--directories=recurse` of grep.
        private boolean isToldToRecurse() {
            String words = Builtins.joined(call.arguments()).toString();
            return TOLD_TO_RECURSE.matcher(words).find();
        }

        void read() throws ShellSyntaxException {
            List<Shape> arguments = call.arguments();
            int i = 0;
            while (i < arguments.size()) {
                Shape argument = arguments.get(i++);
                if (argument.is("--")) {
                    found.addAll(arguments.subList(i, arguments.size()));
                    return;
                }
                if (argument.startsWith("--")) {
                    i += longOption(argument, i < arguments.size() ? arguments.get(i) : null);
                } else if (argument.startsWith("-") && argument.length() > 1) {
                    i += letters(argument, i < arguments.size() ? arguments.get(i) : null);
                } else {
                    found.add(argument);
                }
            }
        }

        /// The number of further arguments that the option takes.
        private int longOption(Shape argument, @Nullable Shape next) throws ShellSyntaxException {
            int sign = argument.indexOf('=', 0);
            String name = (sign < 0 ? argument : argument.part(0, sign)).toString();
            Role role = longRole(name);
            if (sign >= 0) {
                value(name, role == null ? Role.GOAL : role, argument.from(sign + 1));
                return 0;
            }
            if (role == null && next != null && operands.contains(Role.URL)) {
                // Not in the table: its value may be a file.
                touch(Role.GOAL, next, Extent.PATH);
            }
            if (role == null || next == null || !fits(role, next)) {
                return 0;
            }
            value(name, role, next);
            // Cut short it may be another option, without a value.
            return options.containsKey(name) || !role.access().isEmpty() ? 1 : 0;
        }

        /// The role of a long option's value; many programs let one cut the name short.
        private @Nullable Role longRole(String name) {
            Role exact = options.get(name);
            if (exact != null || name.length() < 4) {
                return exact;
            }
            Role found = null;
            for (Map.Entry<String, Role> option : options.entrySet()) {
                boolean worse =
                        found == null || found.access().size() < option.getValue().access().size();
                if (option.getKey().startsWith(name) && worse) {
                    found = option.getValue();
                }
            }
            return found;
        }

        private int letters(Shape argument, @Nullable Shape next) throws ShellSyntaxException {
            Role whole = options.get(argument.toString());
            if (whole != null && next != null && fits(whole, next)) {
                value(argument.toString(), whole, next);
                return 1;
            }
            for (int i = 1; i < argument.length(); i++) {
                if (argument.at(i) < 0) {
                    return 0;
                }
                String name = "-" + Character.toString(argument.at(i));
                Role role = options.get(name);
                if (role != null) {
                    boolean glued = i + 1 < argument.length();
                    if (glued) {
                        value(name, role, argument.from(i + 1));
                        return 0;
                    }
                    if (next != null && fits(role, next)) {
                        value(name, role, next);
                        return 1;
                    }
                    return 0;
                }
            }
            return 0;
        }

        /// Some systems' options need no number: what is none then is an operand.
        private static boolean fits(Role role, Shape next) {
            return role != Role.NUMBER
                    || next.hasGap()
                    || (next.isPlain() && next.toString().matches("[-+]?\\d+\\w?"));
        }

        private void value(String name, Role role, Shape value) throws ShellSyntaxException {
            firstReplaced |= replacing.contains(name);
            searched.note(name, value);
            depth = role == Role.NUMBER && DEPTHS.contains(name) ? value : depth;
            if (role == Role.TARGET) {
                target = value;
            } else {
                touch(role, value, Extent.PATH);
            }
        }

        void settle() throws ShellSyntaxException {
            if (isBuild()) {
                BuildWords.settle(call);
            }
            List<Role> roles = new ArrayList<>(operands);
            if (firstReplaced && !roles.isEmpty()) {
                roles.removeFirst();
            }
            if (roles.contains(Role.TARGET)) {
                if (target == null && found.size() > 1) {
                    target = found.removeLast();
                }
                roles.remove(Role.TARGET);
            }
            if (readsItsFolder(roles)) {
                if (found.isEmpty() && roles.getFirst() == Role.DATA) {
                    // `fd` without a pattern.
                    found.add(Shape.EMPTY);
                }
                found.add(Shape.of(fallback));
            }
            for (int i = 0; i < found.size() && !roles.isEmpty(); i++) {
                touch(roles.get(Math.min(i, roles.size() - 1)), found.get(i), extent);
            }
            if (operands.contains(Role.URL)
                    && call.hasShortened("-O", "--remote-name", "--remote-name-all")) {
                for (Shape address : found) {
                    touch(Role.WRITE, address.name(), Extent.PATH);
                }
            }
            settleTarget(target);
        }

        /// Without a path some programs take the folder they run in; those that search for a text
        /// do so if they search folders, and nothing is piped to them.
        private boolean readsItsFolder(List<Role> roles) {
            if (fallback.isEmpty() || roles.isEmpty()) {
                return false;
            }
            boolean searches = operands.getFirst() == Role.DATA;
            boolean named = found.size() > (roles.getFirst() == Role.DATA ? 1 : 0);
            return !named
                    && (!searches
                            || (extent != Extent.PATH
                                    && (usual == Extent.PATH || !call.state().piped)));
        }

        /// The target gets each source's name, if it is a folder.
        private void settleTarget(@Nullable Shape folder) throws ShellSyntaxException {
            if (folder == null && operands.contains(Role.TARGET) && found.size() == 1) {
                call.touch(found.getFirst().name(), Role.TARGET, extent);
            }
            if (folder == null) {
                return;
            }
            // With -T it is never a folder that gets names, but what is in the source goes there.
            boolean merged =
                    operands.contains(Role.TARGET)
                            && call.hasShortened("-T", "--no-target-directory");
            call.touch(folder, Role.TARGET, merged ? extent : Extent.PATH);
            for (Shape source : found) {
                call.run().log().copied(source, folder);
                call.run().log().moved(source, folder, call.state().folders());
                call.run()
                        .log()
                        .moved(
                                source,
                                folder.plus("/").plus(source.name()),
                                call.state().folders());
                call.touch(folder.plus("/").plus(source.name()), Role.TARGET, extent);
            }
            SymbolicLinks.note(call, found, folder);
        }

        /// `@FILE`, `name=@FILE;type=…`, `name=<FILE`, and several of them with commas.
        private void atFile(Shape word) throws ShellSyntaxException {
            if (word.startsWithGap()) {
                call.touch(word, Role.READ, Extent.PATH);
            }
            for (int i = 0; i < word.length(); i++) {
                if (word.at(i) != '@' && word.at(i) != '<') {
                    continue;
                }
                call.touch(word.from(i + 1), Role.READ, Extent.PATH);
                for (Shape list : word.from(i + 1).split(';')) {
                    for (Shape name : list.split(',')) {
                        call.guess(name.replace("\"", Shape.EMPTY), READ, Extent.PATH);
                    }
                }
            }
        }

        private void touch(Role role, Shape word, Extent within) throws ShellSyntaxException {
            switch (role) {
                case DATA, NUMBER -> {}
                case OPAQUE -> call.doubt("runs commands in a way that is not followed");
                case AT_FILE -> atFile(word);
                case URL -> {
                    FileAddress.note(word, call);
                }
                case GOAL -> BuildWords.note(call, word);
                case LIST -> {
                    call.touch(word, Role.READ, Extent.PATH);
                    call.doubt("takes the names of files from a list", role.access());
                }
                case SCRIPT -> call.script(word, List.of());
                default -> {
                    if (lists && within.isOfNames()) {
                        Finder.list(call, word, depth, within, searched.leftOut());
                        return;
                    }
                    if (role == Role.WRITE && !WrittenTexts.isPlain(call.program())) {
                        call.run().log().wroteUnclearly(word);
                    }
                    List<Shape> only = searched.patterns();
                    boolean limited = within != Extent.PATH && !only.isEmpty();
                    LeftOut without = searched.leftOut();
                    call.touch(word, role, limited ? Extent.PATH : within, without);
                    for (Shape name : limited ? only : List.<Shape>of()) {
                        call.touch(word.plus("/").plus(name), role, Extent.TREE, without);
                        // A hidden folder is entered only if a pattern names it.
                        Shape below = within == Extent.VISIBLE_TREE ? BELOW_VISIBLE : BELOW;
                        call.touch(word.plus(below).plus(name), role, Extent.TREE, without);
                    }
                }
            }
        }
    }
}
