package dev.pheromone.cli.frame;

import dev.pheromone.session.hive.Authority;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.passkey.Deed;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/// The word of a person at the terminal, for what is for people alone.
public final class PersonsWord {

    private PersonsWord() {}

    /// The person who does `deed`; fails if there is none. `word` is what has to be typed where no
    /// key proves who it is.
    public static Authority.Person ask(Invocation call, OpenHive hive, Deed deed, String word)
            throws IOException {
        return ask(call, new Authority(call, hive), deed, word);
    }

    /// As [#ask(Invocation, OpenHive, Deed, String)], for who can't open the hive.
    public static Authority.Person ask(Invocation call, Authority authority, Deed deed, String word)
            throws IOException {
        return authority.ask(
                deed, call.args().value("by"), () -> requireTyped(call, deed.what(), word));
    }

    /// As [#ask(Invocation, OpenHive, Deed, String)], where a name that somebody gives is not
    /// enough: without a key the word has to be typed.
    public static Authority.Person askToType(Invocation call, OpenHive hive, Deed deed, String word)
            throws IOException {
        return new Authority(call, hive)
                .ask(
                        deed,
                        null,
                        () -> {
                            if (!call.surroundings().terminal().input()) {
                                throw new CliException(
                                                ErrorCode.NO_TERMINAL,
                                                deed.what()
                                                        + " needs a word that a person types, and"
                                                        + " there is no terminal to ask at")
                                        .hint("at a terminal, without --by:")
                                        .fix(call.line().toString());
                            }
                            requireTyped(call, deed.what(), word);
                        });
    }

    private static void requireTyped(Invocation call, String what, String word) throws IOException {
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
    }
}
