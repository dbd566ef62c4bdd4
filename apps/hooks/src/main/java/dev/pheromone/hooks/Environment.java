package dev.pheromone.hooks;

import java.util.List;
import java.util.regex.Pattern;

/// Variables given to a program: some hold commands that it will run, others paths.
final class Environment {
    private static final Pattern HOLDS_A_COMMAND =
            Pattern.compile(
                    "\\w*PAGER|\\w*EDITOR|VISUAL|BASH_ENV|ENV|PS4|\\w*_COMMAND|\\w*ASKPASS|GIT_EXTERNAL_DIFF"
                        + "|GIT_SSH|LESSOPEN|LESSCLOSE|\\w*_PROXY_CMD|BROWSER|SHELL");
    private static final Pattern CHANGES_EVERYTHING =
            Pattern.compile(
                    "LD_PRELOAD|LD_LIBRARY_PATH|DYLD_\\w+|GIT_(?:CONFIG\\w*|DIR|WORK_TREE|COMMON_DIR|EXEC_PATH"
                        + "|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|TEMPLATE_DIR)|CDPATH"
                        + "|VIMINIT|EXINIT|LESSKEY\\w*"
                        + "|BASHOPTS|SHELLOPTS|PERL5OPT|RUBYOPT|NODE_OPTIONS|PYTHONSTARTUP"
                        + "|TAR_OPTIONS|GREP_OPTIONS|RSYNC_\\w+|RIPGREP_CONFIG_PATH|ZIPOPT|UNZIP|GZIP|XZ_OPT");

    /// Options for a program that has ones for commands, and what these look like.
    private static final Pattern OPTIONS = Pattern.compile("LESS|MORE|G?N?U?MAKEFLAGS");

    private static final Pattern TOLD = Pattern.compile("\\+|lesskey|eval|SHELL");

    private static final Pattern NAMES_A_FILE =
            Pattern.compile("HISTFILE|LESSHISTFILE|\\w*_LOGFILE");

    private Environment() {}

    /// Whether a shell or other programs do something because of its value.
    static boolean isHeeded(String name) {
        return CHANGES_EVERYTHING.matcher(name).matches()
                || HOLDS_A_COMMAND.matcher(name).matches()
                || OPTIONS.matcher(name).matches()
                || NAMES_A_FILE.matcher(name).matches();
    }

    static void note(String name, List<Shape> values, ShellRun run, ShellState state)
            throws ShellSyntaxException {
        for (Shape value : values) {
            boolean told = OPTIONS.matcher(name).matches() && TOLD.matcher(value.toString()).find();
            if (told || CHANGES_EVERYTHING.matcher(name).matches()) {
                run.log().doubt("the variable " + name + " changes what programs do");
            } else if (HOLDS_A_COMMAND.matcher(name).matches()) {
                run.script(value, state.copy());
                LastNet.noteRun(new Invocation(run, state, ".", List.of(), null), value);
            }
            if (!value.hasGap()) {
                run.log().touch(value, state.folders(), Extent.PATH, Doubt.ANYTHING, true);
            }
        }
    }
}
