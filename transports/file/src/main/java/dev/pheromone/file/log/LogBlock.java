package dev.pheromone.file.log;

import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseScope;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// What is known of some neighbouring lines of the event log, so that most readers can pass them
/// by.
///
/// Texts are known by their hashes: two that differ may look the same, and then lines are read for
/// nothing.
///
/// @param offset where the first line begins
/// @param end where the line after the last begins
/// @param isPlain whether each line is blank or has events only, all with a time of their own; of
///   any other block nothing else is relied on
/// @param events how many events there are
/// @param earliest the smallest time of an event; the lines need not be in order
/// @param latest the greatest time of an event
/// @param last the time of the last event; null if there is none
/// @param signalsUntil when the last of the drops is over that announce no mail of this block
/// @param types the types of the events, hashed and sorted
/// @param keys the ids that the events name, hashed and sorted
record LogBlock(
        long offset,
        long end,
        boolean isPlain,
        int events,
        Instant earliest,
        Instant latest,
        @Nullable Instant last,
        Instant signalsUntil,
        IntBuffer types,
        IntBuffer keys) {

    /// A block is closed by the first line that begins so far behind it. What is behind the last
    /// closed one is read each time, by a process that has just started: a hundredth of a second.
    /// The blocks of a gigabyte still fit into a few megabytes.
    static final int BYTES_MIN = 256 * 1024;

    /// Offset, end, two flags, count, four times and two lengths.
    private static final int FIXED_BYTES = 16 + 2 + 4 + 4 * 12 + 8;

    /// A scope as blocks are held against it.
    ///
    /// @param types the hashes of its types
    /// @param keys the hashes of its ids
    @SuppressWarnings("ArrayRecordComponent")
    record Wanted(RseScope scope, int[] types, int[] keys) {

        static Wanted of(RseScope scope) {
            return new Wanted(
                    scope,
                    hashes(scope.types().stream()),
                    hashes(scope.about().stream().map(RseScope::key)));
        }
    }

    /// Whether an event that is wanted may be in this block, or a line that is no event.
    boolean mayHold(Wanted wanted) {
        if (!isPlain) {
            return true;
        }
        Instant since = wanted.scope().since();
        Instant until = wanted.scope().until();
        Instant signalsAt = wanted.scope().signalsAt();
        return events > 0
                && (since == null || !latest.isBefore(since))
                && (until == null || earliest.isBefore(until))
                && (signalsAt == null || signalsUntil.isAfter(signalsAt))
                && (wanted.types().length == 0 || holdsAny(types, wanted.types()))
                && (wanted.keys().length == 0 || holdsAny(keys, wanted.keys()));
    }

    /// Whether each event of this block is in the time that is wanted.
    boolean isWhole(Wanted wanted) {
        Instant since = wanted.scope().since();
        Instant until = wanted.scope().until();
        return isPlain
                && (since == null || !earliest.isBefore(since))
                && (until == null || latest.isBefore(until));
    }

    /// Whether two sorted lists have something in common.
    private static boolean holdsAny(IntBuffer here, int[] wanted) {
        int low = 0;
        for (int hash : wanted) {
            int high = here.limit();
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (here.get(middle) < hash) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            if (low < here.limit() && here.get(low) == hash) {
                return true;
            }
        }
        return false;
    }

    private static int[] hashes(Stream<String> texts) {
        return texts.mapToInt(LogBlock::hash).sorted().distinct().toArray();
    }

    private static int hash(String text) {
        // FNV-1a with a last mix: String.hashCode is the same for too many short texts.
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        hash = (hash ^ (hash >>> 32)) * 0x9e3779b97f4a7c15L;
        return (int) (hash >>> 32);
    }

    /// How many bytes [#write] writes.
    int length() {
        return FIXED_BYTES + (types.limit() + keys.limit()) * Integer.BYTES;
    }

    void write(ByteBuffer out) {
        out.putLong(offset).putLong(end);
        out.put((byte) (isPlain ? 1 : 0)).put((byte) (last == null ? 0 : 1)).putInt(events);
        for (Instant time :
                List.of(earliest, latest, last == null ? Instant.EPOCH : last, signalsUntil)) {
            out.putLong(time.getEpochSecond()).putInt(time.getNano());
        }
        for (IntBuffer hashes : List.of(types, keys)) {
            out.putInt(hashes.limit());
            out.asIntBuffer().put(hashes.duplicate());
            out.position(out.position() + hashes.limit() * Integer.BYTES);
        }
    }

    /// Reads what [#write] wrote. The hashes stay where they are: of most blocks few are looked at.
    static LogBlock read(ByteBuffer in) {
        long offset = in.getLong();
        long end = in.getLong();
        boolean isPlain = in.get() != 0;
        boolean hasLast = in.get() != 0;
        int events = in.getInt();
        Instant earliest = readTime(in);
        Instant latest = readTime(in);
        Instant last = readTime(in);
        return new LogBlock(
                offset,
                end,
                isPlain,
                events,
                earliest,
                latest,
                hasLast ? last : null,
                readTime(in),
                readHashes(in),
                readHashes(in));
    }

    private static Instant readTime(ByteBuffer in) {
        return Instant.ofEpochSecond(in.getLong(), in.getInt());
    }

    private static IntBuffer readHashes(ByteBuffer in) {
        IntBuffer hashes = in.slice().asIntBuffer();
        int count = in.getInt();
        in.position(in.position() + Math.multiplyExact(count, Integer.BYTES));
        return hashes.slice(1, count);
    }

    /// Gathers what is known of blocks, from all entries of a log in their order.
    static final class Gathering {

        private final List<LogBlock> closed = new ArrayList<>();
        private long offset;

        private boolean isPlain = true;
        private int events;
        private Instant earliest = Instant.MAX;
        private Instant latest = Instant.MIN;
        private @Nullable Instant last;
        private final Set<String> types = new HashSet<>();
        private final Set<String> about = new HashSet<>();
        private final Set<String> mail = new HashSet<>();
        private final List<RseEvent.PheromoneDrop> drops = new ArrayList<>();

        /// @param offset where the first block begins
        Gathering(long offset) {
            this.offset = offset;
        }

        /// The blocks that no line can be added to any more.
        List<LogBlock> closed() {
            return closed;
        }

        void add(RseEntry entry) {
            if (entry.offset() - offset >= BYTES_MIN) {
                close(entry.offset());
            }
            if (!(entry instanceof RseEntry.Read read)) {
                isPlain = false;
                return;
            }
            RseEvent event = read.event();
            isPlain &= read.timeKnown();
            events++;
            earliest = event.ts().isBefore(earliest) ? event.ts() : earliest;
            latest = event.ts().isAfter(latest) ? event.ts() : latest;
            last = event.ts();
            types.add(event.type());
            event.data().optionalText("id").ifPresent(about::add);
            event.data().optionalText("ref").ifPresent(about::add);
            if (event instanceof RseEvent.RsmEnvelopeEmit) {
                event.about().ifPresent(mail::add);
            } else if (event instanceof RseEvent.PheromoneDrop drop) {
                drops.add(drop);
            }
        }

        private void close(long end) {
            Instant signalsUntil = Instant.EPOCH;
            for (RseEvent.PheromoneDrop drop : drops) {
                boolean announcesMail = drop.about().filter(mail::contains).isPresent();
                if (!announcesMail && drop.end().isAfter(signalsUntil)) {
                    signalsUntil = drop.end();
                }
            }
            closed.add(
                    new LogBlock(
                            offset,
                            end,
                            isPlain,
                            events,
                            events == 0 ? Instant.EPOCH : earliest,
                            events == 0 ? Instant.EPOCH : latest,
                            last,
                            signalsUntil,
                            IntBuffer.wrap(hashes(types.stream())),
                            IntBuffer.wrap(hashes(about.stream().map(RseScope::key)))));
            offset = end;
            isPlain = true;
            events = 0;
            earliest = Instant.MAX;
            latest = Instant.MIN;
            last = null;
            types.clear();
            about.clear();
            mail.clear();
            drops.clear();
        }
    }
}
