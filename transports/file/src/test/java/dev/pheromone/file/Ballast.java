package dev.pheromone.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/// Files that take up whatever room a volume has left, and give it back piece by piece.
final class Ballast {

    /// What runs out.
    enum Room {
        BLOCKS,
        INODES;

        private List<Integer> sizesOfPieces() {
            return this == INODES ? List.of(0) : List.of(16 * 1024, 4096, 1024);
        }
    }

    private final Path folder;
    private final Room room;
    private final Deque<Path> pieces = new ArrayDeque<>();
    private int count;

    Ballast(Path folder, Room room) {
        this.folder = folder;
        this.room = room;
    }

    /// Fills the volume to the brim: large pieces first, and small ones into what they leave.
    void fill() throws IOException {
        int before;
        do {
            before = pieces.size();
            for (int size : room.sizesOfPieces()) {
                while (add(size)) {
                    // There was room for one more.
                }
            }
            settle();
        } while (pieces.size() > before);
    }

    /// Makes room that was given back usable: a journal keeps it until its next commit.
    private void settle() throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private boolean add(int size) throws IOException {
        Path piece = folder.resolve("piece-" + count++);
        try {
            Files.write(piece, new byte[size]);
            pieces.addLast(piece);
            return true;
        } catch (IOException full) {
            Files.deleteIfExists(piece);
            return false;
        }
    }

    void free(int count) throws IOException {
        for (int i = 0; i < count && !pieces.isEmpty(); i++) {
            Files.delete(pieces.removeLast());
        }
        settle();
    }

    void freeAll() throws IOException {
        free(pieces.size());
    }
}
