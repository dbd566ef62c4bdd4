package dev.pheromone.envelope;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// Bytes looked at eight at a time, to pass over the many that mean nothing: a header is mostly
/// letters and digits.
///
/// Each question is answered for all bytes of a word at once, with the highest bit of each byte as
/// its answer. A carry may spoil the answers for the bytes behind the first that is found, never
/// the first itself.
final class PackedBytes {

    private static final int WORD = Long.BYTES;
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long HIGHEST_BITS = 0x8080_8080_8080_8080L;
    private static final long SPACES = ' ' * ONES;
    private static final long COLONS = ':' * ONES;
    private static final long SHARPS = '#' * ONES;

    private final byte[] bytes;

    /// Read through a buffer, because the platform makes one instruction of it without the start-up
    /// cost of a variable handle.
    private final ByteBuffer words;

    PackedBytes(byte[] bytes) {
        this.bytes = bytes;
        this.words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /// The first place from `at` on that is not printable ASCII, or `end`.
    int afterPrintable(int at, int end) {
        int i = at;
        for (; i <= end - WORD; i += WORD) {
            long word = words.getLong(i);
            // A byte below the space borrows; 0x7F plus one has the highest bit, as have all others
            // that are not ASCII.
            long found = (word | (word - SPACES) | (word + ONES)) & HIGHEST_BITS;
            if (found != 0) {
                return i + firstOf(found);
            }
        }
        while (i < end && bytes[i] >= ' ' && bytes[i] != 0x7F) {
            i++;
        }
        return i;
    }

    /// The first place from `at` on that has `:` or `#`, or `end`.
    int nextColonOrSharp(int at, int end) {
        int i = at;
        for (; i <= end - WORD; i += WORD) {
            long word = words.getLong(i);
            long found = zeros(word ^ COLONS) | zeros(word ^ SHARPS);
            if (found != 0) {
                return i + firstOf(found);
            }
        }
        while (i < end && bytes[i] != ':' && bytes[i] != '#') {
            i++;
        }
        return i;
    }

    private static long zeros(long word) {
        return (word - ONES) & ~word & HIGHEST_BITS;
    }

    private static int firstOf(long found) {
        return Long.numberOfTrailingZeros(found) / Byte.SIZE;
    }
}
