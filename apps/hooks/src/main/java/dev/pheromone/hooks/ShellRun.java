package dev.pheromone.hooks;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Follows a command as a shell would run it, without running anything: every branch is taken, and
/// what is touched on the way is noted.
final class ShellRun {
    private static final int DEPTH_MAX = 24;
    private static final int TEXT_LENGTH_MAX = 64 * 1024;
    private static final int LOOP_VALUES_MAX = 64;

    private final TouchLog log;
    private int depth;

    ShellRun(TouchLog log) {
        this.log = log;
    }

    TouchLog log() {
        return log;
    }

    /// Follows a text given to a shell.
    void script(Shape text, ShellState state) throws ShellSyntaxException {
        if (!text.isPlain()) {
            log.doubt("a shell gets a text that is known only when it runs");
            return;
        }
        if (text.length() > TEXT_LENGTH_MAX) {
            throw new ShellSyntaxException("it is too long");
        }
        deeper(() -> run(ShellParser.parse(text.toString()), state));
    }

    interface Step {
        void run() throws ShellSyntaxException;
    }

    private void deeper(Step step) throws ShellSyntaxException {
        if (++depth > DEPTH_MAX) {
            throw new ShellSyntaxException("it calls itself too deeply");
        }
        try {
            step.run();
        } finally {
            depth--;
        }
    }

    void run(ShellTree tree, ShellState state) throws ShellSyntaxException {
        log.step();
        follow(tree, state);
        if (tree instanceof ShellTree.Pipeline || tree instanceof ShellTree.Subshell) {
            // Which shell's last word it was differs from one shell to the next.
            state.forget(ShellNames.LAST_WORD);
        }
    }

    private void follow(ShellTree tree, ShellState state) throws ShellSyntaxException {
        switch (tree) {
            case ShellTree.Simple simple -> simple(simple, state);
            case ShellTree.Sequence(List<ShellTree> items) -> {
                for (ShellTree item : items) {
                    List<Shape> before = state.folders();
                    run(item, state);
                    if (item instanceof ShellTree.Simple) {
                        state.mayStillBeIn(before);
                    }
                }
            }
            case ShellTree.AndOr andOr -> andOr(andOr, state);
            case ShellTree.Pipeline(List<ShellTree> parts) -> pipeline(parts, state);
            case ShellTree.Subshell(ShellTree body, var redirects) ->
                    around(redirects, state).during(state, () -> run(body, state.copy()));
            case ShellTree.Group(ShellTree body, var redirects) ->
                    around(redirects, state).during(state, () -> run(body, state));
            case ShellTree.Choice choice ->
                    around(choice.redirects(), state).during(state, () -> choice(choice, state));
            case ShellTree.Loop loop ->
                    around(loop.redirects(), state).during(state, () -> loop(loop, state));
            case ShellTree.For loop ->
                    around(loop.redirects(), state).during(state, () -> forLoop(loop, state));
            case ShellTree.Function(String name, ShellTree body) -> {
                state.define(name, body);
                if (ShellNames.CALLED_BY_THE_SHELL.contains(name)) {
                    run(body, state.copy());
                }
            }
            case ShellTree.Test(List<Word> words, var redirects) -> {
                redirect(redirects, state);
                List<Shape> operands = new ArrayList<>();
                for (Word word : words) {
                    operands.add(expansion(state).text(word));
                }
                var test = new Invocation(this, state, "[[", operands, null);
                Builtins.noteEvaluated(test);
                FileTests.read(test);
            }
            case ShellTree.Calculation(Word text) -> expansion(state).text(text);
        }
    }

    private Expansion expansion(ShellState state) {
        return new Expansion(
                state,
                new Expansion.Substitutions() {
                    @Override
                    public Shape output(ShellTree body) throws ShellSyntaxException {
                        return ShellRun.this.output(body, state);
                    }

                    @Override
                    public void feeds(Shape text) {
                        log.fed(text);
                    }
                });
    }

    /// Follows the commands of a substitution; the answer is what they print.
    private Shape output(ShellTree body, ShellState state) throws ShellSyntaxException {
        ShellState inner = state.copy();
        var printed = new Shape[] {Shape.UNKNOWN};
        deeper(() -> {
            run(body, inner);
            Optional<List<Word>> words = body.onlyWords();
            if (words.isPresent()) {
                printed[0] = KnownOutput.of(expansion(inner).fields(words.get()), state, log);
            }
        });
        return printed[0];
    }

