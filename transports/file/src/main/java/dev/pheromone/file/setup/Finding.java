package dev.pheromone.file.setup;

import org.jspecify.annotations.Nullable;

/// Something about a hive that a person should know.
///
/// @param thing the file, folder or setting it is about
/// @param fix what to do about it, if anything is left to do
public record Finding(
        Severity severity, String thing, String found, String expected, @Nullable String fix) {

    /// How bad it is.
    public enum Severity {
        /// Something does not work, or a promise does not hold.
        ERROR,
        WARNING,
        /// It was wrong, and is not any more.
        MENDED,
        /// Good to know; nothing is wrong.
        NOTE
    }

    /// A file that keeps recovery from its work; the rest of the hive is not affected.
    public static Finding stuck(String thing, String found) {
        return new Finding(
                Severity.WARNING, thing, found, "a file that can be read and moved", null);
    }

    /// What recovery would fix, if it were asked to.
    public static Finding fixable(String thing, String found) {
        return new Finding(Severity.WARNING, thing, found, "none", "rsm doctor --fix");
    }

    public static Finding fixed(String thing, String found) {
        return new Finding(Severity.MENDED, thing, found, "none", null);
    }
}
