package dev.pheromone.tidy;

import java.nio.file.Path;

/// A text of the repository; the path is relative to its root.
record TextFile(Path path, String text) {
    boolean isNamed(String ending) {
        return path.getFileName().toString().endsWith(ending);
    }

    int lineCount() {
        return (int) text.lines().count();
    }

    /// A problem at the line of this offset.
    Problem problemAt(int offset, String message) {
        int line = 1 + (int) text.chars().limit(offset).filter(c -> c == '\n').count();
        return new Problem(path, line, message);
    }

    Problem problem(String message) {
        return new Problem(path, 0, message);
    }
}
