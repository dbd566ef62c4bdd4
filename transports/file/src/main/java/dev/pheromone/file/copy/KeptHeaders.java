package dev.pheromone.file.copy;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;

import java.io.EOFException;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;

/// The headers of one inbox, kept in a file inside it, so that the next process need not open every
/// envelope. Nothing depends on the file: one that is missing, cut, of another format or under a
/// lock is as good as none.
///
/// The file lies one level below the mail: whoever locks the inbox locks the file as well, and
/// writing it does not change the times of the inbox. Programs that know nothing of it pass over
/// names that begin with a dot.
final class KeptHeaders {

    /// What is known of one file.
    ///
    /// @param changed the file's ctime when its header was read
    /// @param hasHistory whether the envelope had been claimed by then
    record Kept(String name, Header header, Instant changed, boolean hasHistory) {}

    /// A folder as it was at one moment: it differs as soon as a name comes or goes. The ctime is
    /// part of it because whoever restores a backup sets the other time back.
    record FolderMark(String inode, Instant modified, Instant changed) {

        /// There is no such folder.
        static final FolderMark NONE = new FolderMark("", Instant.EPOCH, Instant.EPOCH);

        /// Nobody looked: no folder is like that.
        static final FolderMark UNKNOWN = new FolderMark("?", Instant.EPOCH, Instant.EPOCH);

        /// Whether the folder changed within the last tick of its file system.
        boolean isYoung(Instant now) {
            return modified.plus(TICK_MAX).isAfter(now) || changed.plus(TICK_MAX).isAfter(now);
        }
    }

    /// Both folders, taken before anything in them was listed.
    record Marks(FolderMark inbox, FolderMark histories) {
        static final Marks UNKNOWN = new Marks(FolderMark.UNKNOWN, FolderMark.UNKNOWN);
    }

    /// How coarse the times of a file system may be: a folder that changed within this time before
    /// it was listed may change again without showing it.
    static final Duration TICK_MAX = Duration.ofSeconds(2);

    /// What is longer is neither kept nor read: some 400,000 headers.
    private static final int BYTES_MAX = 64 << 20;

    /// As much as is read or written at once, with the guard being asked each time.
    private static final int CHUNK_BYTES = 1 << 18;

    private static final byte[] FORMAT =
            "pheromone headers 2\n".getBytes(StandardCharsets.US_ASCII);
    private static final HexFormat HEX = HexFormat.of();

    private final Disk files;
    private final HiveLayout layout;
    private final Domain domain;
    private final Path file;

    KeptHeaders(Disk files, HiveLayout layout, Domain domain) {
        this.files = files;
        this.layout = layout;
        this.domain = domain;
        this.file = layout.headers(domain);
    }

    /// The folders as they are now.
    Marks marks() {
        return new Marks(mark(layout.inbox(domain)), mark(layout.histories(domain)));
    }

    private FolderMark mark(Path folder) {
        try {
            return files.stat(folder)
                    .map(stat ->
                            new FolderMark(
                                    String.valueOf(stat.inode()), stat.modified(), stat.changed()))
                    .orElse(FolderMark.NONE);
        } catch (IOException e) {
            return FolderMark.UNKNOWN;
        }
    }

    /// What the file says: nothing if there is none, or none that can be used.
    Content read() {
        try {
            Optional<Stat> stat = files.stat(file);
            return stat.isPresent() && stat.get().size() <= BYTES_MAX
                    ? Content.of(bytes((int) stat.get().size()), stat.get().modified())
                    : Content.NONE;
        } catch (IOException e) {
            // Under a lock, or on a bad disk: the mail itself tells.
            return Content.NONE;
        }
    }

