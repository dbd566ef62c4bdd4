package dev.pheromone.disk;

import java.time.Instant;

/// What the file system says of one name, links not followed.
///
/// `changed` is the kernel's own time of the last change (ctime): unlike `modified`, no writer can
/// set it back.
public record Stat(
        Kind kind, long size, Object inode, int links, Instant modified, Instant changed) {

    public enum Kind {
        FILE("a file"),
        FOLDER("a folder"),
        LINK("a symbolic link"),
        OTHER("a pipe, socket or device");

        private final String noun;

        Kind(String noun) {
            this.noun = noun;
        }

        @Override
        public String toString() {
            return noun;
        }
    }

    public boolean isFile() {
        return kind == Kind.FILE;
    }

    public boolean isFolder() {
        return kind == Kind.FOLDER;
    }

    public boolean isSameFileAs(Stat other) {
        return inode.equals(other.inode);
    }
}
