package dev.pheromone.disk;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/// Why an operation on a file failed, in words. The message of Java's own exceptions is often the
/// path and nothing else.
public final class Trouble {

    private Trouble() {}

    /// The file and the reason.
    public static String of(IOException e) {
        return e instanceof FileSystemException problem && problem.getFile() != null
                ? problem.getFile() + ": " + reason(e)
                : reason(e);
    }

    /// The reason alone, for who has named the file already.
    public static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof NoSuchFileException) {
            return "no such file or folder";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "exists already";
        }
        if (e instanceof FileSystemException problem && problem.getReason() != null) {
            return problem.getReason();
        }
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }
}
