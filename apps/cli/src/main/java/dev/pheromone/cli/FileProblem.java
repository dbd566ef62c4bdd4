package dev.pheromone.cli;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;

/// What an `IOException` means, in words: Java's own messages are often a bare path.
final class FileProblem {

    private static final Set<String> HIVE_FOLDERS = Set.of(".deia", ".embargo");

    private FileProblem() {}

    static String describe(IOException e) {
        if (e instanceof FileSystemException problem && problem.getFile() != null) {
            return problem.getFile() + ": " + reason(problem);
        }
        String message = e.getMessage();
        return message == null || message.isBlank() ? e.getClass().getSimpleName() : message;
    }

    /// The error that a command ends with. Who may not touch a hive's files is told how to use that
    /// hive all the same: its files are for the user who made it alone.
    static CliException failure(IOException e) {
        CliException failure = new CliException(ErrorCode.IO, describe(e), e);
        return isOfAnotherUser(e)
                ? failure.hint(
                        "the hive's files are for the user who made it alone; that user lets others"
                                + " in with rsm serve, and they go there with --via")
                : failure;
    }

    private static boolean isOfAnotherUser(IOException e) {
        if (!(e instanceof AccessDeniedException denied) || denied.getFile() == null) {
            return false;
        }
        for (Path name : Path.of(denied.getFile())) {
            if (HIVE_FOLDERS.contains(name.toString())) {
                return true;
            }
        }
        return false;
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