    private void andOr(ShellTree.AndOr andOr, ShellState state) throws ShellSyntaxException {
        // What holds where something has failed; at first that is nowhere.
        ShellState failed = state.copy();
        failed.ended = true;
        ShellState before = state.copy();
        run(andOr.first(), state);
        mayFail(andOr.first(), before, state, failed);
        for (ShellTree.Next next : andOr.rest()) {
            if (next.onFailure()) {
                ShellState here = failed.copy();
                here.mergeWith(state);
                run(next.tree(), here);
                // Either all went well before, or this ran.
                state.mergeWith(here);
                failed = here;
            } else {
                before = state.copy();
                run(next.tree(), state);
                mayFail(next.tree(), before, state, failed);
            }
        }
        state.mergeWith(failed);
    }

    private static void mayFail(
            ShellTree tree, ShellState before, ShellState after, ShellState failed) {
        if (!tree.isCertain()) {
            failed.mergeWith(before);
            failed.mergeWith(after);
        }
    }

    private void pipeline(List<ShellTree> parts, ShellState state) throws ShellSyntaxException {
        List<Shape> printed = state.input;
        boolean piped = state.piped;
        boolean first = true;
        for (ShellTree part : parts) {
            ShellState inner = state.copy();
            inner.input = printed;
            inner.piped = piped;
            inner.text = first ? state.text : null;
            first = false;
            piped = true;
            run(part, inner);
            printed = null;
            Optional<List<Word>> words = part.onlyWords();
            if (words.isPresent()) {
                List<Shape> fields = expansion(inner).fields(words.get());
                printed = KnownOutput.names(fields, inner);
                if (!fields.isEmpty() && fields.getFirst().is("printf")) {
                    log.fed(Builtins.joined(fields));
                }
            }
        }
    }

    private void choice(ShellTree.Choice choice, ShellState state) throws ShellSyntaxException {
        expansion(state).text(choice.subject());
        ShellState before = state.copy();
        run(choice.condition(), state);
        state.mergeWith(before);
        ShellState after = state.copy();
        for (ShellTree branch : choice.branches()) {
            ShellState taken = state.copy();
            run(branch, taken);
            after.mergeWith(taken);
        }
        state.mergeWith(after);
    }

    private void loop(ShellTree.Loop loop, ShellState state) throws ShellSyntaxException {
        Optional<ReadLoop> read = ReadLoop.of(loop.condition(), state);
        if (read.isPresent()) {
            each(read.get().name(), read.get().lines(), loop.body(), state);
            return;
        }
        // What one round changes is uncertain in the next, and a third brings nothing new.
        for (int round = 0; round < 3; round++) {
            ShellState before = state.copy();
            run(loop.condition(), state);
            run(loop.body(), state);
            state.mergeWith(before);
        }
        List<Shape> settled = state.folders();
        ShellState again = state.copy();
        run(loop.body(), again);
        if (!settled.containsAll(again.folders())) {
            state.loseFolder();
            run(loop.body(), state);
        }
    }

    private void forLoop(ShellTree.For loop, ShellState state) throws ShellSyntaxException {
        List<Word> given = loop.values();
        List<Shape> values = given == null ? state.arguments : expansion(state).fields(given);
        if (values == null || values.size() > LOOP_VALUES_MAX) {
            values = List.of(Shape.UNKNOWN, Shape.UNKNOWN);
        } else if (given == null && !values.isEmpty()) {
            values = values.subList(1, values.size());
        }
        each(loop.name(), values, loop.body(), state);
    }

    private void each(String name, List<Shape> values, ShellTree body, ShellState state)
            throws ShellSyntaxException {
        for (Shape value : values) {
            ShellState before = state.copy();
            state.set(name, List.of(value));
            run(body, state);
            state.mergeWith(before);
            state.set(name, List.of(Shape.UNKNOWN));
        }
    }

    /// As [#redirect], for several commands: what they write together is not known.
    private GivenInput around(List<ShellTree.Redirect> redirects, ShellState state)
            throws ShellSyntaxException {
        new WrittenTexts(log, state, GivenInput.NONE)
                .note(List.of(Shape.UNKNOWN), redirects, expansion(state));
        return redirect(redirects, state);
    }

    /// Notes the files of redirections; the answer is what is given to read by them.
    private GivenInput redirect(List<ShellTree.Redirect> redirects, ShellState state)
            throws ShellSyntaxException {
        GivenInput given = GivenInput.NONE;
        for (ShellTree.Redirect redirect : redirects) {
            switch (redirect) {
                case ShellTree.ToFile(var access, Word target) -> {
                    for (Shape path : expansion(state).fields(List.of(target))) {
                        if (GivenInput.isOpenFile(path)) {
                            given = given.throughPipe();
                            continue;
                        }
                        log.touch(path, state.folders(), Extent.PATH, access, false);
                        given = given.from(path, access, log);
                    }
                }
                case ShellTree.Text(ShellTree.HereText here) -> {
                    Shape text = expansion(state).text(here.body);
                    log.fed(text);
                    given = given.withText(text);
                }
            }
        }
        return given;
    }

