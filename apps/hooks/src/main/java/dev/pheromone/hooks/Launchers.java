package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Programs whose arguments are another program with its arguments.
final class Launchers {
    /// How to find the other program: options that take a value, and operands before it.
    private record Form(Set<String> valueOptions, int operands) {
        static Form of(int operands, String... valueOptions) {
            return new Form(Set.of(valueOptions), operands);
        }
    }

    private static final Map<String, Form> FORMS =
            Map.ofEntries(
                    Map.entry(
                            "sudo",
                            Form.of(0, "-u", "-g", "-h", "-p", "-C", "-T", "-r", "-t", "-U")),
                    Map.entry("doas", Form.of(0, "-u", "-C")),
                    Map.entry("env", Form.of(0, "-u", "--unset")),
                    Map.entry("nohup", Form.of(0)),
                    Map.entry("nice", Form.of(0, "-n", "--adjustment")),
                    Map.entry("ionice", Form.of(0, "-c", "-n")),
                    Map.entry("time", Form.of(0, "-f", "-o", "--format", "--output")),
                    Map.entry("gtime", Form.of(0, "-f", "-o", "--format", "--output")),
                    Map.entry("taskset", Form.of(1)),
                    Map.entry("chrt", Form.of(1, "-T", "-P", "-D")),
                    Map.entry("numactl", Form.of(0, "-N", "-m", "-C", "-i", "-p")),
                    Map.entry("fakeroot", Form.of(0)),
                    Map.entry("faketime", Form.of(1)),
                    Map.entry("rlwrap", Form.of(0)),
                    Map.entry("timeout", Form.of(1, "-s", "-k", "--signal", "--kill-after")),
                    Map.entry("gtimeout", Form.of(1, "-s", "-k", "--signal", "--kill-after")),
                    Map.entry("stdbuf", Form.of(0, "-i", "-o", "-e")),
                    Map.entry("setsid", Form.of(0)),
                    Map.entry("chronic", Form.of(0)),
                    Map.entry("command", Form.of(0)),
                    Map.entry("builtin", Form.of(0)),
                    Map.entry("exec", Form.of(0, "-a")),
                    Map.entry("unbuffer", Form.of(0)),
                    Map.entry("caffeinate", Form.of(0, "-t", "-w")),
                    Map.entry("noglob", Form.of(0)),
                    Map.entry("nocorrect", Form.of(0)),
                    Map.entry("busybox", Form.of(0)),
                    Map.entry(
                            "strace",
                            Form.of(0, "-e", "-s", "-p", "-u", "-o", "-E", "-P", "--output")),
                    Map.entry("ltrace", Form.of(0, "-e", "-s", "-p", "-u", "-o", "--output")),
                    Map.entry("xvfb-run", Form.of(0, "-s", "-n")));

    /// They run commands in ways that we don't follow.
    private static final Set<String> OPAQUE =
            Set.of(
                    "parallel",
                    "entr",
                    "chroot",
                    "expect",
                    "screen",
                    "tmux",
                    "at",
                    "batch",
                    "nsenter",
                    "unshare",
                    "su",
                    "script",
                    "runuser",
                    "pkexec",
                    "bwrap",
                    "firejail",
                    "gdb",
                    "lldb");

    /// What of these only tells something.
    private static final Set<String> TELLING =
            Set.of(
                    "tmux ls",
                    "tmux list-sessions",
                    "tmux list-windows",
                    "tmux -V",
                    "screen -ls",
                    "screen -list",
                    "screen -v",
                    "at -l",
                    "parallel --version",
                    "gdb --version",
                    "lldb --version");

    private Launchers() {}

    /// Whether it runs commands in a way that we don't follow.
    static boolean isOpaque(String name) {
        return OPAQUE.contains(name);
    }

    static boolean isOne(String name) {
        return FORMS.containsKey(name)
                || OPAQUE.contains(name)
                || Set.of("xargs", "watch", "flock").contains(name);
    }

