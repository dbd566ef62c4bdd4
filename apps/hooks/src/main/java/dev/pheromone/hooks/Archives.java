package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// `tar`, `unzip`, `dd` and `patch`: what they touch depends on their mode, or on what they read.
final class Archives {
    private static final Pattern CREATING = Pattern.compile("[cruA]");

    private static final List<String> UNFOLLOWED =
            List.of(
                    "--to-command",
                    "--checkpoint-action",
                    "--use-compress-program",
                    "--files-from",
                    "--transform",
                    "--xform",
                    "--rsh-command",
                    "--info-script",
                    "--new-volume-script");

    private Archives() {}

    static void tar(Invocation call) throws ShellSyntaxException {
        List<Shape> arguments = call.arguments();
        if (arguments.isEmpty()) {
            return;
        }
        String first = arguments.getFirst().toString();
        String mode = first.startsWith("-") ? "" : first;
        var operands = new ArrayList<Shape>();
        var folders = new ArrayList<Shape>();
        Shape archive = Shape.EMPTY;
        // The old style: letters first, then their values in order.
        int i = mode.isEmpty() ? 0 : 1;
        if (mode.indexOf('f') >= 0 && i < arguments.size()) {
            archive = arguments.get(i++);
        }
        var letters = new StringBuilder(mode);
        boolean links = false;
        boolean erases = false;
        for (; i < arguments.size(); i++) {
            Shape argument = arguments.get(i);
            String option = argument.toString();
            Shape next = i + 1 < arguments.size() ? arguments.get(i + 1) : Shape.EMPTY;
            if (argument.startsWith("--")) {
                int sign = option.indexOf('=');
                String name = sign < 0 ? option : option.substring(0, sign);
                if (isShortFor(name, UNFOLLOWED) && !name.equals("--file")) {
                    call.doubt("has options that are not followed");
                }
                if (isShortFor(name, List.of("--add-file"))) {
                    operands.add(sign < 0 ? next : argument.from(sign + 1));
                }
                erases |= isShortFor(name, List.of("--remove-files"));
                letters.append(longMode(name));
                links |= option.length() > 3 && "--dereference".startsWith(option);
                boolean file = isShortFor(name, List.of("--file"));
                if (file || isShortFor(name, List.of("--directory"))) {
                    Shape value = sign < 0 ? next : argument.from(sign + 1);
                    archive = file ? value : archive;
                    folders.addAll(file ? List.of() : List.of(value));
                    i += sign < 0 ? 1 : 0;
                }
            } else if (argument.startsWith("-") && argument.length() > 1) {
                letters.append(option);
                int last = option.length() - 1;
                char letter = option.charAt(last);
                if (letter == 'f' || letter == 'C') {
                    i++;
                }
                if (letter == 'f') {
                    archive = next;
                } else if (letter == 'C') {
                    folders.add(next);
                } else if (option.indexOf('f') > 0
                        || option.indexOf('T') > 0
                        || option.indexOf('I') > 0
                        || option.indexOf('X') > 0) {
                    call.doubt("has options that are not followed");
                }
            } else {
                operands.add(argument);
            }
        }
        settle(call, letters.toString(), archive, operands, folders);
        for (Shape operand : erases ? operands : List.<Shape>of()) {
            call.touch(operand, Role.ERASE, Extent.TREE);
            for (Shape folder : folders) {
                call.touch(folder.plus("/").plus(operand), Role.ERASE, Extent.TREE);
            }
        }
        boolean creates = CREATING.matcher(letters).find();
        if (creates && (links || letters.indexOf("h") >= 0 || letters.indexOf("L") >= 0)) {
            LinkFollowing.note(call, Role.READ.access());
        }
    }

    /// Whether the name is one of these, perhaps cut short.
    private static boolean isShortFor(String name, List<String> options) {
        return name.length() > 3 && options.stream().anyMatch(option -> option.startsWith(name));
    }

    private static String longMode(String name) {
        if (isShortFor(
                name, List.of("--create", "--append", "--update", "--delete", "--concatenate"))) {
            return "c";
        }
        if (isShortFor(name, List.of("--extract", "--get"))) {
            return "x";
        }
        return isShortFor(name, List.of("--list")) ? "t" : "";
    }

    private static void settle(
            Invocation call,
            String letters,
            Shape archive,
            List<Shape> operands,
            List<Shape> folders)
            throws ShellSyntaxException {
        boolean extract = letters.indexOf('x') >= 0;
        boolean create = CREATING.matcher(letters).find();
        call.touch(archive, create ? Role.CHANGE : Role.READ, Extent.PATH);
        if (extract) {
            List<Shape> into = folders.isEmpty() ? List.of(Shape.of(".")) : folders;
            for (Shape folder : into) {
                call.guess(folder, Role.WRITE.access(), Extent.TREE);
            }
        } else if (create) {
            for (Shape operand : operands) {
                call.touch(operand, Role.READ, Extent.TREE);
                for (Shape folder : folders) {
                    call.touch(folder.plus("/").plus(operand), Role.READ, Extent.TREE);
                }
            }
        }
    }

    static void unzip(Invocation call) throws ShellSyntaxException {
        boolean looks = call.has("-l", "-t", "-p", "-v", "-Z", "-c");
        Shape into = Shape.of(".");
        for (int i = 0; i < call.arguments().size(); i++) {
            Shape argument = call.arguments().get(i);
            if (argument.is("-d") && i + 1 < call.arguments().size()) {
                into = call.arguments().get(++i);
            } else if (!argument.startsWith("-")) {
                call.touch(argument, Role.READ, Extent.PATH);
            }
        }
        if (!looks) {
            call.guess(into, Role.WRITE.access(), Extent.TREE);
        }
    }

    static void dd(Invocation call) throws ShellSyntaxException {
        for (Shape argument : call.arguments()) {
            if (argument.startsWith("if=")) {
                call.touch(argument.from(3), Role.READ, Extent.PATH);
            } else if (argument.startsWith("of=")) {
                call.touch(argument.from(3), Role.WRITE, Extent.PATH);
                call.run().log().wroteUnclearly(argument.from(3));
            } else if (argument.startsWithGap()) {
                call.touch(argument, Doubt.ANYTHING, Extent.PATH);
            }
        }
    }

    /// A patch names the files itself.
    static void patch(Invocation call) throws ShellSyntaxException {
        for (Shape argument : call.arguments()) {
            if (!argument.startsWith("-")) {
                call.touch(argument, Role.CHANGE, Extent.PATH);
            }
        }
        call.doubt("changes the files that the patch names", Role.WRITE.access());
    }
}
