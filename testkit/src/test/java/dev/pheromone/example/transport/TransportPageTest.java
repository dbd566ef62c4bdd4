package dev.pheromone.example.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Capability;
import dev.pheromone.testkit.CarrierContract;
import dev.pheromone.testkit.TransportContract;
import dev.pheromone.testkit.Vectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/// The page about writing a transport shows the code that is tested, and every promise.
final class TransportPageTest {

    private static final String SOURCES = "testkit/src/test/java/dev/pheromone/example/transport/";

    private static String read(String name) throws IOException {
        Path root = Objects.requireNonNull(Vectors.folder().getParent()).getParent();
        return Files.readString(root.resolve(name));
    }

    private static String page() throws IOException {
        return read("docs/guide/write-a-transport.md");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TableTransport", "TableTransportTest"})
    void theCodeInThePageIsTheOneThatIsTested(String name) throws IOException {
        assertThat(page()).contains("```java\n" + read(SOURCES + name + ".java") + "```\n");
    }

    /// The contract for transports, all that it extends, and the parts beside it.
    private static Set<Class<?>> contracts() {
        Set<Class<?>> contracts = new LinkedHashSet<>();
        Deque<Class<?>> open = new ArrayDeque<>(TransportContract.PARTS);
        open.add(TransportContract.class);
        while (!open.isEmpty()) {
            Class<?> contract = open.remove();
            contracts.add(contract);
            open.addAll(List.of(contract.getInterfaces()));
        }
        return contracts;
    }

    @Test
    void thePageNamesEachContract() throws IOException {
        assertThat(contracts()).hasSizeGreaterThanOrEqualTo(7);
        for (Class<?> contract : contracts()) {
            assertThat(page()).contains("| `" + contract.getSimpleName() + "` |");
        }
    }

    @Test
    void thePageNamesWhatATestMustSay() throws IOException {
        List<String> rows =
                page().lines()
                        .dropWhile(line -> !line.startsWith("| your test says |"))
                        .takeWhile(line -> line.startsWith("|"))
                        .toList();
        Set<String> methods =
                new TreeSet<>(Set.of("clock", "makesInboxes", "afterPowerCut", "lockHive", "log"));
        for (Class<?> contract : contracts()) {
            // What a test of a carrier says is the same, but for `clock` under other names.
            if (contract != CarrierContract.class) {
                Arrays.stream(contract.getDeclaredMethods())
                        .filter(method -> Modifier.isAbstract(method.getModifiers()))
                        .map(Method::getName)
                        .forEach(methods::add);
            }
        }
        assertThat(methods).contains("kept", "put", "startOther");
        for (String method : methods) {
            assertThat(rows)
                    .as(method)
                    .anyMatch(row -> row.split("\\|", -1)[1].contains("`" + method + "`"));
        }
    }

    @Test
    void thePageSaysWhatEachPromiseAsksFor() throws IOException {
        for (Capability promise : Capability.values()) {
            assertThat(page()).contains("| `" + promise + "` |");
        }
    }
}
