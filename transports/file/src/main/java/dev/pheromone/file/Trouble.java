package dev.pheromone.file;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;

/// Why an operation on a file failed, in words. The message of Java's own exceptions is often the
/// path and nothing else.
final class Trouble {

    private Trouble() {}

    static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileSystemException problem && problem.getReason() != null) {
            return problem.getReason();
        }
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }
}
