package dev.pheromone.hooks;

import java.util.List;
import java.util.Map;
import java.util.Set;

/// The programs that we know, and who follows each of them.
final class Programs {
    private static final Set<String> SYSTEM_FOLDERS =
            Set.of("/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/sbin", "/usr/sbin");

    private static final Set<String> EDITORS =
            Set.of("vi", "vim", "nvim", "view", "ex", "ed", "emacs", "nano");

    private interface Follower {
        void follow(Invocation call) throws ShellSyntaxException;
    }

    private static final Map<String, Follower> FOLLOWERS =
            Map.ofEntries(
                    Map.entry("git", GitCommand::follow),
                    Map.entry("gh", Forge::follow),
                    Map.entry("glab", Forge::follow),
                    Map.entry("hub", Forge::follow),
                    Map.entry("curl", WebPrograms::curl),
                    Map.entry("wget", WebPrograms::wget),
                    Map.entry("hg", OtherRepositories::follow),
                    Map.entry("sl", OtherRepositories::follow),
                    Map.entry("svn", OtherRepositories::follow),
                    Map.entry("jj", OtherRepositories::follow),
                    Map.entry("bzr", OtherRepositories::follow),
                    Map.entry("fossil", OtherRepositories::follow),
                    Map.entry("darcs", OtherRepositories::follow),
                    Map.entry("find", Finder::follow),
                    Map.entry("gfind", Finder::follow),
                    Map.entry("tar", Archives::tar),
                    Map.entry("gtar", Archives::tar),
                    Map.entry("bsdtar", Archives::tar),
                    Map.entry("dd", Archives::dd),
                    Map.entry("patch", Archives::patch),
                    Map.entry("unzip", Archives::unzip),
                    Map.entry("apply_patch", AgentPatch::follow),
                    Map.entry("applypatch", AgentPatch::follow),
                    Map.entry("sed", TextPrograms::sed),
                    Map.entry("gsed", TextPrograms::sed),
                    Map.entry("awk", TextPrograms::awk),
                    Map.entry("gawk", TextPrograms::awk),
                    Map.entry("mawk", TextPrograms::awk),
                    Map.entry("nawk", TextPrograms::awk),
                    Map.entry("original-awk", TextPrograms::awk),
                    Map.entry("xargs", Launchers::xargs));

    private Programs() {}

    /// Follows the program that `call` names.
    static void run(Invocation call) throws ShellSyntaxException {
        String name = known(call.program());
        if (OwnWords.isNamed(Shape.of(call.program()))) {
            OwnCommand.follow(call);
        }
        if (name.isEmpty()) {
            call.touch(Shape.of(call.program()), Role.READ, Extent.PATH);
            LastNet.note(call, Shape.of(call.program()));
            LastNet.note(call, call.run().log().written(Shape.of(call.program())));
            UnknownProgram.follow(call);
            String base = call.program().substring(call.program().lastIndexOf('/') + 1);
            if (Interpreters.isFollowed(base)) {
                // Such as `.venv/bin/python`: most likely what it is called.
                Interpreters.run(call.withArguments(base, call.arguments()));
            }
            return;
        }
        Invocation named = call.withArguments(name, call.arguments());
        if (Builtins.run(named) || Launchers.run(named) || Interpreters.run(named)) {
            return;
        }
        Follower follower = FOLLOWERS.get(name);
        // Without a pattern it lists names, as another program does.
        boolean lists = name.equals("rg") && named.has("--files");
        ProgramRule rule = ProgramTable.find(lists ? "tree" : name);
        if (name.equals("zip") && named.has("-@")) {
            named.doubt("reads the names of files");
        }
        if (EDITORS.contains(name) && hasEditorCommand(named)) {
            named.doubt("an editor's commands are not followed");
        }
        LinkFollowing.note(named);
        if (follower != null) {
            follower.follow(named);
        } else if (rule != null) {
            rule.follow(named);
        } else {
            UnknownProgram.follow(named);
        }
    }

    private static boolean hasEditorCommand(Invocation call) {
        return call.text() != null
                || call.state().piped
                || call.arguments().stream().anyMatch(word -> word.startsWith("+"));
    }

    /// The name by which the program is known, or nothing if it is one in some other folder: that
    /// may be anything.
    static String known(String program) {
        int slash = program.lastIndexOf('/');
        if (slash < 0) {
            return program;
        }
        return SYSTEM_FOLDERS.contains(program.substring(0, slash))
                ? program.substring(slash + 1)
                : "";
    }

    /// Whether a word is the name of something that runs other commands.
    static boolean runsCommands(Shape word) {
        if (!word.isPlain()) {
            return false;
        }
        String name = known(word.toString());
        return Interpreters.isOne(name)
                || Launchers.isOne(name)
                || List.of("eval", "find").contains(name);
    }
}
