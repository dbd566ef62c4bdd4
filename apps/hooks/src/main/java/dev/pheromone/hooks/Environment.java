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
                    "LD_PRELOAD|LD_LIBRARY_PATH|DYLD_\\w+|GIT_CONFIG\\w*|GIT_DIR|GIT_WORK_TREE|CDPATH"
                        + "|BASHOPTS|SHELLOPTS|PERL5OPT|RUBYOPT|NODE_OPTIONS|PYTHONSTARTUP"
                        + "|TAR_OPTIONS|GREP_OPTIONS|RSYNC_\\w+|RIPGREP_CONFIG_PATH|ZIPOPT|UNZIP|GZIP|XZ_OPT");

    private static final Pattern NAMES_A_FILE =
            Pattern.compile("HISTFILE|LESSHISTFILE|\\w*_LOGFILE");

    private Environment() {}

    /// Whether a shell or other programs do something because of its value.
    static boolean isHeeded(String name) {
        return CHANGES_EVERYTHING.matcher(name).matches()
                || HOLDS_A_COMMAND.matcher(name).matches()
                || NAMES_A_FILE.matcher(name).matches();
    }

    static void note(String name, List<Shape> values, ShellRun run, ShellState state)
            throws ShellSyntaxException {
        for (Shape value : values) {
            if (CHANGES_EVERYTHING.matcher(name).matches()) {
                run.log().doubt("the variable " + name + " changes what programs do");
            } else if (HOLDS_A_COMMAND.matcher(name).matches()) {
                run.script(value, state.copy());
            }
            if (!value.hasGap()) {
                run.log().touch(value, state.folders(), Extent.PATH, Doubt.ANYTHING, true);
            }
        }
    }
}
