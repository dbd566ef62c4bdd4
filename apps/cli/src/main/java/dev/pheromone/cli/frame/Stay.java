package dev.pheromone.cli.frame;

import java.io.IOException;

/// What a command that stays, and is answered by a resident process, has to know of that. Its
/// standard input ends at a line's end when the resident process ends, or may no longer answer. If
/// nothing is under way then, the client goes on with a process of its own, and with the same
/// standard streams.
public interface Stay {

    /// What the command tells of itself while it stays.
    interface Guest {

        /// Whether the next line may be answered by the resident process. It has not been read yet.
        boolean mayGoOn() throws IOException;

        /// Whether all lines that were read are answered.
        boolean isAtRest();

        /// What a process that goes on has to be told: a word without spaces, or nothing.
        String memory();
    }

    /// The process that asked for the command.
    long pid();

    /// Before the first line is read.
    void begin(Guest guest);

    /// Something has come to its end: the guest may be at rest now.
    void look() throws IOException;
}
