package dev.pheromone.cli.work;

import dev.pheromone.cli.frame.OutputLines;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Attends one command to its end, whatever it does with its streams.
///
/// One thread reads both streams, and only what is there: a child in the background that keeps them
/// open holds nobody up.
final class CommandProcess {

    /// How long a command that is to end may take to clean up.
    static final Duration KILL_AFTER = Duration.ofSeconds(5);

    private static final int CHUNK_BYTES = 64 * 1024;

    /// How long to sleep when there is nothing to read: short at first, then longer.
    private static final long PAUSE_MIN_MS = 1;

    private static final long PAUSE_MAX_MS = 50;

    /// What a background child may still print after the command has ended.
    private static final int AFTER_END_BYTES_MAX = 1024 * 1024;

    /// How a command ended.
    ///
    /// @param answer the beginning of what it printed on standard output, if that was kept
    /// @param printed how many bytes it printed there
    /// @param lastError the last line on standard error that says something
    record Ended(int exit, String answer, long printed, String lastError) {}

    private final Process process;
    private final List<String> marks;
    private final int answerBytesMax;
    private final OutputLines out;
    private final OutputLines err;
    private final ByteArrayOutputStream answer = new ByteArrayOutputStream();
    private final byte[] chunk = new byte[CHUNK_BYTES];
    private long printed;

    /// @param marks what in the environment of its processes shows that they are its own
    /// @param answerBytesMax how much of standard output is kept as the answer; 0 if it is shown
    ///   like standard error
    /// @param shown gets whole lines, as they come
    CommandProcess(
            Process process, List<String> marks, int answerBytesMax, Consumer<byte[]> shown) {
        this.process = process;
        this.marks = marks;
        this.answerBytesMax = answerBytesMax;
        this.out = new OutputLines(shown);
        this.err = new OutputLines(shown);
    }

    /// Reads on until it has ended. An interrupt ends it with all that it started.
    Ended run() throws IOException, InterruptedException {
        try {
            long pause = PAUSE_MIN_MS;
            while (process.isAlive()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted while a command ran");
                }
                if (readSome() > 0) {
                    pause = PAUSE_MIN_MS;
                } else {
                    boolean _ = process.waitFor(pause, TimeUnit.MILLISECONDS);
                    pause = Math.min(2 * pause, PAUSE_MAX_MS);
                }
            }
            int late = 0;
            for (int read = readSome(); read > 0 && late < AFTER_END_BYTES_MAX; read = readSome()) {
                late += read;
            }
            return new Ended(
                    process.exitValue(),
                    answer.toString(StandardCharsets.UTF_8),
                    printed,
                    err.last());
        } catch (InterruptedException | IOException | RuntimeException e) {
            new ProcessTree(Optional.of(process.toHandle()), marks).end(KILL_AFTER, this::readOn);
            throw e;
        } finally {
            out.end();
            err.end();
            close();
        }
    }

    private void readOn() {
        try {
            int _ = readSome();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Reads what is there on both streams; returns how many bytes that was.
    private int readSome() throws IOException {
        int read = available(process.getInputStream());
        if (read > 0) {
            printed += read;
            if (answerBytesMax == 0) {
                out.take(chunk, read);
            } else {
                int room = Math.max(0, answerBytesMax - answer.size());
                answer.write(chunk, 0, Math.min(read, room));
            }
        }
        int errors = available(process.getErrorStream());
        if (errors > 0) {
            err.take(chunk, errors);
        }
        return read + errors;
    }

    private int available(InputStream stream) throws IOException {
        int available = Math.min(stream.available(), chunk.length);
        return available == 0 ? 0 : Math.max(0, stream.read(chunk, 0, available));
    }

    private void close() {
        try {
            process.getInputStream().close();
            process.getErrorStream().close();
            process.getOutputStream().close();
        } catch (IOException e) {
            // All that matters was read.
        }
    }
}
