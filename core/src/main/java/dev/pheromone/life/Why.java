package dev.pheromone.life;

import dev.pheromone.State;

import org.jspecify.annotations.Nullable;

import java.util.Locale;

/// Why a copy ended, or was not taken in, or a claim was not obeyed: a closed list, each with the
/// one text that people read.
public enum Why {
    /// The work is done; the text is what its worker said.
    DONE(State.DONE, "%s"),
    /// The last attempt failed. Its number, how many there are, and what was said.
    ATTEMPTS(State.DEAD, "attempt %s of %s failed%s"),
    /// Its time was over. For how long it lived.
    EXPIRED(State.EXPIRED, "ttl %s is over"),

    /// It is no mail, or can't be read. What is wrong.
    UNREADABLE(State.DEAD, "%s"),
    /// It has another id than the one it was taken by. The two.
    WRONG_ID(State.DEAD, "id: found %s, expected %s"),
    /// Its hash is not the body's.
    WRONG_HASH(State.DEAD, "hash: it doesn't match the body"),
    /// It is in an inbox that none of its addresses means. The inbox's address.
    MISADDRESSED(State.DEAD, "misaddressed: nobody in \"to\" is %s"),
    /// It is dated too far ahead. Its date.
    DATED_AHEAD(State.DEAD, "ts: found %s, more than a day ahead"),
    /// Its signature does not hold, or is missing. What is wrong.
    BAD_SIGNATURE(State.DEAD, "signature: %s"),

    /// Another copy of the same mail waits.
    SAME_WAITS(State.DUPLICATE, "it was sent again while it was away"),
    /// Another copy of the same mail is claimed.
    SAME_AT_WORK(State.DUPLICATE, "it is being worked on already"),
    /// Another copy of the same mail was finished.
    SAME_FINISHED(State.DUPLICATE, "it was finished before"),
    /// Other mail with this id waits.
    OTHER_WAITS(State.CONFLICT, "another of this id was sent while it was away"),
    /// Other mail with this id is claimed.
    OTHER_AT_WORK(State.CONFLICT, "another of this id is being worked on"),
    /// Other mail with this id was finished.
    OTHER_FINISHED(State.CONFLICT, "another of this id was finished before"),

    /// A sender's id belongs to other mail, which waits or is claimed. The id.
    ID_TAKEN(State.CONFLICT, "something else with id %s is there"),
    /// A sender's id belongs to other mail, which was finished. The id.
    ID_FINISHED(State.CONFLICT, "an envelope with id %s and other content was finished"),
    /// A claim was shown that has ended, or never was. Its name.
    NOT_IN_FORCE(null, "claim %s is not in force any more");

    private final @Nullable State state;
    private final String text;

    Why(@Nullable State state, String text) {
        this.state = state;
        this.text = text;
    }

    /// The reason of that name; fails on any other text.
    public static Why parse(String name) {
        for (Why why : values()) {
            if (why.toString().equals(name)) {
                return why;
            }
        }
        throw new IllegalArgumentException(
                "why: found \"" + name + "\", expected a reason such as attempts or expired");
    }

    /// What people read. The details stand in the text in this order.
    public String text(Object... details) {
        return text.formatted(details);
    }

    /// The state in which a copy ends for this reason; fails for one that ends none.
    public State state() {
        if (state == null) {
            throw new IllegalStateException(this + " ends no copy");
        }
        return state;
    }

    /// Whether the content of a copy that ends so was accepted and its work is over, so that no
    /// other copy of this id may begin. Mail that was refused, or whose time was over, leaves its
    /// id free.
    public boolean isForGood() {
        return this == DONE || this == ATTEMPTS;
    }

    /// The name in records and vectors: `dated-ahead`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
