package dev.pheromone.disk;

import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Folders in memory, where the machine has room for such, for tests whose disk only pretends to
/// lose power: each of their thousands of forces would make a real disk wait for nothing.
public final class InMemory implements TempDirFactory {

    private static final Path MEMORY = Path.of("/dev/shm");

    /// Containers often have a few megabytes only.
    private static final long ROOM_BYTES = 1L << 30;

    @Override
    public Path createTempDirectory(
            AnnotatedElementContext elementContext, ExtensionContext extensionContext)
            throws IOException {
        boolean hasRoom =
                Files.isWritable(MEMORY)
                        && Files.getFileStore(MEMORY).getUsableSpace() > ROOM_BYTES;
        return hasRoom
                ? Files.createTempDirectory(MEMORY, "rsm-sweep-")
                : Files.createTempDirectory("rsm-sweep-");
    }
}
