package dev.pheromone.address;

import dev.pheromone.text.HeaderChars;

import java.util.List;
import java.util.Locale;

/// A kind of work, after which envelopes and events are sorted.
///
/// Seven are known; the set is open, because other hives write others: an unknown lane is kept as
/// it was written.
public record Lane(String name) {

    public static final Lane GOVERNANCE = new Lane("Governance");
    public static final Lane PROCESS = new Lane("Process");
    public static final Lane CODE = new Lane("Code");
    public static final Lane OPS = new Lane("Ops");
    public static final Lane BUGS = new Lane("Bugs");
    public static final Lane DOCS = new Lane("Docs");
    public static final Lane UI = new Lane("UI");

    /// The lanes of the protocol, in its order.
    public static final List<Lane> KNOWN = List.of(GOVERNANCE, PROCESS, CODE, OPS, BUGS, DOCS, UI);

    private static final int LENGTH_MAX = 64;

    public Lane {
        if (HeaderChars.isOnlySpaces(name) || name.codePointCount(0, name.length()) > LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "lane: found \""
                            + name
                            + "\", expected 1 to 64 characters, such as Code or Ops");
        }
    }

    /// The lane named `text`: one of the known ones whatever its case, else a lane of that very
    /// name.
    public static Lane parse(String text) {
        for (Lane lane : KNOWN) {
            if (isSameInAscii(lane.name, text)) {
                return lane;
            }
        }
        return new Lane(text);
    }

    /// The known lane named `text`; fails on any other.
    public static Lane parseKnown(String text) {
        Lane lane = parse(HeaderChars.isOnlySpaces(text) ? "?" : text);
        if (!lane.isKnown()) {
            throw new IllegalArgumentException(
                    "lane: found \"" + text + "\", expected " + knownNames());
        }
        return lane;
    }

    /// Whether both are the same but for ASCII case. Unicode knows more letters that fold together:
    /// `Opſ` is not Ops.
    private static boolean isSameInAscii(String name, String text) {
        return name.equals(text)
                || (name.equalsIgnoreCase(text) && text.chars().allMatch(c -> c < 0x80));
    }

    /// Whether it is one of the seven that every hive knows.
    public boolean isKnown() {
        return KNOWN.contains(this);
    }

    /// The inbox that serves this lane when the configuration names none.
    public String domainName() {
        return name.toLowerCase(Locale.ROOT);
    }

    private static String knownNames() {
        StringBuilder names = new StringBuilder();
        for (Lane lane : KNOWN) {
            names.append(names.isEmpty() ? "" : ", ").append(lane.name);
        }
        return names.toString();
    }

    @Override
    public String toString() {
        return name;
    }
}
