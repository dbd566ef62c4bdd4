package dev.pheromone.hooks;

import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Tool calls that Claude Code refused by itself, because of a deny rule that setup wrote: no hook
/// was asked, so that nobody has said why, and the log does not know. It tells of them afterwards,
/// in its event `PostToolBatch`.
public final class RefusedCalls {
    private static final String BY_RULE = "denied by your permission settings";

    private RefusedCalls() {}

    /// Each as the program would have asked before it: what [ToolCallCheck] decides on.
    public static List<byte[]> of(byte[] json) {
        List<byte[]> calls = new ArrayList<>();
        try {
            if (!(Json.parse(json) instanceof Json.Obj batch)
                    || !(batch.get("tool_calls").orElse(Json.Null.NULL)
                            instanceof Json.Arr(List<Json> made))) {
                return calls;
            }
            for (Json one : made) {
                if (one instanceof Json.Obj call
                        && call.get("tool_response").orElse(Json.Null.NULL)
                                instanceof Json.Str(String answer)
                        && answer.contains(BY_RULE)) {
                    calls.add(asked(batch, call));
                }
            }
        } catch (MalformedJsonException e) {
            // Who can't be understood has nothing to tell.
        }
        return calls;
    }

    private static byte[] asked(Json.Obj batch, Json.Obj call) {
        Json.Obj asked = Json.obj().put("hook_event_name", Harness.CLAUDE.event());
        for (String name : List.of("session_id", "cwd")) {
            asked = with(asked, name, batch);
        }
        for (String name : List.of("tool_name", "tool_input")) {
            asked = with(asked, name, call);
        }
        return asked.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static Json.Obj with(Json.Obj asked, String name, Json.Obj from) {
        return from.get(name).map(value -> asked.put(name, value)).orElse(asked);
    }
}
