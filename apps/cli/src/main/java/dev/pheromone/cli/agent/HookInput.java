package dev.pheromone.cli.agent;

import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.session.caller.AgentSession;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What an agent program says on standard input when it calls a hook; nothing where that can't be
/// read. Some programs write names in one way, some in the other.
record HookInput(Json.Obj said) {

    private static final List<String> PROJECT_VARIABLES =
            List.of("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR");

    static HookInput parse(byte[] json) {
        try {
            return new HookInput(Json.parse(json) instanceof Json.Obj object ? object : Json.obj());
        } catch (MalformedJsonException | RuntimeException | StackOverflowError e) {
            return new HookInput(Json.obj());
        }
    }

    /// The text of the first of these fields that has one.
    Optional<String> text(String... names) {
        for (String name : names) {
            Optional<String> text = said.optionalText(name).filter(found -> !found.isBlank());
            if (text.isPresent()) {
                return text;
            }
        }
        return Optional.empty();
    }

    boolean isSet(String... names) {
        for (String name : names) {
            if (said.get(name).filter(Json.of(true)::equals).isPresent()) {
                return true;
            }
        }
        return false;
    }

    /// The session of the agent program that asks: as the program itself says, else as the
    /// environment shows. Only agent programs ask, so that there is always one.
    AgentSession session(Invocation call) {
        String harness = String.valueOf(call.args().operand(0));
        Optional<String> id = text("session_id", "sessionId");
        AgentSession shown = AgentSession.detect(call.surroundings().env());
        return id.isEmpty() && shown != null && shown.harness().equals(harness)
                ? shown
                : new AgentSession(harness, id.orElse(null));
    }

    /// Where the agent program says that the project is, and where the tool is to be used: we may
    /// be started elsewhere.
    List<Path> folders(Invocation call) {
        List<String> named = new ArrayList<>();
        for (String variable : PROJECT_VARIABLES) {
            named.add(String.valueOf(call.surroundings().env().getOrDefault(variable, "")));
        }
        named.add(said.optionalText("cwd").orElse(""));
        List<Path> folders = new ArrayList<>();
        for (String name : named) {
            try {
                if (!name.isEmpty()) {
                    folders.add(call.surroundings().cwd().resolve(name));
                }
            } catch (InvalidPathException e) {
                // It is no folder, then.
            }
        }
        return folders;
    }
}
