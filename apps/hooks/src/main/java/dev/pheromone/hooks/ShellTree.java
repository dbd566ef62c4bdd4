package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A shell command taken apart, before anything is expanded.
sealed interface ShellTree {

    record Simple(List<Assignment> assignments, List<Word> words, List<Redirect> redirects)
            implements ShellTree {}

    record Pipeline(List<ShellTree> parts) implements ShellTree {}

    record AndOr(ShellTree first, List<Next> rest) implements ShellTree {}

    /// What follows `&&`, or `||` if `onFailure`.
    record Next(boolean onFailure, ShellTree tree) {}

    record Sequence(List<ShellTree> items) implements ShellTree {}

    /// The one simple command that this is, without assignments or redirections.
    default Optional<List<Word>> onlyWords() {
        return switch (this) {
            case Sequence(List<ShellTree> items) when items.size() == 1 ->
                    items.getFirst().onlyWords();
            case Simple(var assignments, var words, var redirects)
                    when assignments.isEmpty() && redirects.isEmpty() ->
                    Optional.of(words);
            default -> Optional.empty();
        };
    }

    /// Whether this sets variables, and does not fail at it.
    default boolean isCertain() {
        return this instanceof Simple(var assignments, var words, var redirects)
                && (words.isEmpty()
                        || List.of("export", "declare", "local", "readonly", "typeset", "read")
                                .stream()
                                .anyMatch(name -> words.getFirst().isBare(name)));
    }

    /// `( … )`, and what runs in the background: it changes nothing for those after it.
    record Subshell(ShellTree body, List<Redirect> redirects) implements ShellTree {}

    record Group(ShellTree body, List<Redirect> redirects) implements ShellTree {}

    /// Branches of which at most one runs, after `condition` did: `if`, `case`.
    record Choice(
            Word subject, ShellTree condition, List<ShellTree> branches, List<Redirect> redirects)
            implements ShellTree {}

    /// `while` and `until`.
    record Loop(ShellTree condition, ShellTree body, List<Redirect> redirects)
            implements ShellTree {}

    /// `for` and `select`; without values it goes through the arguments.
    record For(String name, @Nullable List<Word> values, ShellTree body, List<Redirect> redirects)
            implements ShellTree {}

    record Function(String name, ShellTree body) implements ShellTree {}

    /// `[[ … ]]`.
    record Test(List<Word> words, List<Redirect> redirects) implements ShellTree {}

    /// `(( … ))`.
    record Calculation(Word text) implements ShellTree {}

    record Assignment(String name, AssignmentKind kind, List<Word> values) {}

    enum AssignmentKind {
        /// `name=value`.
        VALUE,
        /// `name+=value`.
        MORE_VALUE,
        /// `name=(…)`.
        ITEMS,
        /// `name+=(…)`.
        MORE_ITEMS,
        /// `name[…]=…`; what stands in the index is part of the value.
        ONE_ITEM
    }

    /// Where input comes from or output goes.
    sealed interface Redirect {}

    record ToFile(Set<Access> access, Word target) implements Redirect {}

    /// A here-document or here-string.
    record Text(HereText text) implements Redirect {}

    /// Text in the command line that becomes some program's input. A here-document's body stands
    /// after the line, so it is filled in later.
    final class HereText {
        Word body = Word.EMPTY;
    }
}
