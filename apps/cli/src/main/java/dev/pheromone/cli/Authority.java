package dev.pheromone.cli;

import dev.pheromone.IsoTime;
import dev.pheromone.Key;
import dev.pheromone.Signature;
import dev.pheromone.Signer;
import dev.pheromone.TrustList;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.session.AgentSession;
import dev.pheromone.session.OwnKey;
import dev.pheromone.session.OwnKeys;
import dev.pheromone.session.Phrase;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Decides whether a person stands behind a command that is for people alone.
///
/// A program can't tell a person from an agent for sure. What it can do: refuse where an agent's
/// session shows, ask for a person's key where the hive knows one, and else for a word at the
/// terminal or a name to write down.
final class Authority {

    /// Whose word it was, and what it is worth.
    ///
    /// @param signer the key that proves it; null if nothing does
    record Person(String name, String proof, @Nullable Signer signer) {

        static Person unproven(String name) {
            return new Person(name, "unproven", null);
        }

        /// Who it was, and how well that is proven: `confirmed by you, not signed`.
        String told() {
            return "confirmed by "
                    + SafeText.line(name)
                    + (signer == null ? ", not signed" : ", signed with " + proof);
        }
    }

    private final Invocation call;
    private final TrustList trust;

    Authority(Invocation call, OpenHive hive) {
        this(call, hive.trust());
    }

    /// @param trust the keys that count, for who can't open the hive
    Authority(Invocation call, TrustList trust) {
        this.call = call;
        this.trust = trust;
    }

    /// The person who does `what` and has said so already; fails if there is none.
    Person confirmed(String what) throws IOException {
        refuseAgents(what);
        return trust.hasHumanKey(call.now()) ? byKey(what) : Person.unproven(call.actor().name());
    }

    private void refuseAgents(String what) {
        AgentSession session = call.identity().session();
        if (session != null) {
            throw new CliException(
                            ErrorCode.NOT_A_PERSON,
                            what
                                    + " is for people, and this is a session of "
                                    + session.actorName())
                    .hint("ask a person to type it:")
                    .fix(call.line().toString());
        }
    }

    /// The person who does `what`; fails if there is none. `word` is what has to be typed.
    Person ask(String what, String word) throws IOException {
        refuseAgents(what);
        refuseNobody();
        if (trust.hasHumanKey(call.now())) {
            return byKey(what);
        }
        String by = call.args().value("by");
        if (by != null) {
            return Person.unproven(by.strip());
        }
        if (!call.surroundings().terminal().input()) {
            throw new CliException(
                            ErrorCode.NO_TERMINAL,
                            what + " needs a person's word, and there is no terminal to ask at")
                    .hint("say who you are:")
                    .fix(call.line().plus("--by", "NAME").toString());
        }
        call.prompt(what + ": type " + word + " to continue: ");
        BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(call.surroundings().in(), StandardCharsets.UTF_8));
        String typed = in.readLine();
        if (typed == null || !typed.strip().equals(word)) {
            throw new CliException(
                    ErrorCode.NO_TERMINAL,
                    "found another word than \"" + word + "\"; nothing was done");
        }
        return Person.unproven(call.actor().name());
    }

    /// A name is written down for whoever asks later: what names nobody is none.
    private void refuseNobody() {
        String by = call.args().value("by");
        if (by != null
                && (by.isBlank()
                        || by.codePoints()
                                .anyMatch(c ->
                                        Character.isISOControl(c)
                                                || Character.getType(c) == Character.FORMAT
                                                || Character.getType(c) == Character.LINE_SEPARATOR
                                                || Character.getType(c)
                                                        == Character.PARAGRAPH_SEPARATOR))) {
            throw new CliException(
                    ErrorCode.USAGE,
                    "option --by: found "
                            + (by.isBlank() ? "no name" : "a character that can't be seen")
                            + ", expected who you are, in one line");
        }
    }

    private Person byKey(String what) throws IOException {
        for (OwnKey own : new OwnKeys(call).all()) {
            Key trusted = trust.find(own.signer().kid()).orElse(null);
            if (trusted != null
                    && trusted.human()
                    && trusted.isLive(call.now())
                    && trusted.belongsTo(own.actor())
                    && signs(own.signer(), trusted, what)) {
                return new Person(own.actor().name(), "key " + own.signer().kid(), own.signer());
            }
        }
        throw noKey(what);
    }

    private CliException noKey(String what) {
        List<String> expired = new ArrayList<>();
        for (Key key : trust.keys()) {
            if (key.human() && !key.isRevoked(call.now())) {
                if (key.isLive(call.now())) {
                    return new CliException(
                                    ErrorCode.NOT_A_PERSON,
                                    what
                                            + " needs a person's key, and this machine has none"
                                            + " that the hive trusts")
                            .hint("the keys:")
                            .fix("rsm keys list");
                }
                expired.add(key.kid().name());
            }
        }
        return new CliException(
                        ErrorCode.NOT_A_PERSON,
                        what
                                + " needs a person's key, and those of the hive have expired: "
                                + Phrase.and(expired))
                .hint(
                        "if you are a person: give one of them a later end in .deia/trust.yaml by"
                                + " hand; then have the log know of it:")
                .fix("rsm keys confirm");
    }

    /// Whether `own` is the private half of `trusted`, and not only called so: anybody can make a
    /// key of any name.
    private boolean signs(Signer own, Key trusted, String what) {
        byte[] said = (what + "\n" + IsoTime.format(call.now())).getBytes(StandardCharsets.UTF_8);
        return trusted.verifies(
                Signature.Purpose.AUTHORITY, said, own.sign(Signature.Purpose.AUTHORITY, said));
    }
}
