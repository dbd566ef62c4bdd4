package dev.pheromone.session.seat;

import java.util.Locale;

/// What happens in a session when its program calls a hook.
public enum Moment {
    /// A session begins, or goes on after a pause.
    START,
    /// A person, or whoever speaks for one, has asked for something.
    PROMPT,
    /// A tool is about to be used.
    TOOL_AHEAD,
    /// A tool was used.
    TOOL,
    /// The turn is over unless it is held.
    STOP,
    /// A turn of a subagent is over.
    SUBAGENT_STOP,
    /// A folder that the session watches has changed.
    CHANGE,
    /// The session is over.
    END;

    /// Whether mail that was rung before and not seen is rung again.
    boolean repeats() {
        return this == START || this == PROMPT;
    }

    /// Whether it tells of a turn's course, so that a hook at work on the same seat is waited for.
    boolean isTurning() {
        return this == START || this == PROMPT || this == STOP || this == END;
    }

    /// The name in files and events.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
