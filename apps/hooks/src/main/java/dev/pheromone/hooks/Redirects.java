package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/// Reads redirections, and the here-documents that follow the line.
final class Redirects {
    private static final Set<Access> OVERWRITE = Set.of(Access.WRITE, Access.ERASE);

    private final Cursor cursor;
    private final WordReader words;
    private final Deque<Pending> pending = new ArrayDeque<>();

    private record Pending(
            ShellTree.HereText text, String end, boolean expanded, boolean stripTabs) {}

    Redirects(Cursor cursor, WordReader words) {
        this.cursor = cursor;
        this.words = words;
    }

    boolean beginsHere() {
        int at = cursor.at;
        String text = cursor.text;
        if (cursor.peek() == '{') {
            int close = text.indexOf('}', at);
            if (close > 0 && WordReader.isName(text.substring(at + 1, close))) {
                at = close + 1;
            }
        }
        while (at < text.length() && Character.isDigit(text.charAt(at))) {
            at++;
        }
        if (at == cursor.at && cursor.looksAt("&>")) {
            return true;
        }
        boolean arrow = at < text.length() && "<>".indexOf(text.charAt(at)) >= 0;
        boolean process = arrow && at == cursor.at && text.startsWith("(", at + 1);
        return arrow && !process;
    }

    List<ShellTree.Redirect> readAll() throws ShellSyntaxException {
        var all = new ArrayList<ShellTree.Redirect>();
        cursor.skipBlanks();
        while (beginsHere()) {
            all.add(read());
            cursor.skipBlanks();
        }
        return List.copyOf(all);
    }

    ShellTree.Redirect read() throws ShellSyntaxException {
        while ("<>&".indexOf(cursor.peek()) < 0) {
            cursor.at++;
        }
        if (cursor.take("<<<")) {
            var text = new ShellTree.HereText();
            cursor.skipBlanks();
            text.body = words.read();
            return new ShellTree.Text(text);
        }
        if (cursor.take("<<")) {
            return hereDocument(cursor.take("-"));
        }
        if (cursor.looksAt("<&")) {
            int start = cursor.at + 2;
            cursor.at = start;
            boolean number = !cursor.atEnd() && Character.isDigit(cursor.peek());
            if (number) {
                while (!cursor.atEnd() && Character.isDigit(cursor.peek())) {
                    cursor.at++;
                }
                String open = "/dev/fd/" + cursor.text.substring(start, cursor.at);
                // `<&3-` also closes it.
                cursor.take("-");
                return new ShellTree.ToFile(Set.of(Access.READ), Word.quoted(open));
            }
            cursor.at = start - 2;
        }
        if (cursor.take("<&") || cursor.take(">&")) {
            // A number or a dash is an open file, not one by name.
            boolean open = Character.isDigit(cursor.peek()) || cursor.peek() == '-';
            return target(open ? Set.of() : OVERWRITE);
        }
        Set<Access> access;
        if (cursor.take("&>>") || cursor.take(">>")) {
            access = Set.of(Access.WRITE);
        } else if (cursor.take("<>")) {
            access = Set.of(Access.READ, Access.WRITE);
        } else if (cursor.take("<")) {
            access = Set.of(Access.READ);
        } else if (cursor.take("&>") || cursor.take(">|") || cursor.take(">")) {
            access = OVERWRITE;
        } else {
            throw new ShellSyntaxException("a redirection is strange");
        }
        return target(access);
    }

    private ShellTree.Redirect target(Set<Access> access) throws ShellSyntaxException {
        cursor.skipBlanks();
        return new ShellTree.ToFile(access, words.read());
    }

    private ShellTree.Redirect hereDocument(boolean stripTabs) throws ShellSyntaxException {
        cursor.skipBlanks();
        Word end = words.read();
        var name = new StringBuilder();
        boolean expanded = true;
        for (Word.Part part : end.parts()) {
            switch (part) {
                case Word.Bare(String text) -> name.append(text);
                case Word.Quoted(String text) -> {
                    name.append(text);
                    expanded = false;
                }
                default -> throw new ShellSyntaxException("a here-document's end is strange");
            }
        }
        var text = new ShellTree.HereText();
        pending.add(new Pending(text, name.toString(), expanded, stripTabs));
        return new ShellTree.Text(text);
    }

    /// Reads the bodies that are due, after the end of their line.
    void readHereTexts() throws ShellSyntaxException {
        while (!pending.isEmpty()) {
            Pending due = pending.remove();
            var body = new StringBuilder();
            while (true) {
                if (cursor.atEnd()) {
                    // Shells take the end of the text for the end of the document, with a warning.
                    break;
                }
                int lineEnd = cursor.text.indexOf('\n', cursor.at);
                int stop = lineEnd < 0 ? cursor.text.length() : lineEnd;
                String line = cursor.text.substring(cursor.at, stop);
                cursor.at = lineEnd < 0 ? stop : stop + 1;
                String shown = due.stripTabs() ? line.replaceFirst("^\t+", "") : line;
                if (shown.equals(due.end())) {
                    break;
                }
                body.append(shown).append('\n');
            }
            due.text().body =
                    due.expanded()
                            ? WordReader.hereText(cursor.inside(body.toString()))
                            : Word.quoted(body.toString());
        }
    }

    /// Fails if a here-document was announced and never came.
    void finishHereTexts() throws ShellSyntaxException {
        if (!pending.isEmpty() && !cursor.atEnd()) {
            throw new ShellSyntaxException("a here-document begins inside something else");
        }
        readHereTexts();
    }
}
