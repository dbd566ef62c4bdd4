package dev.pheromone.mcp.hive;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.FromOrigin;
import dev.pheromone.mcp.Call;
import dev.pheromone.session.caller.AgentSession;
import dev.pheromone.session.caller.Identity;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.Optional;

/// In whose name tools are called: never an argument of theirs, and never a person's.
///
/// Over HTTP it is the actor of the token. Over standard streams it is who this process is:
/// `RSM_ACTOR`, else the agent's session that the environment shows, else a session that is named
/// after the client and the process that started this one.
public final class WhoAsks {

    private static final String OTHER_AGENT = "agent";

    private final Map<String, String> env;
    private final String account;
    private final String parent;

    /// What the client calls itself, once it has said so.
    private String client = "";

    /// Once it is known: a process stays who it is.
    private @Nullable Identity own;

    /// @param env the variables of this process
    /// @param account the name of the user whose process this is
    /// @param parent names the process that started this one, among all that ever ran here
    public WhoAsks(Map<String, String> env, String account, String parent) {
        this.env = Map.copyOf(env);
        this.account = account;
        this.parent = parent;
    }

    /// The client has begun to talk, and calls itself `name`.
    synchronized void greeted(String name) {
        client = name;
    }

    /// In whose name `call` is made.
    synchronized Identity of(Call call) {
        Optional<Actor> shown = call.actor();
        if (shown.isPresent()) {
            // A session, whoever it is: a client over HTTP is no person at a terminal.
            return new Identity(
                    shown.get(),
                    FromOrigin.ENVIRONMENT,
                    new AgentSession(shown.get().name(), null));
        }
        Identity known = own;
        if (known == null) {
            known = Identity.resolve(null, env, account, session(call));
            own = known;
        }
        return known;
    }

    private AgentSession session(Call call) {
        AgentSession shown = AgentSession.detect(env);
        if (shown != null) {
            return shown;
        }
        String name = call.clientName().isEmpty() ? client : call.clientName();
        return new AgentSession(harness(name), parent);
    }

    /// `claude-code` and `codex-mcp-client` are called after their tool.
    private static String harness(String client) {
        String name = Identity.asName(client, OTHER_AGENT);
        int dash = name.indexOf('-');
        return dash < 0 ? name : name.substring(0, dash);
    }
}
