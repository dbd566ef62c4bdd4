package dev.pheromone.hooks;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The text of `apply_patch`: its headings name the files that it adds, changes, deletes and moves.
final class AgentPatch {
    private static final Pattern HEADING =
            Pattern.compile(
                    "(?m)^\\s*\\*\\*\\* (?:(?:Add|Update|Delete) File|Move to):[ \\t]*(.*?)\\s*$");

    private AgentPatch() {}

    /// Follows `apply_patch` typed as a command.
    static void follow(Invocation call) throws ShellSyntaxException {
        Shape text = call.text();
        if (text == null && !call.arguments().isEmpty()) {
            text = call.arguments().getFirst();
        }
        if (text == null || !text.isPlain()) {
            call.doubt("its patch is known only when it runs");
        } else {
            note(text.toString(), call.state().folders(), call.run().log());
        }
    }

    static void note(String patch, List<Shape> folders, TouchLog log) throws ShellSyntaxException {
        Matcher heading = HEADING.matcher(patch);
        boolean any = false;
        while (heading.find()) {
            any = true;
            log.touch(
                    Shape.of(heading.group(1)), folders, Extent.PATH, Role.CHANGE.access(), false);
        }
        if (!any) {
            log.doubt("the patch names no file");
        }
    }
}
