package dev.pheromone.session.caller;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;

/// What an `IOException` means, in words: Java's own messages are often a bare path.
public final class FileProblem {

    private FileProblem() {}

    public static String describe(IOException e) {
        if (e instanceof FileSystemException problem && problem.getFile() != null) {
            return problem.getFile() + ": " + reason(problem);
        }
        String message = e.getMessage();
        return message == null || message.isBlank() ? e.getClass().getSimpleName() : message;
    }

    private static String reason(FileSystemException e) {
        if (e instanceof NoSuchFileException) {
            return "no such file or folder";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "exists already";
        }
        if (e instanceof NotDirectoryException) {
            return "is not a folder";
        }
        return lowerCased(e.getReason());
    }

    private static String lowerCased(@Nullable String reason) {
        if (reason == null || reason.isBlank()) {
            return "the file system refused, without a reason";
        }
        return reason.substring(0, 1).toLowerCase(Locale.ROOT) + reason.substring(1);
    }
}
