package dev.pheromone.hooks;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What a shell would know at some point of a command: its folder, variables, functions and
/// arguments. Where the command could have come here in several ways, it is what holds in all of
/// them; only of folders all are kept.
final class ShellState {
    private static final int FOLDERS_MAX = 6;
    private static final List<Shape> UNKNOWN = List.of(Shape.UNKNOWN);

    private List<Shape> folders;
    private final Map<String, List<Shape>> variables;
    private final Map<String, ShellTree> functions;

    /// The variables that other programs get to see.
    private final Set<String> exported = new HashSet<>();

    /// The variables that may have another value than the environment gave them.
    private final Set<String> changed = new HashSet<>();

    /// `$1` and so on, or null if nothing is known of them.
    @Nullable List<Shape> arguments;

    /// What would come in through a pipe, as words; null if nothing is known of it.
    @Nullable List<Shape> input;

    /// The here-text that commands read, if there is one.
    @Nullable Shape text;

    /// Whether something is piped in.
    boolean piped;

    /// Whether wildcards match hidden names, too.
    private boolean hiddenSeen;

    /// Whether the shell has left by `exit`: what follows is not reached from here.
    boolean ended;

    /// Whether a `return`, `break` or `continue` may have skipped the commands that follow.
    private boolean skipping;

    private ShellState(
            List<Shape> folders,
            Map<String, List<Shape>> variables,
            Map<String, ShellTree> functions) {
        this.folders = folders;
        this.variables = variables;
        this.functions = functions;
    }

    static ShellState in(Shape folder, Map<String, String> environment) {
        var variables = new HashMap<String, List<Shape>>();
        environment.forEach((name, value) -> {
            if (!ShellNames.areSetByTheShell(name)) {
                variables.put(name, List.of(Shape.of(value)));
            }
        });
        ShellNames.NUMBERS.forEach(name -> variables.put(name, List.of(Shape.ANY_NAME)));
        var state = new ShellState(List.of(folder), variables, new HashMap<>());
        state.exported.addAll(variables.keySet());
        return state;
    }

    ShellState copy() {
        var copy = new ShellState(folders, new HashMap<>(variables), new HashMap<>(functions));
        copy.exported.addAll(exported);
        copy.changed.addAll(changed);
        copy.arguments = arguments;
        copy.input = input;
        copy.text = text;
        copy.piped = piped;
        copy.skipping = skipping;
        copy.hiddenSeen = hiddenSeen;
        return copy;
    }

    /// Becomes what holds both here and in `other`.
    void mergeWith(ShellState other) {
        if (other.ended) {
            return;
        }
        skipping |= other.skipping;
        hiddenSeen |= other.hiddenSeen;
        changed.addAll(other.changed);
        if (ended) {
            variables.clear();
            functions.clear();
            exported.clear();
            become(other);
            return;
        }
        var names = new HashSet<>(variables.keySet());
        names.addAll(other.variables.keySet());
        for (String name : names) {
            if (!values(name).equals(other.values(name))) {
                forget(name);
            }
        }
        exported.retainAll(other.exported);
        other.functions.forEach((name, body) -> {
            ShellTree mine = functions.putIfAbsent(name, body);
            if (mine != null && !mine.equals(body)) {
                // Either may run: both do.
                functions.put(name, new ShellTree.Sequence(List.of(mine, body)));
            }
        });
        mayStillBeIn(other.folders);
    }

    private void become(ShellState other) {
        folders = other.folders;
        variables.putAll(other.variables);
        functions.putAll(other.functions);
        exported.addAll(other.exported);
        arguments = other.arguments;
        ended = false;
    }

    List<Shape> folders() {
        return folders;
    }

    /// Moves to `folder`, from each folder that we may be in.
    void enter(Shape folder) {
        if (!folder.isPlace() || folder.isEmpty()) {
            folders = UNKNOWN;
            return;
        }
        var entered = new LinkedHashSet<Shape>();
        for (Shape from : folders) {
            entered.add(folder.at(0) == '/' ? folder : from.plus("/").plus(folder));
        }
        if (skipping) {
            entered.addAll(folders);
        }
        folders = entered.size() > FOLDERS_MAX ? UNKNOWN : List.copyOf(entered);
    }

    /// Also counts these folders, from where a `cd` may have failed.
    void mayStillBeIn(List<Shape> others) {
        var all = new LinkedHashSet<>(folders);
        all.addAll(others);
        folders = all.size() > FOLDERS_MAX ? UNKNOWN : List.copyOf(all);
    }

    void seeHidden() {
        hiddenSeen = true;
    }

    boolean seesHidden() {
        return hiddenSeen;
    }

    void maySkip() {
        skipping = true;
    }

    void loseFolder() {
        folders = UNKNOWN;
    }

    /// The values of a variable: one, or several if it is an array.
    List<Shape> values(String name) {
        return variables.getOrDefault(name, UNKNOWN);
    }

    boolean knows(String name) {
        return variables.containsKey(name);
    }

    void set(String name, List<Shape> values) {
        boolean certain =
                (!skipping || values.equals(variables.get(name))) && !ShellNames.changes(name);
        variables.put(name, certain ? values : UNKNOWN);
        changed.add(name);
    }

    /// Whether the variable may have another value than the environment gave it.
    boolean isChanged(String name) {
        return changed.contains(name);
    }

    /// Notes the last word of a command that was run: the next one may call it `$_`.
    void ran(Shape lastWord) {
        variables.put(ShellNames.LAST_WORD, skipping ? UNKNOWN : List.of(lastWord));
    }

    void forget(String name) {
        variables.put(name, UNKNOWN);
    }

    void export(String name) {
        exported.add(name);
    }

    /// Forgets what another shell would not get from this one.
    void keepExported() {
        List.copyOf(variables.keySet()).stream()
                .filter(name -> !exported.contains(name))
                .forEach(this::forget);
    }

    /// Forgets all that a text may have set which is not known: a file with commands.
    void keepNames(Set<String> kept) {
        List.copyOf(variables.keySet()).stream()
                .filter(name -> !kept.contains(name))
                .forEach(this::forget);
    }

    /// Gives variables the values that they had before a command for which alone they were set.
    void restore(Set<String> names, ShellState before) {
        for (String name : names) {
            if (before.knows(name)) {
                variables.put(name, before.values(name));
            } else {
                variables.remove(name);
            }
        }
        exported.clear();
        exported.addAll(before.exported);
        changed.clear();
        changed.addAll(before.changed);
    }

    /// Whether the variables and folders are the same as those of `other`.
    boolean isLike(ShellState other) {
        return variables.equals(other.variables) && folders.equals(other.folders);
    }

    @Nullable ShellTree function(String name) {
        return functions.get(name);
    }

    void define(String name, ShellTree body) {
        functions.put(name, body);
    }
}
