package dev.pheromone.hooks;

import dev.pheromone.guard.Access;

import java.util.Set;

/// `test`, `[` and `[[`: they look at files without opening them.
final class FileTests {
    private static final Set<String> COMPARE = Set.of("-nt", "-ot", "-ef");
    private static final String OPERATORS = "abcdefghkprstuwxGLNOS";

    private FileTests() {}

    static void read(Invocation test) throws ShellSyntaxException {
        int count = test.arguments().size();
        for (int i = 0; i < count; i++) {
            String operator = test.plain(i);
            if (operator == null) {
                continue;
            }
            boolean unary =
                    operator.length() == 2
                            && operator.charAt(0) == '-'
                            && OPERATORS.indexOf(operator.charAt(1)) >= 0;
            if (COMPARE.contains(operator) && i > 0) {
                look(test, test.arguments().get(i - 1));
            }
            if ((unary || COMPARE.contains(operator)) && i + 1 < count) {
                look(test, test.arguments().get(i + 1));
            }
        }
    }

    /// That some unknown file exists tells nothing of its content: only known names count.
    private static void look(Invocation test, Shape path) throws ShellSyntaxException {
        if (!path.hasGap() && !test.state().folders().getFirst().hasGap()) {
            test.touch(path, Set.of(Access.READ), Extent.PATH);
        }
    }
}
