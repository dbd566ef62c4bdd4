package dev.pheromone.file.inbox;

import dev.pheromone.Settlement;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LogFile;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Tags;
import dev.pheromone.file.copy.AddressBook;
import dev.pheromone.file.embargo.KeptOutcomes;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.WithheldException;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/// Brings back from the embargo what needs nobody's leave once a lock is lifted: how work ended
/// meanwhile, and what was told meanwhile. Mail stays until a person releases it.
public final class Homecoming {

    private static final int TAG_LENGTH = 8;
    private static final int LOG_BYTES_MAX = 64 * 1024 * 1024;

    private final Disk files;
    private final HiveLayout layout;
    private final AddressBook addresses;
    private final Settling settling;
    private final InstantSource clock;
    private final KeptOutcomes outcomes;

    public Homecoming(
            Disk files,
            HiveLayout layout,
            AddressBook addresses,
            Settling settling,
            InstantSource clock) {
        this.files = files;
        this.layout = layout;
        this.addresses = addresses;
        this.settling = settling;
        this.clock = clock;
        this.outcomes = new KeptOutcomes(files, layout);
    }

    /// Whether something may wait.
    boolean isNeeded() {
        return files.exists(layout.mirrorOutcomes()) || files.exists(telemetry());
    }

    /// Does nothing, quickly, if nothing waits. One process at a time does the rest.
    public void run() throws IOException {
        if (!isNeeded()) {
            return;
        }
        files.require(layout.log(), Access.WRITE);
        Optional<Closeable> lock = files.tryLock(layout.embargo().resolve(".homecoming.lock"));
        if (lock.isPresent()) {
            try (Closeable _ = lock.get()) {
                applyOutcomes();
                appendEvents();
            }
        }
    }

    private Path telemetry() {
        return layout.embargo().resolve("telemetry");
    }

    private void applyOutcomes() throws IOException {
        for (KeptOutcomes.Kept kept : outcomes.waiting()) {
            try (Disk.Operation _ = files.begin()) {
                Instant now = clock.instant();
                Domain domain = kept.inbox() == null ? inboxOf(kept.claim()) : kept.inbox();
                // A claim that is not in force any more ended some other way, before the lock.
                if (domain == null || isSettled(kept, domain)) {
                    outcomes.archive(kept, now);
                }
            } catch (WithheldException e) {
                // It waits on, and keeps no other from being applied.
            }
        }
    }

    /// False if its inbox is still locked.
    private boolean isSettled(KeptOutcomes.Kept kept, Domain domain) throws IOException {
        Settlement settlement = settling.as(kept.by()).settle(domain, kept.claim(), kept.outcome());
        return !(settlement instanceof Settlement.Withheld);
    }

    /// Where a claim is in force; null if nowhere.
    ///
    /// @throws WithheldException if it may be where a lock does not let us look
    private @Nullable Domain inboxOf(String claim) throws IOException {
        @Nullable WithheldException hidden = null;
        for (Domain domain : addresses.domains()) {
            Path file = layout.active(domain).resolve(claim + HiveLayout.MAIL_SUFFIX);
            try {
                if (files.stat(file).isPresent()) {
                    return domain;
                }
            } catch (WithheldException e) {
                hidden = e;
            }
        }
        if (hidden != null) {
            throw hidden;
        }
        return null;
    }

    /// Appends the embargo's lines to the hive's log, with the times at which they were told; then
    /// the embargo's log is archived. A death in between has nothing told twice: lines that are
    /// there already are left out.
    private void appendEvents() throws IOException {
        if (files.list(telemetry()).isEmpty()) {
            return;
        }
        Path folder = layout.mirrorArchive().resolve("telemetry");
        files.createFolder(folder);
        Path taken =
                folder.resolve(
                        "rse.%d.%s.jsonl"
                                .formatted(
                                        clock.instant().toEpochMilli(), Tags.random(TAG_LENGTH)));
        Path moving = telemetry().resolve(".rse-homecoming.jsonl");
        try (Disk.Operation _ = files.begin()) {
            if (!files.exists(moving)) {
                files.rename(layout.mirrorLog(), moving);
            }
            append(moving);
            files.rename(moving, taken);
            files.sync(folder);
        }
    }

    private void append(Path moving) throws IOException {
        Optional<byte[]> bytes = RegularFile.read(files, moving, LOG_BYTES_MAX);
        if (bytes.isEmpty() || bytes.get().length == 0) {
            return;
        }
        LogFile log = new LogFile(files, layout.log());
        try (log) {
            byte[] all = bytes.get();
            int from = 0;
            for (int at = 0; at < all.length; at++) {
                if (all[at] == '\n') {
                    byte[] line = new byte[at + 1 - from];
                    ByteBuffer.wrap(all, from, line.length).get(line);
                    if (!log.hasLately(line)) {
                        log.write(line, true);
                    }
                    from = at + 1;
                }
            }
            log.force();
        }
    }
}
