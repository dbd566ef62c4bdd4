package dev.pheromone.file.copy;

import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// What happened to each envelope, in a file of its own beside it: one JSON line a step, only ever
/// appended.
///
/// The envelope itself is never edited. Losing a history costs attempt counts and pauses, never
/// mail.
public final class History {

    /// A history, summed up.
    ///
    /// @param attempts claims so far, less those given back
    /// @param steps the lines themselves, oldest first
    public record Facts(
            @Nullable Instant firstSeen,
            int attempts,
            @Nullable Instant notBefore,
            List<Json.Obj> steps) {

        public static final Facts NONE = new Facts(null, 0, null, List.of());

        /// When the copy was first seen here: before its first claim only its file tells.
        ///
        /// @param changed the file's ctime
        public Instant firstSeen(Instant changed) {
            return firstSeen == null ? changed : firstSeen;
        }

        /// The last that is known of a claim. If it was taken from its holder, that is what this
        /// says.
        public Optional<Json.Obj> lastOf(String claim) {
            return steps.reversed().stream()
                    .filter(step -> step.optionalText("claim").orElse("").equals(claim))
                    .findFirst();
        }

        /// Whether the holder of a claim finished the copy, given that it is finished: the holder
        /// said done, and nobody could take the copy up later. Whoever claims what is finished is
        /// turned away.
        public boolean isDoneBy(String claim) {
            boolean isLater = false;
            for (Json.Obj step : steps) {
                String other = step.optionalText("claim").orElse("");
                if (other.equals(claim)) {
                    isLater = true;
                } else if (isLater
                        && step.optionalText("what").orElse("").equals("claim")
                        && lastOf(other)
                                .flatMap(History::stateOf)
                                .filter(TURNED_AWAY::contains)
                                .isEmpty()) {
                    return false;
                }
            }
            return lastOf(claim).flatMap(History::stateOf).equals(Optional.of(State.DONE));
        }

        /// What was last told of a claim's return, whatever came after it.
        Optional<Json.Obj> returnOf(String claim) {
            return steps.reversed().stream()
                    .filter(step -> step.optionalText("claim").orElse("").equals(claim))
                    .filter(step -> reasonOf(step).isPresent())
                    .findFirst();
        }
    }

    /// How claims of what is finished end.
    private static final Set<State> TURNED_AWAY = Set.of(State.DUPLICATE, State.CONFLICT);

    /// As much of a history as is read. What is longer was claimed and given back thousands of
    /// times: of that the beginning counts, where it was first seen, and the end.
    static final int BYTES_MAX = 1 << 22;

    private static final int BEGINNING_BYTES = 1 << 12;

    /// A note is for people; more of it is in the event.
    private static final int NOTE_LENGTH_MAX = 1_000;

    private static final byte LINE_END = '\n';

    private final Disk files;
    private final HiveLayout layout;
    private final Actor self;

    /// @param self who ends claims and gives them back here
    public History(Disk files, HiveLayout layout, Actor self) {
        this.files = files;
        this.layout = layout;
        this.self = self;
    }

    Actor self() {
        return self;
    }

    /// The names of all that have a history, unless there are more than `countMax`. While others
    /// work, one may be missed.
    Optional<Set<String>> names(Domain domain, int countMax) throws IOException {
        return files.listIfFew(layout.histories(domain), countMax)
                .map(entries ->
                        entries.stream().map(HiveLayout::historyName).collect(Collectors.toSet()));
    }

    /// The history of the envelope or file `name`; a line that can't be read is passed over.
    public Facts read(Domain domain, String name) throws IOException {
        Path file = layout.history(domain, name);
        // Most envelopes have none yet, and asking is cheaper than an exception.
        if (!files.exists(file)) {
            return Facts.NONE;
        }
        byte[] bytes;
        try {
            bytes = files.read(file, BYTES_MAX + 1);
            if (bytes.length > BYTES_MAX) {
                bytes = beginningAndEnd(file);
            }
        } catch (NoSuchFileException e) {
            return Facts.NONE;
        }
        List<Json.Obj> steps = new ArrayList<>();
        for (String line : new String(bytes, StandardCharsets.UTF_8).split("\n", -1)) {
            try {
                if (!line.isBlank() && Json.parse(line) instanceof Json.Obj step) {
                    steps.add(step);
                }
            } catch (MalformedJsonException e) {
                // A torn line: the step it tells of is known from the files themselves.
            }
        }
        return sumUp(steps);
    }

