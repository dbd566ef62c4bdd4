package dev.pheromone.hooks;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/// Decides whether an agent's tool call may go on, under the locks in force.
///
/// Free is only what is known to touch nothing that is locked, in the hives of the session and in
/// every hive that a touched path lies in. While a lock exists, everything that can't be told is
/// blocked: a call that can't be read, a command that can't be followed, and any failure in here.
/// Without a lock, too, if it speaks of a hive's own files.
public final class ToolCallCheck {
    /// The longest tool call that is read; a file written by a tool is inside it.
    public static final int INPUT_BYTES_MAX = 16 * 1024 * 1024;

    private final Harness harness;
    private final Locks locks;
    private final Map<String, String> environment;

    /// A check for tools that run with this environment. A variable that is not in it is taken for
    /// unknown, not for empty.
    public ToolCallCheck(Harness harness, Locks locks, Map<String, String> environment) {
        this.harness = harness;
        this.locks = locks;
        this.environment = Map.copyOf(environment);
    }

    /// The decision on a call that the harness describes in `json`, for `event`. A relative path in
    /// it counts from the `cwd` that it names, or from `folder`.
    public Decision decide(String event, byte[] json, Path folder) {
        try {
            return decided(event, json, folder);
        } catch (MalformedToolCallException e) {
            return undecided(json, String.valueOf(e.getMessage()));
        } catch (RuntimeException | StackOverflowError e) {
            return undecided(json, "the tool call could not be checked: " + e);
        }
    }

    private Decision undecided(byte[] json, String problem) {
        try {
            return new Judge(locks)
                    .undecided(problem, new String(json, StandardCharsets.ISO_8859_1));
        } catch (RuntimeException e) {
            return Decision.Blocked.uncertain("the locks could not be read: " + e);
        }
    }

    private Decision decided(String event, byte[] json, Path folder)
            throws MalformedToolCallException {
        if (json.length > INPUT_BYTES_MAX) {
            throw new MalformedToolCallException(
                    "the tool call has more than " + INPUT_BYTES_MAX + " bytes");
        }
        ToolCall call;
        try {
            call = ToolCall.parse(json, event, folder.toAbsolutePath());
        } catch (MalformedToolCallException e) {
            if (harness.isOther(event)) {
                return Decision.FREE;
            }
            throw e;
        }
        if (isOther(event, call)) {
            return Decision.FREE;
        }
        Touches found = ToolTouches.of(call, environment);
        Locks having;
        try {
            having = locks.over(Places.of(found, locks));
        } catch (RuntimeException e) {
            return Decision.Blocked.uncertain("the locks could not be read: " + e);
        }
        return new Judge(having).decide(found);
    }

    /// Whether no tool is about to be used: the argument and the call agree on such an event, or
    /// the call has no tool and one of the two names another event. Where they disagree about a
    /// tool, or a name is unknown, it is a tool call.
    private boolean isOther(String event, ToolCall call) {
        boolean agree = event.equalsIgnoreCase(call.event());
        boolean other = harness.isOther(call.event());
        if (call.hasTool()) {
            return agree && other;
        }
        return other || !event.equalsIgnoreCase(harness.event());
    }
}
