package dev.pheromone.disk;

import dev.pheromone.envelope.ContentHash;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;

/// The hash of a file, of any size.
public final class FileHash {

    private static final int BUFFER_BYTES = 64 * 1024;

    private FileHash() {}

    public static ContentHash of(Disk disk, Path file) throws IOException {
        return of(disk, file, Long.MAX_VALUE);
    }

    /// The hash of the first `bytesMax` bytes.
    public static ContentHash of(Disk disk, Path file, long bytesMax) throws IOException {
        MessageDigest digest = ContentHash.sha256();
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        try (Disk.Reader reader = disk.openRead(file)) {
            long position = 0;
            for (int length = reader.read(buffer, position);
                    length > 0;
                    length = reader.read(buffer, position)) {
                buffer.flip();
                buffer.limit((int) Math.min(length, bytesMax - position));
                position += buffer.limit();
                digest.update(buffer);
                buffer.clear();
                if (position == bytesMax) {
                    break;
                }
            }
        }
        return ContentHash.parse("sha256:" + HexFormat.of().formatHex(digest.digest()));
    }
}
