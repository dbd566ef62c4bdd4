package dev.pheromone.file.log;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.Stat;
import dev.pheromone.rse.Cursor;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.CRC32C;

/// What is known of the closed blocks of an event log, from its beginning on, in a file that may be
/// lost at any time: whoever reads the log makes it again.
///
/// Other writers know nothing of it. It is of use only for the very log that it was made from: the
/// same file, with the same bytes at its beginning and before the end of the last block.
///
/// @param file the identity of the log's file, as text
/// @param end the place behind the last block
/// @param blocks one after the other, without a gap
record LogIndex(String file, Cursor end, List<LogBlock> blocks) {

    /// The first words of the file; other words are another format.
    private static final String FORMAT = "pheromone log index 1";

    /// An index of a log of some 10 GB. One of a longer log is not written.
    private static final int BYTES_MAX = 64 * 1024 * 1024;

    /// A draft that is so much older than the log's last line has no writer any more.
    private static final Duration DRAFT_AGE_MAX = Duration.ofMinutes(1);

    private static final String DRAFT_SUFFIX = ".new";

    LogIndex {
        blocks = List.copyOf(blocks);
    }

    /// The text by which a log's file is known again.
    static String identity(Stat log) {
        return log.inode().toString();
    }

    /// The index in the file `path`; empty if there is none that can be used, for whatever reason.
    static Optional<LogIndex> read(Disk files, Path path) {
        try {
            return files.exists(path) ? parse(files.read(path, BYTES_MAX)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// Writes the index to the file `path`, unless that holds the same. Failing is no harm: the
    /// next reader tries again.
    ///
    /// @param log the log's file as it is now
    void write(Disk files, Path path, Stat log) {
        try {
            byte[] content = bytes();
            if (content.length > BYTES_MAX || holds(files, path, content)) {
                return;
            }
            Path draft = path.resolveSibling(path.getFileName() + DRAFT_SUFFIX);
            files.createFolder(Objects.requireNonNull(path.getParent()));
            try (Disk.Operation _ = files.begin()) {
                files.create(draft, content);
                files.rename(draft, path);
            } catch (FileAlreadyExistsException e) {
                removeIfOld(files, draft, log);
            }
        } catch (IOException e) {
            // A lock, a full disk or one that can't be written: everything works without an index.
        }
    }

    /// Whether the file holds this very content. One of another length is not even read: it may be
    /// longer than any index.
    private static boolean holds(Disk files, Path path, byte[] content) throws IOException {
        Optional<Stat> stat = files.stat(path);
        return stat.isPresent()
                && stat.get().isFile()
                && stat.get().size() == content.length
                && Arrays.equals(files.read(path, content.length), content);
    }

    /// Removes the draft of a writer that has died. One that was only slow renames the draft of the
    /// next writer, whole or not: a part of an index is no index.
    private static void removeIfOld(Disk files, Path draft, Stat log) throws IOException {
        Optional<Stat> stat = files.stat(draft);
        if (stat.isPresent()
                && stat.get().isFile()
                && stat.get().changed().plus(DRAFT_AGE_MAX).isBefore(log.modified())) {
            files.remove(draft);
        }
    }

    static Optional<LogIndex> parse(byte[] content) {
        int length = content.length - Long.BYTES;
        try {
            ByteBuffer in = ByteBuffer.wrap(content);
            if (length < 0
                    || in.getLong(length) != checksum(content, length)
                    || !readText(in).equals(FORMAT)) {
                return Optional.empty();
            }
            String file = readText(in);
            Cursor end = Cursor.parse(readText(in));
            List<LogBlock> blocks = new ArrayList<>();
            long offset = 0;
            while (in.position() < length) {
                LogBlock block = LogBlock.read(in);
                if (block.offset() != offset || block.end() <= offset) {
                    return Optional.empty();
                }
                blocks.add(block);
                offset = block.end();
            }
            return offset == end.offset()
                    ? Optional.of(new LogIndex(file, end, blocks))
                    : Optional.empty();
        } catch (BufferUnderflowException
                | IndexOutOfBoundsException
                | IllegalArgumentException
                | ArithmeticException
                | DateTimeException e) {
            return Optional.empty();
        }
    }

    private byte[] bytes() {
        byte[][] texts = {utf8(FORMAT), utf8(file), utf8(end.toString())};
        int length = Long.BYTES;
        for (byte[] text : texts) {
            length += Short.BYTES + text.length;
        }
        for (LogBlock block : blocks) {
            length = Math.addExact(length, block.length());
        }
        ByteBuffer out = ByteBuffer.allocate(length);
        for (byte[] text : texts) {
            out.putShort((short) text.length).put(text);
        }
        blocks.forEach(block -> block.write(out));
        return out.putLong(checksum(out.array(), out.position())).array();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String readText(ByteBuffer in) {
        byte[] text = new byte[Short.toUnsignedInt(in.getShort())];
        in.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    private static long checksum(byte[] bytes, int length) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, length);
        return sum.getValue();
    }
}
