package dev.pheromone.file;

import dev.pheromone.ContentHash;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;

/// The hash of a whole file, of any size.
final class FileHash {

    private static final int BUFFER_BYTES = 64 * 1024;

    private FileHash() {}

    static ContentHash of(Disk disk, Path file) throws IOException {
        MessageDigest digest = ContentHash.sha256();
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        try (Disk.Reader reader = disk.openRead(file)) {
            long position = 0;
            for (int length = reader.read(buffer, position);
                    length > 0;
                    length = reader.read(buffer, position)) {
                position += length;
                digest.update(buffer.flip());
                buffer.clear();
            }
        }
        return ContentHash.parse("sha256:" + HexFormat.of().formatHex(digest.digest()));
    }
}
