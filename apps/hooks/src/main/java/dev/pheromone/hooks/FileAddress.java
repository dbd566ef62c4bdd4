package dev.pheromone.hooks;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// An address of the kind `file:`, in all its spellings.
final class FileAddress {

    private static final Pattern ADDRESS =
            Pattern.compile("(?is)\\s*file:(?://[^/]*)?(?<path>/.*)");
    private static final Pattern ESCAPE = Pattern.compile("%([0-9A-Fa-f]{2})");

    private FileAddress() {}

    /// The path in an address, or the text itself if it is none. Each escape is undone: those that
    /// make up one letter together don't matter, for a path with them is no plain one anyway.
    static String path(String text) {
        Matcher address = ADDRESS.matcher(text);
        return address.matches()
                ? ESCAPE.matcher(address.group("path"))
                        .replaceAll(escape ->
                                Matcher.quoteReplacement(
                                        String.valueOf(
                                                (char) Integer.parseInt(escape.group(1), 16))))
                : text;
    }

    /// Notes what is read at the address that `word` is, if it is one of a file.
    static void note(Shape word, Invocation call) throws ShellSyntaxException {
        if (!word.isPlain()) {
            if (word.startsWith("file:") || word.startsWith("FILE:")) {
                call.doubt("an address of a file is known only when it runs");
            }
            return;
        }
        String path = path(word.toString());
        if (!path.equals(word.toString())) {
            // Some programs take braces and brackets in addresses for lists.
            if (path.matches("(?s).*[{}\\[\\]*?].*")) {
                call.doubt("an address of several files");
            }
            call.touch(Shape.of(path), Role.READ, Extent.PATH);
        } else if (path.toLowerCase(Locale.ROOT).startsWith("file:")) {
            call.touch(Shape.of(path.substring("file:".length())), Role.READ, Extent.PATH);
        }
    }
}
