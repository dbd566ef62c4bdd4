package dev.pheromone.hooks;

import java.util.Set;
import java.util.regex.Pattern;

/// Variables that a shell sets by itself: what our own environment says of them counts for nothing.
final class ShellNames {
    /// The last word of the command before.
    static final String LAST_WORD = "_";

    /// Functions that a shell calls by itself.
    static final Set<String> CALLED_BY_THE_SHELL =
            Set.of("command_not_found_handle", "command_not_found_handler");

    /// Whatever is done to them, they hold a number.
    static final Set<String> NUMBERS =
            Set.of(
                    "RANDOM",
                    "SRANDOM",
                    "SECONDS",
                    "LINENO",
                    "BASHPID",
                    "PPID",
                    "UID",
                    "EUID",
                    "SHLVL",
                    "EPOCHSECONDS",
                    "EPOCHREALTIME",
                    "COLUMNS",
                    "LINES",
                    "OPTIND",
                    "HISTCMD");

    /// They change without an assignment, or follow from the folder, or make every word uncertain.
    private static final Pattern SET_BY_THE_SHELL =
            Pattern.compile(
                    "_|PWD|OLDPWD|IFS|BASH|BASH_\\w+|BASHOPTS|SHELLOPTS|PIPESTATUS|FUNCNAME|DIRSTACK"
                        + "|GROUPS|REPLY|OPTARG|OPTERR|MAPFILE|COPROC\\w*|COMP_\\w+|COMPREPLY|HOSTNAME"
                        + "|HOSTTYPE|MACHTYPE|OSTYPE|READLINE_\\w+|ZSH_\\w+|argv|path|cdpath|status"
                        + "|pipestatus|reply|match|dirstack");

    /// An assignment says nothing of what they hold afterwards.
    private static final Pattern CHANGING =
            Pattern.compile("_|BASH_\\w+|PIPESTATUS|FUNCNAME|DIRSTACK|GROUPS|COMP_\\w+");

    private ShellNames() {}

    /// Whether a new shell does not take the variable from its environment.
    static boolean areSetByTheShell(String name) {
        return NUMBERS.contains(name) || SET_BY_THE_SHELL.matcher(name).matches();
    }

    /// Whether the shell changes the variable whatever it was set to.
    static boolean changes(String name) {
        return NUMBERS.contains(name) || CHANGING.matcher(name).matches();
    }
}