    /// Cut at line ends, but for a line that is longer than its part: it can't be read then.
    private byte[] beginningAndEnd(Path file) throws IOException {
        ByteBuffer both = ByteBuffer.allocate(BEGINNING_BYTES + 1 + BYTES_MAX);
        try (Disk.Reader reader = files.openRead(file)) {
            fill(reader, both.limit(BEGINNING_BYTES), 0);
            both.limit(both.capacity()).put(LINE_END);
            fill(reader, both, reader.size() - BYTES_MAX);
        }
        return Arrays.copyOf(both.array(), both.position());
    }

    private static void fill(Disk.Reader reader, ByteBuffer into, long from) throws IOException {
        long at = from;
        while (into.hasRemaining()) {
            int read = reader.read(into, at);
            if (read < 0) {
                return;
            }
            at += read;
        }
    }

    private static Facts sumUp(List<Json.Obj> told) {
        List<Json.Obj> steps = withoutLateEndings(told);
        Set<String> attempts = new HashSet<>();
        Instant firstSeen = null;
        Instant notBefore = null;
        for (Json.Obj step : steps) {
            String claim = step.optionalText("claim").orElse("");
            switch (step.optionalText("what").orElse("")) {
                case "first_seen" -> firstSeen = instant(step, "ts");
                case "claim" -> attempts.add(claim);
                case "return" -> {
                    attempts.add(claim);
                    if (step.optionalText("reason").orElse("").equals(textOf(Reason.RELEASED))) {
                        attempts.remove(claim);
                    }
                    notBefore = instant(step, "not_before");
                }
                case "outcome" -> {
                    // What has an outcome is in the archive: whatever waits under this id is
                    // another
                    // copy. After an expired one it begins anew.
                    attempts.remove(claim);
                    if (step.optionalText("status").orElse("").equals(State.EXPIRED.toString())) {
                        attempts.clear();
                        firstSeen = null;
                        notBefore = null;
                    }
                }
                default -> {}
            }
        }
        return new Facts(firstSeen, attempts.size(), notBefore, List.copyOf(steps));
    }

    /// Leaves out what was called done when it had been taken from its holder already, or had ended
    /// otherwise: only a holder says done, and a step before the one that counts, so that it may
    /// come too late.
    private static List<Json.Obj> withoutLateEndings(List<Json.Obj> told) {
        Set<String> over = new HashSet<>();
        List<Json.Obj> steps = new ArrayList<>(told.size());
        for (Json.Obj step : told) {
            String claim = step.optionalText("claim").orElse("");
            String what = step.optionalText("what").orElse("");
            boolean isDone =
                    what.equals("outcome") && stateOf(step).equals(Optional.of(State.DONE));
            if (!isDone || !over.contains(claim)) {
                steps.add(step);
            }
            if (what.equals("return") || (what.equals("outcome") && !isDone)) {
                over.add(claim);
            }
        }
        return steps;
    }

