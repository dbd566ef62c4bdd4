package dev.pheromone.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// One bash that runs the commands of a page one after the other, as somebody's terminal would:
/// what one of them sets, the next one finds.
final class PageShell implements AutoCloseable {

    /// What a command printed on both streams, and how it ended.
    record Ended(int exit, String printed) {}

    private static final int COMMAND_S_MAX = 60;

    /// Commands come on a stream that they do not see themselves, each with a NUL at its end, and
    /// so do their exit codes.
    private static final String LOOP =
            """
            exec 9<&0 </dev/null 2>&1
            while IFS= read -r -d '' command <&9; do
                eval "$command" 9<&-
                printf '\\0%d\\0' $?
            done
            """;

    private final Process process;
    private final OutputStream commands;
    private final InputStream printed;

    PageShell(Path folder, Map<String, String> env) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder("bash", "--noprofile", "--norc", "-c", LOOP)
                        .directory(folder.toFile())
                        .redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(env);
        this.process = builder.start();
        this.commands = process.getOutputStream();
        this.printed = process.getInputStream();
    }

    Ended run(String command) throws IOException {
        CountDownLatch ended = new CountDownLatch(1);
        Thread _ = Thread.ofVirtual().start(() -> endAfter(ended));
        try {
            commands.write((command + '\0').getBytes(StandardCharsets.UTF_8));
            commands.flush();
            String output = field();
            return new Ended(Integer.parseInt(field()), output);
        } catch (IOException e) {
            throw new IOException("the shell ended in: " + command, e);
        } finally {
            ended.countDown();
        }
    }

    private void endAfter(CountDownLatch ended) {
        try {
            if (!ended.await(COMMAND_S_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String field() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int next = printed.read(); next != 0; next = printed.read()) {
            if (next < 0) {
                throw new IOException("found the end, expected an exit code");
            }
            bytes.write(next);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
