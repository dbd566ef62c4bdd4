package dev.pheromone.file;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/// Why a file operation failed, in words: Java's own messages are often a bare path.
final class Reason {

    private Reason() {}

    static String of(IOException e) {
        return switch (e) {
            case AccessDeniedException denied -> denied.getFile() + ": permission denied";
            case NoSuchFileException gone -> gone.getFile() + ": no such file or folder";
            case FileAlreadyExistsException taken -> taken.getFile() + ": exists already";
            case FileSystemException failed when failed.getReason() != null ->
                    failed.getFile() + ": " + failed.getReason();
            default -> String.valueOf(e.getMessage());
        };
    }
}