    /// Follows a launcher; false if the program is none.
    static boolean run(Invocation call) throws ShellSyntaxException {
        String name = call.program();
        if (OPAQUE.contains(name)) {
            boolean tells =
                    call.arguments().size() == 1
                            && TELLING.contains(name + " " + call.arguments().getFirst());
            if (tells) {
                return true;
            }
            call.doubt("runs commands in a way that is not followed");
            return true;
        }
        if (name.equals("watch")) {
            List<Shape> command = afterOptions(call, Form.of(0, "-n", "-d", "-q"));
            call.script(Builtins.joined(command), List.of());
            return true;
        }
        if (name.equals("flock")) {
            flock(call);
            return true;
        }
        Form form = FORMS.get(name);
        if (form == null) {
            return false;
        }
        if (name.equals("command") && call.has("-v", "-V") && call.arguments().size() == 2) {
            return true;
        }
        boolean odd =
                switch (name) {
                    case "env" -> hasFirst(call, "-S", "-C", "--split-string", "--chdir");
                    case "sudo" ->
                            call.has("-i", "-s", "-e", "-D", "-R")
                                    || hasFirst(
                                            call,
                                            "--chdir",
                                            "--chroot",
                                            "--shell",
                                            "--edit",
                                            "--login");
                    default -> false;
                };
        if (odd) {
            call.doubt("has options that are not followed");
            return true;
        }
        if (form.valueOptions().contains("--output")) {
            noteOutput(call);
        }
        List<Shape> words = afterOptions(call, form);
        boolean env = name.equals("env");
        boolean here = Set.of("command", "builtin", "exec", "noglob", "nocorrect").contains(name);
        ShellState inner = here ? call.state() : call.state().copy();
        while (!words.isEmpty()
                && (isAssignment(words.getFirst())
                        || (env && words.getFirst().indexOf('=', 0) > 0))) {
            Shape assignment = words.removeFirst();
            if (!isAssignment(assignment)) {
                call.doubt("sets a variable that may be a function");
                LastNet.note(call, assignment);
                continue;
            }
            int sign = assignment.indexOf('=', 0);
            String variable = assignment.part(0, sign).toString();
            List<Shape> value = List.of(assignment.from(sign + 1));
            Environment.note(variable, value, call.run(), call.state());
            if (!here) {
                inner.set(variable, value);
                inner.export(variable);
            }
        }
        call.run().call(words, inner, call.text());
        return true;
    }

    /// Where it writes what it measures: `-o FILE`, `-oFILE`, `--output=FILE`.
    private static void noteOutput(Invocation call) throws ShellSyntaxException {
        List<Shape> arguments = call.arguments();
        for (int i = 0; i < arguments.size() && arguments.get(i).startsWith("-"); i++) {
            String option = arguments.get(i).toString();
            int sign = option.indexOf('=');
            String name = sign < 0 ? option : option.substring(0, sign);
            boolean output = name.length() > 3 && "--output".startsWith(name);
            if (output && sign > 0) {
                call.touch(arguments.get(i).from(sign + 1), Role.WRITE, Extent.PATH);
            } else if (output || option.matches("-[a-zA-Z]*o")) {
                i++;
                if (i < arguments.size()) {
                    call.touch(arguments.get(i), Role.WRITE, Extent.PATH);
                }
            } else if (option.startsWith("-o")) {
                call.touch(arguments.get(i).from(2), Role.WRITE, Extent.PATH);
            }
        }
    }

    /// Whether one of the options stands before the command that it runs.
    private static boolean hasFirst(Invocation call, String... options) {
        int count = 0;
        while (count < call.arguments().size() && call.arguments().get(count).startsWith("-")) {
            count++;
        }
        return call.withArguments(call.program(), call.arguments().subList(0, count))
                .hasShortened(options);
    }

    private static boolean isAssignment(Shape word) {
        int sign = word.indexOf('=', 0);
        return sign > 0 && WordReader.isName(word.part(0, sign).toString());
    }

    private static void flock(Invocation call) throws ShellSyntaxException {
        List<Shape> words = afterOptions(call, Form.of(0, "-w", "-E"));
        if (!words.isEmpty()) {
            call.touch(words.removeFirst(), Role.APPEND, Extent.PATH);
        }
        if (!words.isEmpty() && words.getFirst().is("-c")) {
            call.script(Builtins.joined(words.subList(1, words.size())), List.of());
        } else {
            call.call(words);
        }
    }

    private static List<Shape> afterOptions(Invocation call, Form form) {
        List<Shape> arguments = call.arguments();
        int i = 0;
        while (i < arguments.size() && arguments.get(i).startsWith("-")) {
            String option = arguments.get(i++).toString();
            if (option.equals("--")) {
                break;
            }
            if (form.valueOptions().contains(option)) {
                i++;
            }
        }
        return new ArrayList<>(
                arguments.subList(
                        Math.min(i + form.operands(), arguments.size()), arguments.size()));
    }
}
