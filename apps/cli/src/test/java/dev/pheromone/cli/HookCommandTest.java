package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.agent.HookCommand;
import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.frame.EverywhereOptions;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Output;
import dev.pheromone.cli.frame.Surroundings;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

class HookCommandTest {

    @TempDir Path folder;

    /// Input that never comes and never ends: whoever reads it waits, as long as the JVM lives.
    private static InputStream endlessWait() {
        CountDownLatch never = new CountDownLatch(1);
        return new InputStream() {
            @Override
            public int read() throws IOException {
                return read(new byte[1], 0, 1);
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                try {
                    never.await();
                    return -1;
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("interrupted");
                }
            }
        };
    }

    @Test
    @Timeout(60)
    void whatTakesTooLongIsBlockedBeforeTheAgentProgramGivesUp() throws IOException {
        Session session = new Session(folder.toRealPath());
        assertThat(session.rsm("init").exit()).isZero();
        Surroundings found = session.surroundings();
        HookCommand hook = new HookCommand(Duration.ofMillis(100));
        CommandLine line = new CommandLine(List.of("hook", "codex", "PreToolUse"));
        Invocation call =
                new Invocation(
                        line,
                        hook.spec(),
                        EverywhereOptions.parser().parse(line, 0, hook.spec()),
                        new Surroundings(
                                found.env(),
                                found.cwd(),
                                found.home(),
                                found.user(),
                                endlessWait(),
                                found.out(),
                                found.err(),
                                found.clock(),
                                found.terminal(),
                                found.launcher()),
                        new Output(new ByteArrayOutputStream()),
                        new Output(new ByteArrayOutputStream()),
                        Rsm.PROGRAM);

        assertThat(hook.run(call).failure()).hasMessageContaining("nobody could tell within");
    }
}
