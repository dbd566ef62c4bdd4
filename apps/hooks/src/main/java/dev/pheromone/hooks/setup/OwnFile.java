package dev.pheromone.hooks.setup;

import java.nio.file.Path;
import java.util.List;

/// A file that is ours as a whole.
///
/// @param mark what all versions of ours have in their text, and no file of somebody else
record OwnFile(Path file, Role role, String text, String mark, List<String> notes)
        implements SetupFile {

    OwnFile {
        notes = List.copyOf(notes);
        if (!text.contains(mark)) {
            throw new IllegalArgumentException("a text of ours without its mark " + mark);
        }
    }

    @Override
    public String installedIn(String found) throws MalformedSettingsException {
        if (!found.isBlank() && !isPresentIn(found)) {
            throw new MalformedSettingsException(
                    "found a file that is not ours, expected none of this name");
        }
        return text;
    }

    @Override
    public String removedFrom(String found) {
        return isPresentIn(found) ? "" : found;
    }

    @Override
    public boolean isCurrentIn(String found) {
        return found.equals(text);
    }

    @Override
    public boolean isPresentIn(String found) {
        return found.contains(mark);
    }
}
