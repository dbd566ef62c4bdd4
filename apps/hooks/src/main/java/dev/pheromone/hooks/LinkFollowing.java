package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

/// Programs that go through a folder and also where links in it lead. Which links there are is
/// known only when they run, so that they could reach everything.
final class LinkFollowing {
    /// A row each: names, options that make the program go through folders (none: it always does),
    /// options that make it follow links (none: it always does), and options that undo that.
    private static final String ROWS =
            """
            grep egrep fgrep zgrep ggrep | | -R -S --dereference-recursive |
            ls dir vdir | -R --recursive | -L --dereference |
            exa eza lsd | | --follow-symlinks -X --dereference |
            tree | | -l |
            du ncdu | | -L --dereference --follow-symlinks |
            rg fd fdfind | | -L --follow |
            ag | | -f --follow |
            ack | | --follow |
            find gfind | | -L -follow |
            diff sdiff colordiff | -r --recursive | | --no-dereference
            cp gcp | -r -R -a -d --recursive --archive | -L --dereference |
            rsync | | -L -k --copy-links --copy-dirlinks --copy-unsafe-links |
            scp | -r | |
            zip | -r -R --recurse-paths --recurse-patterns | | -y --symlinks
            cpio pax | | -L --dereference |
            chmod chown chgrp setfacl | -R --recursive | -L --logical --dereference |
            """;

    private static final Set<String> CHANGING = Set.of("chmod", "chown", "chgrp", "setfacl");

    /// What `find` does with what it finds, other than to name it.
    private static final List<String> ACTIONS =
            List.of("-delete", "-exec", "-execdir", "-ok", "-okdir");

    private LinkFollowing() {}

    static void note(Invocation call) {
        if (follows(call)) {
            boolean acts =
                    call.arguments().stream().anyMatch(word -> ACTIONS.stream().anyMatch(word::is));
            note(
                    call,
                    acts
                            ? Doubt.ANYTHING
                            : Set.of(
                                    CHANGING.contains(call.program())
                                            ? Access.WRITE
                                            : Access.READ));
        }
    }

    /// Notes that the program goes where links lead, and does this there.
    static void note(Invocation call, Set<Access> access) {
        call.doubt("goes through folders and follows links", access);
    }

    private static boolean follows(Invocation call) {
        switch (call.program()) {
            case "7z", "7za" -> {
                return !call.arguments().isEmpty()
                        && (call.arguments().getFirst().is("a")
                                || call.arguments().getFirst().is("u"))
                        && !call.has("-snl");
            }
            case "jar" -> {
                return call.hasShortened("-c", "-u", "--create", "--update")
                        || (!call.arguments().isEmpty()
                                && call.arguments().getFirst().toString().matches("[cu]\\w*"));
            }
            default -> {
                // In the table.
            }
        }
        for (String row : (Iterable<String>) ROWS.lines()::iterator) {
            String[] columns = row.split("\\|", -1);
            if (Arrays.asList(words(columns[0])).contains(call.program())) {
                return (columns[1].isBlank() || call.hasShortened(words(columns[1])))
                        && (columns[2].isBlank() || call.hasShortened(words(columns[2])))
                        && (columns[3].isBlank() || !call.has(words(columns[3])));
            }
        }
        return false;
    }

    private static String[] words(String column) {
        return column.strip().split(" ", -1);
    }
}
