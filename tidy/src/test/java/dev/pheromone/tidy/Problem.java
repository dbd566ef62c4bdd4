package dev.pheromone.tidy;

import java.nio.file.Path;

/// A place where a rule is broken: a file relative to the root, a line counted from 1 (0 means the
/// file as a whole), and what to do about it.
record Problem(Path file, int line, String message) {
    @Override
    public String toString() {
        return line == 0 ? file + ": " + message : file + ":" + line + ": " + message;
    }
}