    private void simple(ShellTree.Simple simple, ShellState state) throws ShellSyntaxException {
        List<Shape> words = expansion(state).fields(simple.words());
        GivenInput given = redirect(simple.redirects(), state);
        new WrittenTexts(log, state, given).note(words, simple.redirects(), expansion(state));
        boolean alone = words.isEmpty();
        var variables = new LinkedHashMap<String, List<Shape>>();
        for (ShellTree.Assignment assignment : simple.assignments()) {
            variables.put(assignment.name(), assign(assignment, state, alone));
        }
        if (words.size() == 1 && words.getFirst().is("exec")) {
            // For all that follows.
            given.applyTo(state);
        } else if (!alone) {
            given.during(state, () -> callWith(variables, words, state));
        }
        state.ran(alone || runsMore(words, state) ? Shape.UNKNOWN : words.getLast());
    }

    private static boolean runsMore(List<Shape> words, ShellState state) {
        String name = words.getFirst().toString();
        return Builtins.RUNNING_MORE.contains(name) || state.function(name) != null;
    }

    /// Notes an assignment, which lasts if it stands alone; the answer is the values.
    private List<Shape> assign(ShellTree.Assignment assignment, ShellState state, boolean lasting)
            throws ShellSyntaxException {
        String name = assignment.name();
        List<Shape> values = Assignments.values(assignment, expansion(state), state.values(name));
        if (lasting) {
            state.set(name, values);
        }
        for (Shape value : values) {
            if (LastNet.holdsCommands(value)) {
                // A prompt, a subscript or a calculation would run them.
                LastNet.note(value, state, log);
            }
        }
        // It may be exported already, and the shell itself heeds some.
        if (!lasting || Environment.isHeeded(name)) {
            Environment.note(name, values, this, state);
        }
        return values;
    }

    /// Variables before a command count for it alone, unless the shell itself runs it.
    private void callWith(Map<String, List<Shape>> variables, List<Shape> words, ShellState state)
            throws ShellSyntaxException {
        if (variables.isEmpty()) {
            call(words, state, state.text);
            return;
        }
        ShellState before = state.copy();
        variables.forEach((name, values) -> {
            state.set(name, values);
            state.export(name);
        });
        call(words, state, state.text);
        state.restore(variables.keySet(), before);
        if (runsMore(words, state) || Builtins.isOne(words.getFirst().toString())) {
            // Some shells keep them; how words are split, is not kept after `IFS= read`.
            variables.keySet().stream().filter(state::knows).forEach(state::forget);
        }
    }

    /// Follows a command of these words, and of those that are words in any case.
    void call(List<Shape> words, ShellState state, @Nullable Shape text)
            throws ShellSyntaxException {
        List<Shape> fewer = words.stream().filter(word -> !KnownOutput.mayVanish(word)).toList();
        ShellState without = state.copy();
        callAll(words, state, text);
        if (fewer.size() < words.size()) {
            callAll(fewer, without, text);
            state.mergeWith(without);
        }
    }

    private void callAll(List<Shape> words, ShellState state, @Nullable Shape text)
            throws ShellSyntaxException {
        log.step();
        if (words.isEmpty()) {
            return;
        }
        log.runIn(state.folders());
        OwnWords.note(words, log);
        AgentPrograms.note(words, state, log);
        Shape program = words.getFirst();
        List<Shape> arguments = List.copyOf(words.subList(1, words.size()));
        if (!program.isPlain()) {
            log.doubt("the program \"" + program + "\" is known only when it runs");
            return;
        }
        String name = program.toString();
        ShellTree function = state.function(name);
        if (function != null) {
            ShellState inner = state.copy();
            inner.arguments = words;
            inner.text = text;
            inner.forget(ShellNames.LAST_WORD);
            deeper(() -> run(function, inner));
            // A function may change variables and the folder of its caller.
            inner.ended = false;
            state.mergeWith(inner);
            return;
        }
        var call = new Invocation(this, state, name, arguments, text);
        if (name.indexOf('/') < 0) {
            // It may lie in a folder in which the shell looks for programs.
            deeper(() -> LastNet.noteRun(call, program));
        }
        deeper(() -> Programs.run(call));
    }
}
