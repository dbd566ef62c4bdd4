package dev.pheromone.hooks.setup;

import java.nio.file.Path;
import java.util.List;

/// A file that setup edits: the text that it has goes in, the text that it should have comes out. A
/// file that does not exist is the empty text, and what becomes the empty text is to go.
public sealed interface SetupFile permits HookSetup, OwnFile, MarkedBlock {

    /// What is in it.
    enum Role {
        /// It makes a program ask the locks.
        HOOK,
        /// It keeps a program from reading by itself what may not be read.
        RULES,
        /// It tells agents how to take part.
        LEARNING
    }

    /// The file to edit.
    Path file();

    Role role();

    /// The text with what is ours in it, and nothing older of ours; the same text if it is there
    /// already.
    String installedIn(String text) throws MalformedSettingsException;

    /// The text without what is ours.
    String removedFrom(String text) throws MalformedSettingsException;

    /// Whether what is ours is there, as it would be installed now.
    boolean isCurrentIn(String text) throws MalformedSettingsException;

    /// Whether something of ours is there, perhaps as an older version wrote it; of a hook, that it
    /// is there as it would be now, whatever the rules beside it.
    boolean isPresentIn(String text) throws MalformedSettingsException;

    /// Whether a file with this text says nothing, so that there is no reason for it.
    default boolean isNothing(String text) {
        return text.isEmpty();
    }

    /// What a person should know, a line each.
    default List<String> notes() {
        return List.of();
    }
}