    private static @Nullable Instant instant(Json.Obj step, String field) {
        try {
            return step.optionalText(field).map(Instant::parse).orElse(null);
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /// When a step was taken, if it says so and is not garbled.
    public static Optional<Instant> timeOf(Json.Obj step) {
        return Optional.ofNullable(instant(step, "ts"));
    }

    /// Why a claim came back, if the step says so and is not garbled.
    public static Optional<Reason> reasonOf(Json.Obj step) {
        String text = step.optionalText("reason").orElse("");
        return Arrays.stream(Reason.values()).filter(r -> textOf(r).equals(text)).findFirst();
    }

    /// Who took the step, if it says so and is not garbled.
    public static Optional<Actor> actorOf(Json.Obj step) {
        try {
            return step.optionalText("by").map(Actor::parse);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /// How it ended, if the step says so and is not garbled.
    public static Optional<State> stateOf(Json.Obj step) {
        String text = step.optionalText("status").orElse("");
        return Arrays.stream(State.values()).filter(s -> s.toString().equals(text)).findFirst();
    }

    private static String textOf(Reason reason) {
        return reason.name().toLowerCase(Locale.ROOT);
    }

    /// Notes a claim.
    ///
    /// @param firstSeen null if the history says so already
    public void claimed(Domain domain, ClaimName claim, @Nullable Instant firstSeen)
            throws IOException {
        Json.Obj step =
                step(claim.claimedAt(), "claim", claim, claim.worker())
                        .put("lease_s", claim.lease().toSeconds());
        String id = claim.id().text();
        if (firstSeen == null) {
            append(domain, id, step);
        } else {
            append(
                    domain,
                    id,
                    Json.obj().put("ts", firstSeen.toString()).put("what", "first_seen"),
                    step);
        }
    }

    /// Says how a claim is about to end. It has ended so only once the seen-set says that it has
    /// ended at all.
    void outcome(Domain domain, ClaimName claim, State state, String note, Instant now)
            throws IOException {
        Json.Obj step = step(now, "outcome", claim, self).put("status", state.toString());
        append(domain, claim.id().text(), withNote(step, note));
        if (state != State.DONE) {
            // After a power cut, silence is taken for done.
            force(domain, claim.id().text());
        }
    }

    void returned(
            Domain domain, ClaimName claim, Reason reason, String note, Duration pause, Instant now)
            throws IOException {
        Json.Obj step = step(now, "return", claim, self).put("reason", textOf(reason));
        step = withNote(step, note);
        if (!pause.isZero()) {
            step = step.put("not_before", now.plus(pause).toString());
        }
        append(domain, claim.id().text(), step);
    }

    /// Says why a file went to the archive without anybody's claim.
    public void archived(Domain domain, String name, State state, String reason, Instant now)
            throws IOException {
        append(domain, name, withNote(outcome(state, now), reason));
    }

    /// Says why mail ended that was on its way to another transport.
    public void endedOutside(
            Domain domain, String name, State state, String reason, String transport, Instant now)
            throws IOException {
        append(domain, name, withNote(outcome(state, now).put("via", transport), reason));
    }

    private static Json.Obj outcome(State state, Instant now) {
        return Json.obj()
                .put("ts", now.toString())
                .put("what", "outcome")
                .put("status", state.toString());
    }

    private static Json.Obj step(Instant at, String what, ClaimName claim, Actor by) {
        return Json.obj()
                .put("ts", at.toString())
                .put("what", what)
                .put("by", by.name())
                .put("attempt", claim.attempt())
                .put("claim", claim.token());
    }

    private static Json.Obj withNote(Json.Obj step, String note) {
        if (note.isEmpty()) {
            return step;
        }
        int length = note.codePointCount(0, note.length());
        return step.put(
                "note",
                length > NOTE_LENGTH_MAX
                        ? note.substring(0, note.offsetByCodePoints(0, NOTE_LENGTH_MAX)) + "…"
                        : note);
    }

    private void append(Domain domain, String name, Json.Obj... steps) throws IOException {
        Path file = layout.history(domain, name);
        StringBuilder lines = new StringBuilder();
        for (Json.Obj step : steps) {
            lines.append(step).append('\n');
        }
        try (Disk.Appender appender =
                files.in(layout.histories(domain), () -> files.openAppend(file))) {
            boolean torn = appender.size() > 0 && lastByte(file) != LINE_END;
            appender.write(
                    ByteBuffer.wrap(
                            (torn ? "\n" + lines : lines.toString())
                                    .getBytes(StandardCharsets.UTF_8)));
        }
    }

    private void force(Domain domain, String name) throws IOException {
        try (Disk.Appender appender = files.openAppend(layout.history(domain, name))) {
            appender.force();
        }
        files.sync(layout.histories(domain));
    }

    private byte lastByte(Path file) throws IOException {
        try (Disk.Reader reader = files.openRead(file)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            reader.read(one, reader.size() - 1);
            return one.get(0);
        }
    }
}
