package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Programs that pack and unpack, where the table of programs does not say enough: they also write
/// or erase files that no word names.
final class Packers {
    private static final Set<String> SUFFIXES =
            Set.of("gz", "z", "Z", "bz2", "bz", "xz", "lzma", "zst", "lz4", "lz", "br");

    private static final Set<String> TAR_SUFFIXES =
            Set.of("tgz", "taz", "tbz", "tbz2", "txz", "tzst");

    private Packers() {}

    /// `gzip` and its like: `x.gz` becomes `x`, and the other way round.
    static void compress(Invocation call) throws ShellSyntaxException {
        ProgramRule.of("gzip").follow(call);
        for (Shape file : operands(call)) {
            int dot = file.toString().lastIndexOf('.');
            String suffix = file.toString().substring(dot + 1);
            Shape bare = dot < 0 || !file.isPlain() ? withoutSuffix(file) : file.part(0, dot);
            if (SUFFIXES.contains(suffix)) {
                call.touch(bare, Role.WRITE, Extent.PATH);
                call.run().log().wroteUnclearly(bare);
            } else if (TAR_SUFFIXES.contains(suffix)) {
                call.touch(bare.plus(".tar"), Role.WRITE, Extent.PATH);
            }
            for (String added : SUFFIXES) {
                call.guess(file.plus("." + added), Role.WRITE.access(), Extent.PATH);
            }
        }
    }

    private static Shape withoutSuffix(Shape file) {
        for (int i = file.length() - 1; i > 0; i--) {
            if (file.at(i) == '.') {
                return file.part(0, i);
            }
        }
        return file;
    }

    static void zip(Invocation call) throws ShellSyntaxException {
        ProgramRule.of("zip").follow(call);
        if (call.hasShortened("-m", "--move")) {
            for (Shape file : operands(call)) {
                call.touch(file, Role.ERASE, Extent.TREE);
            }
        }
    }

    /// `split` and `csplit`: the last word, or the value of an option, is how names begin.
    static void split(Invocation call) throws ShellSyntaxException {
        ProgramRule rule = ProgramRule.of(call.program());
        rule.follow(call);
        List<Shape> operands = rule.operands(call);
        var prefixes = new ArrayList<Shape>();
        if (call.program().equals("split") && operands.size() > 1) {
            prefixes.add(operands.getLast());
        }
        for (int i = 0; i < call.arguments().size(); i++) {
            Shape word = call.arguments().get(i);
            int glued = word.startsWith("--pre") ? word.indexOf('=', 0) + 1 : 2;
            if (word.is("-f") || (word.startsWith("--pre") && glued == 0)) {
                prefixes.addAll(call.from(i + 1).stream().limit(1).toList());
            } else if (word.startsWith("-f") || word.startsWith("--pre")) {
                prefixes.add(word.from(glued));
            }
        }
        for (Shape prefix : prefixes) {
            call.touch(prefix.plus(Shape.ANY_NAME), Role.WRITE, Extent.PATH);
        }
    }

    static void rsync(Invocation call) throws ShellSyntaxException {
        ProgramRule.of("rsync").follow(call);
        List<Shape> operands = operands(call);
        if (operands.isEmpty()) {
            return;
        }
        if (call.hasShortened("--remove-source-files", "--remove-sent-files")) {
            for (Shape source : operands.subList(0, operands.size() - 1)) {
                call.touch(source, Role.ERASE, Extent.TREE);
            }
        }
        if (call.hasShortened("--delete", "--delete-before", "--del")) {
            call.guess(operands.getLast(), Role.ERASE.access(), Extent.TREE);
        }
    }

    /// `7z`, `jar`, `ar` and `unrar`: the first word says what they do.
    static void unpack(Invocation call) throws ShellSyntaxException {
        ProgramRule.of("7z").follow(call);
        List<Shape> arguments = call.arguments();
        if (arguments.isEmpty()) {
            return;
        }
        String mode = arguments.getFirst().toString();
        boolean extracts =
                switch (call.program()) {
                    case "jar", "ar" ->
                            mode.matches("-?\\w*x\\w*") || call.hasShortened("--extract");
                    default -> mode.startsWith("x") || mode.startsWith("e");
                };
        if (!extracts && arguments.getFirst().isPlain()) {
            return;
        }
        Shape into = Shape.of(".");
        for (Shape argument : arguments) {
            into = argument.startsWith("-o") && argument.length() > 2 ? argument.from(2) : into;
        }
        call.guess(into, Role.WRITE.access(), Extent.TREE);
    }

    /// Programs that take more words from `@FILE`, and those that check what a list names.
    static void named(Invocation call) throws ShellSyntaxException {
        ProgramRule.of(call.program()).follow(call);
        for (Shape file : operands(call)) {
            if (file.startsWith("@")) {
                call.touch(file.from(1), Role.READ, Extent.PATH);
                call.doubt("takes the names of files from a list", Role.READ.access());
            }
        }
        boolean sums = call.program().endsWith("sum");
        if (sums && call.hasShortened("-c", "--check")) {
            call.doubt("takes the names of files from a list", Role.READ.access());
        }
    }

    private static List<Shape> operands(Invocation call) {
        var operands = new ArrayList<Shape>();
        for (Shape word : call.arguments()) {
            if (!word.startsWith("-")) {
                operands.add(word);
            }
        }
        return operands;
    }
}
