package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Function;

/// Plain code answers as what the compiler wrote does.
class PlainCallsTest {

    /// Every kind of field.
    record Values(
            int i,
            boolean z,
            byte b,
            short s,
            char c,
            long j,
            float f,
            double d,
            String text,
            List<String> list) {}

    record Nothing() {}

    sealed interface Shape {

        record Dot() implements Shape {}

        record Line(int length) implements Shape {}

        record Text(Object content) implements Shape {}

        /// Asked once more for the next label where a guard says no.
        static String name(Object shape) {
            return switch (shape) {
                case null -> "null";
                case Line(var length) when length > 10 -> "long line";
                case Line line -> "line of " + line.length();
                case Text(String content) when content.isEmpty() -> "empty";
                case Text(String content) -> content;
                case Text(var content) -> "text of " + content;
                case Dot _ -> "dot";
                default -> "none";
            };
        }
    }

    /// Builds the samples, in whichever form their classes are loaded.
    public static final class Samples implements Function<Integer, Object> {

        private static final List<Object> ALL =
                List.of(
                        values(1, 0.0),
                        values(1, 0.0),
                        values(1, -0.0),
                        values(1, Double.NaN),
                        values(1, Double.NaN),
                        values(2, 0.0),
                        new Values(0, false, (byte) 0, (short) 0, '\0', 0, 0, 0, null, null),
                        new Nothing(),
                        new Nothing(),
                        new Shape.Dot(),
                        new Shape.Line(3),
                        new Shape.Line(30),
                        new Shape.Text(""),
                        new Shape.Text("words"),
                        new Shape.Text(7),
                        "no shape");

        private static Values values(int number, double d) {
            return new Values(
                    number,
                    true,
                    (byte) -3,
                    (short) 300,
                    'x',
                    1L << 40,
                    Float.MIN_VALUE,
                    d,
                    "text",
                    List.of("a", "b"));
        }

        /// What the sample says of itself and of all others.
        @Override
        public Object apply(Integer index) {
            Object it = ALL.get(index);
            StringBuilder said = new StringBuilder();
            said.append(it).append(' ').append(it.hashCode()).append(' ').append(Shape.name(it));
            for (Object other : ALL) {
                said.append(it.equals(other) ? '=' : '.');
            }
            return said.append(Shape.name(null)).toString();
        }
    }

    private static final List<Class<?>> TYPES =
            List.of(
                    Values.class,
                    Nothing.class,
                    Shape.class,
                    Shape.Dot.class,
                    Shape.Line.class,
                    Shape.Text.class,
                    Samples.class);

    private PlainCalls calls;

    @BeforeEach
    void open() {
        calls =
                new PlainCalls(
                        ClassHierarchyResolver.ofResourceParsing(getClass().getClassLoader()));
    }

    private static byte[] bytes(Class<?> type) throws IOException {
        try (InputStream in =
                type.getResourceAsStream(
                        type.getName().substring(type.getPackageName().length() + 1) + ".class")) {
            return in.readAllBytes();
        }
    }

    /// The same types, of plain code.
    private final class PlainLoader extends ClassLoader {

        PlainLoader() {
            super(PlainCallsTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null) {
                    return known;
                }
                for (Class<?> type : TYPES) {
                    if (type.getName().equals(name)) {
                        try {
                            byte[] plain = calls.plain(bytes(type));
                            return defineClass(name, plain, 0, plain.length);
                        } catch (IOException e) {
                            throw new ClassNotFoundException(name, e);
                        }
                    }
                }
                return super.loadClass(name, resolve);
            }
        }
    }

    @Test
    void recordsAndSwitchesAnswerAsBefore() throws Exception {
        Class<?> plain = new PlainLoader().loadClass(Samples.class.getName());
        Object samples = plain.getConstructor().newInstance();
        Method apply = plain.getMethod("apply", Integer.class);
        assertThat(plain).isNotEqualTo(Samples.class);
        for (int i = 0; i < Samples.ALL.size(); i++) {
            assertThat(apply.invoke(samples, i)).isEqualTo(new Samples().apply(i));
        }
    }

    @Test
    void nothingOfThemIsLeftToTheFirstCall() throws Exception {
        for (Class<?> type : TYPES) {
            assertThat(
                            ClassFile.of().parse(calls.plain(bytes(type))).methods().stream()
                                    .flatMap(method -> method.code().stream())
                                    .flatMap(code -> code.elementStream())
                                    .filter(InvokeDynamicInstruction.class::isInstance)
                                    .map(InvokeDynamicInstruction.class::cast)
                                    .map(call -> call.bootstrapMethod().owner().displayName()))
                    .as(type.getName())
                    .doesNotContain("SwitchBootstraps", "ObjectMethods");
        }
    }
}
