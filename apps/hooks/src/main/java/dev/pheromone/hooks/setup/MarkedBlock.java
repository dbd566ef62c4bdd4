package dev.pheromone.hooks.setup;

import java.nio.file.Path;

/// Lines of ours between two marks, at the end of a file that belongs to others. The rest stays as
/// it is.
///
/// @param lines what stands between the marks, each line with its end; empty if nothing is to stay
record MarkedBlock(Path file, Role role, String begin, String end, String lines)
        implements SetupFile {

    @Override
    public String installedIn(String text) throws MalformedSettingsException {
        if (isCurrentIn(text)) {
            return text;
        }
        String bare = removedFrom(text);
        if (lines.isEmpty()) {
            return bare;
        }
        String gap = bare.isEmpty() ? "" : bare.endsWith("\n") ? "\n" : "\n\n";
        return bare + gap + block();
    }

    private String block() {
        return begin + "\n" + lines + end + "\n";
    }

    @Override
    public String removedFrom(String text) throws MalformedSettingsException {
        int from = text.indexOf(begin + "\n");
        if (from < 0) {
            return text;
        }
        int last = text.indexOf("\n" + end, from);
        if (last < 0) {
            throw new MalformedSettingsException(
                    "found the line " + begin + ", expected " + end + " somewhere below it");
        }
        int to = last + 1 + end.length();
        String rest = text.substring(Math.min(text.length(), to + 1));
        String before = text.substring(0, from);
        // The blank line above the block is ours, too.
        return (before.endsWith("\n\n") ? before.substring(0, from - 1) : before) + rest;
    }

    @Override
    public boolean isCurrentIn(String text) {
        return lines.isEmpty() ? !isPresentIn(text) : text.contains(block());
    }

    @Override
    public boolean isPresentIn(String text) {
        return text.contains(begin + "\n");
    }
}
