package dev.pheromone.hooks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// The programs that we know, and who follows each of them.
final class Programs {
    private static final Set<String> SYSTEM_FOLDERS =
            Set.of("/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/sbin", "/usr/sbin");

    private static final Set<String> EDITORS =
            Set.of(
                    ("vi vim nvim vimdiff gvim mvim rvim evim view rview gview ex ed emacs nano"
                                    + " pico")
                            .split(" "));

    private static final Set<String> PAGERS = Set.of("less", "more", "most", "zless", "zmore");

    /// `+10`, `+/text`, and the end of the file: where an editor or a pager begins.
    private static final Pattern PLACE =
            Pattern.compile("\\+{1,2}(?:[FG]|\\d+(?:,\\d+)?|/[^\\p{Cntrl}|]*)?");

    private static final Shape CONSOLE = Shape.of("console");

    private interface Follower {
        void follow(Invocation call) throws ShellSyntaxException;
    }

    private static final Map<String, Follower> FOLLOWERS = followers();

    private static Map<String, Follower> followers() {
        var all = new HashMap<String, Follower>();
        put(all, GitCommand::follow, "git");
        put(all, OtherRepositories::follow, "hg sl svn jj bzr fossil darcs");
        put(all, Forge::follow, "gh glab hub");
        put(all, WebPrograms::curl, "curl");
        put(all, WebPrograms::wget, "wget");
        put(all, Finder::follow, "find gfind");
        put(all, Archives::tar, "tar gtar bsdtar");
        put(all, Archives::dd, "dd");
        put(all, Archives::patch, "patch");
        put(all, Archives::unzip, "unzip");
        put(
                all,
                Packers::compress,
                "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress");
        put(all, Packers::zip, "zip");
        put(all, Packers::split, "split csplit");
        put(all, Packers::rsync, "rsync");
        put(all, Packers::unpack, "7z 7za 7zz 7zr ar jar unrar rar unar");
        put(
                all,
                Packers::named,
                "strings nm objdump readelf size md5sum sha1sum sha224sum sha256sum sha384sum"
                        + " sha512sum b2sum cksum shasum");
        put(all, AgentPatch::follow, "apply_patch applypatch");
        put(all, TextPrograms::sed, "sed gsed");
        put(all, TextPrograms::awk, "awk gawk mawk nawk original-awk");
        put(all, TextPrograms::code, "code");
        put(all, TextPrograms::query, "yq xmllint");
        put(all, Xargs::follow, "xargs");
        put(all, Containers::follow, "docker podman nerdctl kubectl helm");
        return Map.copyOf(all);
    }

    private static void put(Map<String, Follower> all, Follower follower, String names) {
        for (String name : names.split(" ", -1)) {
            all.put(name, follower);
        }
    }

    private Programs() {}

    /// Follows the program that `call` names.
    static void run(Invocation call) throws ShellSyntaxException {
        String name = known(call.program());
        String last = call.program().substring(call.program().lastIndexOf('/') + 1);
        if (last.startsWith("git-")) {
            // Its commands are programs of their own, too.
            var words = new ArrayList<>(List.of(Shape.of(last.substring(4))));
            words.addAll(call.arguments());
            GitCommand.follow(call.withArguments("git", words));
        }
        boolean own = OwnWords.isNamed(Shape.of(call.program()));
        if (own) {
            OwnCommand.follow(call);
        }
        if (name.isEmpty()) {
            call.touch(Shape.of(call.program()), Role.READ, Extent.PATH);
            if (!own) {
                LastNet.note(call, Shape.of(call.program()));
            }
            LastNet.noteRun(call, Shape.of(call.program()));
            UnknownProgram.follow(call);
            if (Interpreters.isFollowed(last)) {
                // Such as `.venv/bin/python`: most likely what it is called.
                Interpreters.run(call.withArguments(last, call.arguments()));
            }
            return;
        }
        Invocation named = call.withArguments(name, call.arguments());
        if (Builtins.run(named) || Launchers.run(named) || Interpreters.run(named)) {
            return;
        }
        Follower follower = FOLLOWERS.get(name);
        if (name.equals("cmake") && named.has("-E", "-P")) {
            // It does the work of other programs, or runs a script.
            UnknownProgram.follow(named);
            return;
        }
        if (Set.of("terraform", "tofu").contains(name) && named.arguments().contains(CONSOLE)) {
            named.doubt("runs a text that is not looked into");
        }
        // Without a pattern it lists names.
        boolean lists = name.equals("rg") && named.has("--files");
        ProgramRule rule = ProgramTable.find(lists ? "rg--files" : name);
        boolean copies = Set.of("cpio", "pax").contains(name) && !named.has("-t", "--list");
        if (copies || (name.equals("zip") && named.has("-@"))) {
            named.doubt("reads the names of files");
        }
        noteEditor(named);
        LinkFollowing.note(named);
        if (follower != null) {
            follower.follow(named);
        } else if (rule != null) {
            rule.follow(named);
        } else {
            UnknownProgram.follow(named);
        }
    }

    /// Editors and pagers that are told commands.
    private static void noteEditor(Invocation call) throws ShellSyntaxException {
        boolean editor = EDITORS.contains(call.program());
        if (!editor && !PAGERS.contains(call.program())) {
            return;
        }
        boolean told =
                call.arguments().stream()
                        .anyMatch(word ->
                                word.startsWith("+") && !PLACE.matcher(word.toString()).matches());
        if (told || (editor && (call.text() != null || call.state().piped))) {
            call.doubt("its commands are not followed");
        }
        if (editor) {
            LastNet.noteWritten(call);
        }
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

    /// Whether the name of a program means something here.
    static boolean isKnown(String name) {
        return !name.matches("\\w*")
                || FOLLOWERS.containsKey(name)
                || ProgramTable.find(name) != null
                || Interpreters.isOne(name)
                || Launchers.isOne(name)
                || Builtins.isOne(name);
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