    private byte[] bytes(int size) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(size);
        try (Disk.Reader reader = files.openRead(file)) {
            while (all.hasRemaining()) {
                int from = all.position();
                all.limit(Math.min(size, from + CHUNK_BYTES));
                if (reader.read(all, from) < 0) {
                    throw new EOFException(file.toString());
                }
                all.limit(size);
            }
        }
        return all.array();
    }

    /// Keeps `content`. Several processes may do so at once: each has a draft of its own, and the
    /// last one stays.
    void write(Draft content) {
        if (content.size() > BYTES_MAX) {
            return;
        }
        Path draft = Publication.draft(layout.drafts(domain), "headers.");
        try {
            try (Disk.Appender appender =
                    files.in(layout.drafts(domain), () -> files.openAppend(draft))) {
                content.writeTo(appender);
            }
            files.renameInto(layout.headersFolder(domain), draft, file);
        } catch (IOException e) {
            // A full disk, a lock: the next process opens the mail instead.
            remove(draft);
        }
    }

    /// Removes the file, as far as that is allowed.
    void drop() {
        if (files.exists(file)) {
            remove(file);
        }
    }

    private void remove(Path name) {
        try {
            files.remove(name);
        } catch (IOException e) {
            // There is none, or a lock covers it.
        }
    }

    /// The content of a file as it is being made: a head, a record for each header, names without
    /// one, and a checksum.
    ///
    /// A record begins with its length and what is needed to put an envelope in order, at fixed
    /// places; texts follow, each with its length.
    static final class Draft {

        private final long beganNanos;
        private byte[] bytes = new byte[CHUNK_BYTES];
        private ByteBuffer out = ByteBuffer.wrap(bytes);
        private int records;

        /// @param beganNanos when the folders were listed, by the clock of this process
        Draft(Marks marks, long beganNanos, List<String> others) {
            this.beganNanos = beganNanos;
            out.put(FORMAT);
            put(marks.inbox());
            put(marks.histories());
            room(Integer.BYTES).putInt(others.size());
            others.forEach(this::put);
            // Counts from here on are known at the end only.
            room(Integer.BYTES).putInt(0);
            countAt = out.position() - Integer.BYTES;
        }

        private final int countAt;

        private void put(FolderMark mark) {
            put(mark.inode());
            put(mark.modified());
            put(mark.changed());
        }

        void put(Kept kept) {
            Header header = kept.header();
            int start = out.position();
            room(Content.TEXTS_AT)
                    .putInt(0)
                    .put(flags(kept))
                    .put((byte) header.priority().ordinal())
                    .put((byte) header.consent().ordinal())
                    .put((byte) 0);
            put(header.ts());
            put(kept.changed());
            out.putLong(header.ttl().duration().toSeconds())
                    .putInt(header.bodyStart())
                    .put(HEX.parseHex(header.hash().hex()));
            put(kept.name());
            put(header.id().text());
            put(header.from().name());
            put(header.lane().name());
            put(header.ttl().text());
            put(header.topic());
            out.putInt(start, out.position() - start);
            records++;
        }

        private static byte flags(Kept kept) {
            Header header = kept.header();
            return (byte)
                    ((header.signed() ? Content.SIGNED : 0)
                            | (kept.hasHistory() ? Content.HAS_HISTORY : 0)
                            | (header.question() ? Content.QUESTION : 0)
                            | (header.answer() ? Content.ANSWER : 0));
        }

        /// The same record once more.
        void put(Content content, int record) {
            int start = content.offsets[record];
            int length = content.in.getInt(start);
            int at = room(length).position();
            out.put(at, content.in, start, length).position(at + length);
            records++;
        }

        private void put(Instant time) {
            room(Content.TIME_BYTES).putLong(time.getEpochSecond()).putInt(time.getNano());
        }

        private void put(String text) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            room(Integer.BYTES + utf8.length).putInt(utf8.length).put(utf8);
        }

        private ByteBuffer room(int length) {
            if (out.remaining() < length) {
                int size = out.position();
                bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + length));
                out = ByteBuffer.wrap(bytes).position(size);
            }
            return out;
        }

        int size() {
            return out.position();
        }

        private void writeTo(Disk.Appender appender) throws IOException {
            // The file's own time is that of its last write, and so of its listing by this much
            // less.
            out.putInt(countAt, records);
            room(2 * Long.BYTES).putLong(System.nanoTime() - beganNanos);
            CRC32 sum = new CRC32();
            sum.update(bytes, 0, out.position());
            out.putLong(sum.getValue());
            for (int at = 0; at < out.position(); at += CHUNK_BYTES) {
                int length = Math.min(CHUNK_BYTES, out.position() - at);
                appender.write(ByteBuffer.wrap(bytes, at, length));
            }
        }
    }

    /// What a file says. Each header is decoded when somebody asks for it: of a hundred thousand
    /// mostly one is wanted.
    static final class Content {

        static final int TIME_BYTES = Long.BYTES + Integer.BYTES;

        /// Where things lie in a record.
        private static final int FLAGS_AT = 4;

        private static final int SIGNED = 1;
        private static final int HAS_HISTORY = 2;
        private static final int QUESTION = 4;
        private static final int ANSWER = 8;

        private static final int PRIORITY_AT = 5;
        private static final int CONSENT_AT = 6;
        private static final int TS_AT = 8;
        private static final int CHANGED_AT = TS_AT + TIME_BYTES;
        private static final int TTL_AT = CHANGED_AT + TIME_BYTES;
        private static final int BODY_AT = TTL_AT + Long.BYTES;
        private static final int HASH_AT = BODY_AT + Integer.BYTES;
        private static final int HASH_BYTES = 32;
        static final int TEXTS_AT = HASH_AT + HASH_BYTES;

        /// Far beyond any date in mail, and far from where times overflow.
        private static final long SECONDS_MAX = 1L << 40;

        private static final Priority[] PRIORITIES = Priority.values();
        private static final Consent[] CONSENTS = Consent.values();

        static final Content NONE =
                new Content(
                        ByteBuffer.allocate(0),
                        Marks.UNKNOWN,
                        List.of(),
                        new int[0],
                        Instant.EPOCH);

        private final ByteBuffer in;
        private final Marks marks;
        private final List<String> others;
        private final int[] offsets;
        private final Instant listedAt;

        /// The records by their names: a table of their numbers plus one, 0 for nothing. Empty
        /// until somebody looks for a name.
        private int[] byName = {};

        private Content(
                ByteBuffer in, Marks marks, List<String> others, int[] offsets, Instant listedAt) {
            this.in = in;
            this.marks = marks;
            this.others = others;
            this.offsets = offsets;
            this.listedAt = listedAt;
        }

        private static Content of(byte[] bytes, Instant writtenAt) {
            int end = bytes.length - 2 * Long.BYTES;
            if (end < FORMAT.length
                    || !Arrays.equals(FORMAT, Arrays.copyOf(bytes, FORMAT.length))) {
                return NONE;
            }
            CRC32 sum = new CRC32();
            sum.update(bytes, 0, bytes.length - Long.BYTES);
            ByteBuffer in = ByteBuffer.wrap(bytes);
            if (in.getLong(bytes.length - Long.BYTES) != sum.getValue()) {
                return NONE;
            }
            try {
                in.position(FORMAT.length);
                Marks marks = new Marks(mark(in), mark(in));
                List<String> others = new ArrayList<>();
                for (int left = in.getInt(); left > 0; left--) {
                    others.add(text(in));
                }
                Instant listedAt = writtenAt.minusNanos(in.getLong(end));
                int[] offsets = new int[Math.min(in.getInt(), end / TEXTS_AT)];
                int at = in.position();
                for (int i = 0; i < offsets.length; i++) {
                    offsets[i] = at;
                    at += in.getInt(at);
                }
                Content content = new Content(in, marks, others, offsets, listedAt);
                return at == end && content.isSound() ? content : NONE;
            } catch (IllegalArgumentException
                    | DateTimeException
                    | ArithmeticException
                    | IndexOutOfBoundsException
                    | BufferUnderflowException
                    | NegativeArraySizeException e) {
                // The sum is right, and yet nobody of us wrote this.
                return NONE;
            }
        }

        /// Whether all records can be put in order. Whatever else is wrong with one shows when its
        /// header is decoded, and its file is opened instead.
        private boolean isSound() {
            boolean isSound = others.stream().allMatch(Content::isNameHere);
            for (int i = 0; isSound && i < offsets.length; i++) {
                EnvelopeId id = id(i);
                long ttl = in.getLong(offsets[i] + TTL_AT);
                isSound =
                        priority(i) != null
                                && Math.abs(ts(i).getEpochSecond()) < SECONDS_MAX
                                && Math.abs(changed(i).getEpochSecond()) < SECONDS_MAX
                                && ttl > 0
                                && ttl <= Ttl.MAX.toSeconds();
                String name = name(i);
                isSound &= name.equals(id + HiveLayout.MAIL_SUFFIX) || isNameHere(name);
            }
            return isSound;
        }

        /// Whether this can be the name of mail, and leads nowhere else.
        private static boolean isNameHere(String name) {
            return InboxIndex.isMailName(name)
                    && name.indexOf('/') < 0
                    && name.indexOf('\\') < 0
                    && name.indexOf('\0') < 0;
        }

        private static FolderMark mark(ByteBuffer in) {
            return new FolderMark(text(in), time(in), time(in));
        }

        private static Instant time(ByteBuffer in) {
            return Instant.ofEpochSecond(in.getLong(), in.getInt());
        }

        private static String text(ByteBuffer in) {
            int length = in.getInt();
            if (length < 0 || length > in.remaining()) {
                throw new IllegalArgumentException("found a text of " + length + " bytes");
            }
            byte[] utf8 = new byte[length];
            in.get(utf8);
            return new String(utf8, StandardCharsets.UTF_8);
        }

        /// Whether the inbox has the same names as when it was listed.
        boolean isOfInbox(FolderMark now) {
            return holds(marks.inbox(), now);
        }

        /// Whether no other envelope got a history since then.
        boolean isOfHistories(FolderMark now) {
            return holds(marks.histories(), now);
        }

        private boolean holds(FolderMark then, FolderMark now) {
            return then.equals(now) && !then.equals(FolderMark.UNKNOWN) && !then.isYoung(listedAt);
        }

        int size() {
            return offsets.length;
        }

        /// Names of mail of which no header is kept: these files are opened each time.
        List<String> others() {
            return others;
        }

        /// The number of the record of a file; -1 if there is none.
        int find(String name) {
            if (byName.length == 0 && offsets.length > 0) {
                byName = new int[Integer.highestOneBit(offsets.length) << 2];
                for (int i = 0; i < offsets.length; i++) {
                    byName[placeOf(name(i))] = i + 1;
                }
            }
            return byName.length == 0 ? -1 : byName[placeOf(name)] - 1;
        }

        private int placeOf(String name) {
            int mask = byName.length - 1;
            int hash = name.hashCode();
            int place = (hash ^ hash >>> 16) & mask;
            while (byName[place] != 0 && !name(byName[place] - 1).equals(name)) {
                place = (place + 1) & mask;
            }
            return place;
        }

        private String name(int record) {
            return text(in.position(offsets[record] + TEXTS_AT));
        }

        Path file(int record, Path folder) {
            return folder.resolve(name(record));
        }

        boolean hasHistory(int record) {
            return isSet(offsets[record], HAS_HISTORY);
        }

        private boolean isSet(int offset, int flag) {
            return (in.get(offset + FLAGS_AT) & flag) != 0;
        }

        EnvelopeId id(int record) {
            int at = offsets[record] + TEXTS_AT;
            in.position(at + Integer.BYTES + in.getInt(at));
            return EnvelopeId.parse(text(in));
        }

        Priority priority(int record) {
            return PRIORITIES[in.get(offsets[record] + PRIORITY_AT)];
        }

        Instant ts(int record) {
            return time(in.position(offsets[record] + TS_AT));
        }

        Instant changed(int record) {
            return time(in.position(offsets[record] + CHANGED_AT));
        }

        Duration ttl(int record) {
            return Duration.ofSeconds(in.getLong(offsets[record] + TTL_AT));
        }

        /// The whole header.
        ///
        /// @throws IllegalArgumentException if it is none
        Header header(int record) {
            int at = offsets[record];
            EnvelopeId id = id(record);
            Actor from = Actor.parse(text(in));
            Lane lane = Lane.parse(text(in));
            Ttl ttl = Ttl.parse(text(in));
            String topic = text(in);
            byte[] hash = new byte[HASH_BYTES];
            in.get(at + HASH_AT, hash);
            return new Header(
                    id,
                    ts(record),
                    from,
                    lane,
                    topic,
                    priority(record),
                    ttl,
                    CONSENTS[Math.floorMod(in.get(at + CONSENT_AT), CONSENTS.length)],
                    new ContentHash(HEX.formatHex(hash)),
                    isSet(at, SIGNED),
                    isSet(at, QUESTION),
                    isSet(at, ANSWER),
                    in.getInt(at + BODY_AT));
        }
    }
}
