package dev.pheromone.server;

import dev.pheromone.server.BoardLine.Gives;

import java.util.LinkedHashMap;
import java.util.Map;

/// All that the board shows and does.
final class BoardTable {

    private static final Map<String, BoardLine> LOOKS =
            byName(
                    line("status").with("--all").answersWith("withheld"),
                    line("inbox").operand("address").opt("from", "lane", "priority", "limit"),
                    line("letter", "read").with("--peek").operand("id").require("id"),
                    line("trace").operand("id").require("id"),
                    line("archive").opt("state", "since", "limit"),
                    line("search").operand("text").opts("in").opt("limit").require("text"),
                    line("questions", "ask").with("--list"),
                    line("agents"),
                    line("locks", "lock"),
                    line("reservations", "reserve").with("--list"),
                    line("embargo"),
                    line("check")
                            .operand("path")
                            .flag("access", "read", "write", "erase")
                            .require("path")
                            .answersWith("withheld"),
                    line("slo").opt("since").answersWith("slo_missed"),
                    line("chart", "slo")
                            .optFor("of", "chart")
                            .opt("since")
                            .require("of")
                            .gives(Gives.PICTURE),
                    line("signals", "sense").opt("lane", "topic", "priority", "ref"),
                    line("muted", "mute"),
                    line("keys").word("list"),
                    line("log")
                            .opts("type")
                            .opt("actor", "lane", "ref", "since", "until", "after", "tail", "limit")
                            .gives(Gives.LINES));

    private static final Map<String, BoardLine> DEEDS =
            byName(
                    line("send")
                            .opts("to")
                            .opt("topic", "priority", "lane", "ttl", "consent", "id")
                            .operand("text")
                            .require("to", "text"),
                    line("reply")
                            .id()
                            .text("choice", "text")
                            .flag("as", "comment")
                            .opt("priority")
                            .optFor("mail", "id")
                            .flag("comment"),
                    line("done", "ack").id().word("done").operand("note"),
                    line("retry").id(),
                    line("wake").operand("actor").require("actor"),
                    line("lock")
                            .operand("kind")
                            .operand("pattern")
                            .opt("reason", "expires")
                            .require("kind"),
                    line("mute").operand("actor").opt("for", "reason").require("actor"),
                    line("unmute", "mute").operand("actor").with("--off").require("actor"),
                    line("unlock")
                            .operand("kind")
                            .operand("pattern")
                            .flag("release")
                            .require("kind"),
                    line("release", "embargo").word("release").operands("ids").with("--yes"),
                    line("permit", "override")
                            .operand("target")
                            .opt("content", "reason", "for", "ttl")
                            .require("target", "content", "reason"),
                    line("give-back", "release").operand("claim").operand("note").require("claim"),
                    line("passkey", "keys").word("passkey"));

    private BoardTable() {}

    private static BoardLine line(String name) {
        return new BoardLine(name, name);
    }

    private static BoardLine line(String name, String verb) {
        return new BoardLine(name, verb);
    }

    private static Map<String, BoardLine> byName(BoardLine... lines) {
        Map<String, BoardLine> all = new LinkedHashMap<>();
        for (BoardLine line : lines) {
            all.put(line.name(), line);
        }
        return all;
    }

    static BoardLine look(String name) {
        return named(LOOKS, name, "look");
    }

    static BoardLine deed(String name) {
        return named(DEEDS, name, "deed");
    }

    private static BoardLine named(Map<String, BoardLine> lines, String name, String kind) {
        BoardLine line = lines.get(name);
        if (line == null) {
            throw Problem.of(
                            404,
                            "not_found",
                            "no such " + kind + ", expected " + String.join(", ", lines.keySet()))
                    .thrown();
        }
        return line;
    }
}
