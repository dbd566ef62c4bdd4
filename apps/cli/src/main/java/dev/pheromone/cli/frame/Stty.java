package dev.pheromone.cli.frame;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/// The program that knows the terminal, and can change how it behaves: Java can do neither.
final class Stty {

    private static final int OUTPUT_BYTES_MAX = 256;
    private static final int MILLIS_MAX = 500;

    private Stty() {}

    /// What it answers at this process's terminal, or null if there is no terminal or no answer.
    static @Nullable String ask(String arguments) {
        try {
            Process stty =
                    new ProcessBuilder("sh", "-c", "exec stty " + arguments + " </dev/tty")
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            byte[] answer = stty.getInputStream().readNBytes(OUTPUT_BYTES_MAX);
            boolean ended = stty.waitFor(MILLIS_MAX, TimeUnit.MILLISECONDS);
            return ended && stty.exitValue() == 0
                    ? new String(answer, StandardCharsets.US_ASCII).strip()
                    : null;
        } catch (IOException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
