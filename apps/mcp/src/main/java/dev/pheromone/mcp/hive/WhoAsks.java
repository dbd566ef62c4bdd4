package dev.pheromone.mcp.hive;

import dev.pheromone.address.Actor;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.FromOrigin;
import dev.pheromone.mcp.Call;
import dev.pheromone.session.caller.AgentSession;
import dev.pheromone.session.caller.Identity;
import dev.pheromone.session.seat.Seats;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/// In whose name tools are called: never an argument of theirs, and never a person's.
///
/// Over HTTP it is the actor of the token. Over standard streams it is the session in whose program
/// this process runs, as our hooks have noted it: hooks and tools of one session have one name.
/// Where none is noted, it is who this process is: `RSM_ACTOR`, else the agent's session that the
/// environment shows, else a session that is named after the client and the process that started
/// this one.
public final class WhoAsks {

    private static final String OTHER_AGENT = "agent";

    /// What the client called itself to the process whose place this one takes.
    private static final String CLIENT = "RSM_MCP_CLIENT";

    private final Map<String, String> env;
    private final String account;
    private final String parent;

    /// What the client calls itself, once it has said so.
    private String client;

    private final long pid;

    /// Once it is known: a process stays who it is.
    private @Nullable Identity own;

    /// The session that was noted last, for when a lock keeps us from looking.
    private @Nullable Identity seated;

    /// @param env the variables of this process
    /// @param account the name of the user whose process this is
    /// @param parent names the process that started this one, among all that ever ran here
    /// @param pid the process in whose name tools are called; 0 if it is that of nobody's session
    public WhoAsks(Map<String, String> env, String account, String parent, long pid) {
        this.env = Map.copyOf(env);
        this.account = account;
        this.parent = parent;
        this.pid = pid;
        this.client = env.getOrDefault(CLIENT, "");
    }

    /// What a process that takes the place of this one has to be told, as the variable
    /// `RSM_MCP_CLIENT`.
    public synchronized String memory() {
        return Identity.asName(client, "");
    }

    /// The client has begun to talk, and calls itself `name`.
    synchronized void greeted(String name) {
        client = name;
    }

    /// In whose name `call` is made at the hive at `layout`.
    synchronized Identity of(Call call, HiveLayout layout, InstantSource clock) {
        Optional<Actor> shown = call.actor();
        if (shown.isPresent()) {
            // A session, whoever it is: a client over HTTP is no person at a terminal.
            return new Identity(
                    shown.get(),
                    FromOrigin.ENVIRONMENT,
                    new AgentSession(shown.get().name(), null));
        }
        Identity atSeat = atSeat(layout, clock);
        if (atSeat != null) {
            return atSeat;
        }
        Identity known = own;
        if (known == null) {
            known = Identity.resolve(null, env, account, session(call.clientName()));
            own = known;
        }
        return known;
    }

    /// In whose name a call would be made that shows nothing of its own.
    synchronized Identity withoutCall(HiveLayout layout, InstantSource clock) {
        Identity known = atSeat(layout, clock);
        if (known == null) {
            known = own;
        }
        return known != null ? known : Identity.resolve(null, env, account, session(""));
    }

    /// Looked for at each call: programs begin new sessions, and start us before their hooks.
    private @Nullable Identity atSeat(HiveLayout layout, InstantSource clock) {
        if (pid == 0) {
            return null;
        }
        try {
            seated =
                    Seats.ofNobody(layout, clock)
                            .ofAncestor(pid)
                            .map(seat ->
                                    new Identity(
                                            seat.actor(),
                                            FromOrigin.ENVIRONMENT,
                                            new AgentSession(seat.harness(), seat.session())))
                            .orElse(null);
        } catch (IOException | RuntimeException e) {
            // A lock, or a damaged folder: whoever it was stays who it was.
        }
        return seated;
    }

    private AgentSession session(String shownName) {
        AgentSession shown = AgentSession.detect(env);
        if (shown != null) {
            // Some programs show which they are and not which session: two of them are two actors.
            return shown.id() == null ? new AgentSession(shown.harness(), parent) : shown;
        }
        String name = shownName.isEmpty() ? client : shownName;
        return new AgentSession(harness(name), parent);
    }

    /// `claude-code` and `codex-mcp-client` are called after their tool.
    private static String harness(String client) {
        String name = Identity.asName(client, OTHER_AGENT);
        int dash = name.indexOf('-');
        return dash < 0 ? name : name.substring(0, dash);
    }
}
