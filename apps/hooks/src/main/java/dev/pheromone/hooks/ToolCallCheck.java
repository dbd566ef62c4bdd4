package dev.pheromone.hooks;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
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

    /// A call that was judged.
    ///
    /// @param written what a call that may go on names for writing, or what the call has written
    ///   that the event comes after, where nobody could be told before
    public record Judged(Decision decision, List<WrittenPath> written) {
        public Judged {
            written = List.copyOf(written);
        }

        static Judged of(Decision decision) {
            return new Judged(decision, List.of());
        }
    }

    /// The decision on a call that the harness describes in `json`, for `event`. A relative path in
    /// it counts from the `cwd` that it names, or from `folder`.
    public Decision decide(String event, byte[] json, Path folder) {
        return judge(event, json, folder).decision();
    }

    /// As [#decide], with what the call writes.
    public Judged judge(String event, byte[] json, Path folder) {
        try {
            return judged(event, json, folder);
        } catch (MalformedToolCallException e) {
            return Judged.of(undecided(json, String.valueOf(e.getMessage())));
        } catch (RuntimeException | StackOverflowError e) {
            return Judged.of(undecided(json, "the tool call could not be checked: " + e));
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

    private Judged judged(String event, byte[] json, Path folder)
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
                return Judged.of(Decision.FREE);
            }
            throw e;
        }
        if (isOther(event, call)) {
            return harness.tellsOnlyAfter(event) && call.hasTool()
                    ? new Judged(Decision.FREE, writtenBefore(call))
                    : Judged.of(Decision.FREE);
        }
        Touches found = ToolTouches.of(call, environment);
        Locks having;
        try {
            having = locks.over(Places.of(found, locks));
        } catch (RuntimeException e) {
            return Judged.of(Decision.Blocked.uncertain("the locks could not be read: " + e));
        }
        Decision decision = new Judge(having).decide(found);
        return decision instanceof Decision.Blocked
                ? Judged.of(decision)
                : new Judged(decision, Writes.of(found, having));
    }

    /// What a call has written; nothing if that can't be told, since there is nothing to decide.
    private List<WrittenPath> writtenBefore(ToolCall call) {
        try {
            return Writes.of(ToolTouches.of(call, environment), locks);
        } catch (RuntimeException | StackOverflowError e) {
            return List.of();
        }
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
