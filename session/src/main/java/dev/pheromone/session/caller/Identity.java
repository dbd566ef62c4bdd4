package dev.pheromone.session.caller;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.FromOrigin;
import dev.pheromone.session.caller.ProblemException.Code;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.Map;

/// Who asks, and how we know.
///
/// @param session the agent's session in which it was asked, or null outside of one
public record Identity(Actor actor, FromOrigin origin, @Nullable AgentSession session) {

    private static final String VARIABLE = "RSM_ACTOR";

    private static final int NAME_LENGTH_MAX = 64;

    /// The actor that the request names (`flag`), else by `RSM_ACTOR`, else by the agent's session,
    /// else the user.
    ///
    /// In an agent's session it is never the person's own name: typed, that is refused; in
    /// `RSM_ACTOR` it is what the person's shell passed on, and does not count.
    public static Identity resolve(@Nullable String flag, Map<String, String> env, String account) {
        return resolve(flag, env, account, AgentSession.detect(env));
    }

    /// The same in a session that the agent's tool has told of by itself, whatever the environment
    /// shows: tools call each other, and each passes on what was set before.
    public static Identity resolve(
            @Nullable String flag,
            Map<String, String> env,
            String account,
            @Nullable AgentSession session) {
        String user = asName(account, "user");
        if (flag != null) {
            if (session != null && flag.equalsIgnoreCase(user)) {
                throw new ProblemException(
                                Code.USAGE,
                                "actor \""
                                        + flag
                                        + "\" is a person, and this is a session of "
                                        + session.actorName())
                        .hint("leave out --actor to be " + session.actorName());
            }
            try {
                return new Identity(Actor.parse(flag), FromOrigin.FLAG, session);
            } catch (IllegalArgumentException e) {
                throw new ProblemException(Code.USAGE, String.valueOf(e.getMessage()), e)
                        .in("actor");
            }
        }
        String variable = env.getOrDefault(VARIABLE, "");
        if (!variable.isEmpty() && (session == null || !variable.equalsIgnoreCase(user))) {
            return new Identity(parse(variable), FromOrigin.ENVIRONMENT, session);
        }
        if (session != null) {
            return new Identity(new Actor(session.actorName()), FromOrigin.ENVIRONMENT, session);
        }
        return new Identity(new Actor(user), FromOrigin.DEFAULT, null);
    }

    /// Whether a person acts, in the name of the account `user`: not an agent, as far as can be
    /// told.
    public boolean isPerson(String user) {
        return session == null && asName(user, "user").equals(asName(actor.name(), "actor"));
    }

    /// `text` in lower case, with dashes for all that no name may hold; `otherwise` if nothing is
    /// left of it.
    public static String asName(String text, String otherwise) {
        StringBuilder name = new StringBuilder();
        String lower = text.toLowerCase(Locale.ROOT);
        for (int i = 0; i < lower.length() && name.length() < NAME_LENGTH_MAX; i++) {
            char c = lower.charAt(i);
            boolean alphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
            if (alphanumeric || (c == '_' && !name.isEmpty())) {
                name.append(c);
            } else if (!name.isEmpty() && name.charAt(name.length() - 1) != '-') {
                name.append('-');
            }
        }
        while (!name.isEmpty() && name.charAt(name.length() - 1) == '-') {
            name.setLength(name.length() - 1);
        }
        return name.isEmpty() ? otherwise : name.toString();
    }

    private static Actor parse(String text) {
        try {
            return Actor.parse(text);
        } catch (IllegalArgumentException e) {
            throw new ProblemException(Code.USAGE, VARIABLE + ": " + e.getMessage(), e);
        }
    }
}
