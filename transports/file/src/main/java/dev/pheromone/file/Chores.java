package dev.pheromone.file;

import dev.pheromone.HiveConfig.ArchivePolicy;
import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.Parking.Parked;
import dev.pheromone.file.copy.Archive;
import dev.pheromone.file.copy.ClaimName;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.file.copy.InboxIndex.Entry;
import dev.pheromone.file.copy.Inspector.Sight;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.life.Why;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// Keeps an inbox tidy: what others lost returns; what is expired, and what is no mail, moves to
/// the archive.
final class Chores {

    private static final Duration BRING_BACK_EVERY = Duration.ofMillis(250);

    /// How long whoever mutes waits for others that move parked mail: each does so for a moment.
    private static final Duration PARK_PAUSE = Duration.ofMillis(20);

    private static final int PARK_PAUSES_MAX = 100;

    private final FileHive hive;
    private final Domain domain;
    private final InboxIndex index;
    private final Archive archive;
    private final Aside asides;
    private final Homecoming homecoming;
    private int left;
    private volatile @Nullable Instant broughtBackAt;

    Chores(FileHive hive, Domain domain, InboxIndex index) {
        this.hive = hive;
        this.domain = domain;
        this.index = index;
        this.archive = new Archive(hive.files(), hive.layout());
        this.asides = new Aside(hive, domain);
        this.homecoming = new Homecoming(hive);
    }

    /// Brings back what others lost, unless that was looked for a moment ago: there is mail to take
    /// meanwhile, and whoever finds none looks again. Says whether it was due.
    boolean bringBackIfDue(Instant now) throws IOException {
        Instant last = broughtBackAt;
        boolean isDue =
                last == null || now.isBefore(last) || !now.isBefore(last.plus(BRING_BACK_EVERY));
        if (isDue) {
            bringBack(now);
        }
        return isDue;
    }

    /// Brings back what others lost, or could not bring. Mostly there is none: one pass through the
    /// gate finds that out.
    void bringBack(Instant now) throws IOException {
        boolean fromMirror;
        boolean fromHolders;
        boolean fromParking;
        try (Disk.Operation _ = hive.files().begin()) {
            hive.requireLog();
            fromMirror = homecoming.isNeeded();
            fromHolders = hive.reaper().isNeeded(domain);
            fromParking = hive.parking().isNeeded();
        }
        if (fromMirror) {
            homecoming.run();
        }
        if (fromHolders) {
            hive.reaper().reap(domain, now);
        }
        if (fromParking) {
            hive.parking().deliverSome(now);
        }
        broughtBackAt = now;
    }

    /// Begins a selection, in the course of which a few of them are done.
    void begin() {
        left = hive.limits().choresMax();
    }

    /// Does what there is to do, as far as this selection may: a heap of bad files must not delay
    /// the mail beside it.
    void some(Instant now) throws IOException {
        for (Map.Entry<Path, Sight.Bad> bad : index.bad().entrySet()) {
            if (left == 0) {
                return;
            }
            left--;
            bury(bad.getKey(), bad.getValue(), now);
        }
        if (hive.config().archive() == ArchivePolicy.AUTO
                && index.firstExpired(now).isPresent()
                && !hive.doubtsClock(now)) {
            left -= expire(now, left);
        }
    }

    /// Does all there is to do.
    void all(Instant now) throws IOException {
        left = Integer.MAX_VALUE;
        some(now);
        Mutes.View muted = hive.mutes().view(now);
        if (!muted.isEmpty()) {
            for (Entry entry : index.entries()) {
                Optional<Mute> mute = muted.of(entry.header().from());
                if (mute.isPresent()) {
                    var _ = park(entry, mute.get(), now);
                }
            }
        }
    }

    /// Puts aside everything that waits from one muted sender, but what is expired; returns how
    /// many copies that were. What other processes hold up for too long is left to whoever selects.
    int parkAll(Mute mute, Instant now) throws IOException {
        int count = 0;
        int pauses = 0;
        for (Entry entry : index.entries()) {
            if (!mute.isOf(entry.header().from()) || entry.urgency().isExpired(now)) {
                continue;
            }
            Parked parked = park(entry, mute, now);
            while (parked == Parked.BUSY && pauses < PARK_PAUSES_MAX) {
                pauses++;
                Delays.hold(PARK_PAUSE);
                parked = park(entry, mute, now);
            }
            count += parked == Parked.KEPT ? 1 : 0;
        }
        return count;
    }

    /// Puts a copy of a muted sender aside.
    Parked park(Entry entry, Mute mute, Instant now) throws IOException {
        Parked parked = Parked.STAYS;
        try {
            parked = hive.parking().parkWaiting(domain, entry.file(), entry.header(), mute, now);
        } catch (NoSuchFileException e) {
            // Somebody took it just now.
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            hive.journal().trouble(hive.layout().nameOf(entry.file()), e);
        }
        index.forget(entry.file());
        return parked;
    }

    /// Clears away the name of a copy that is claimed or over, and makes sure that no claim's name
    /// is left that a power cut brought back; says whether `entry` was such a name.
    boolean clearLeftover(Entry entry, Instant now) throws IOException {
        for (ClaimName claim : hive.claims().list(domain)) {
            if (claim.id().equals(entry.header().id())) {
                boolean _ = hive.claims().removeLeftover(domain, claim);
            }
        }
        boolean isCleared = asides.clearLeftover(entry.file(), now);
        if (isCleared) {
            index.forget(entry.file());
        }
        return isCleared;
    }

    int expireAll(Instant now) throws IOException {
        return expire(now, Integer.MAX_VALUE);
    }

    private int expire(Instant now, int countMax) throws IOException {
        int count = 0;
        while (count < countMax) {
            Optional<Entry> expired = index.firstExpired(now);
            if (expired.isEmpty()) {
                break;
            }
            expire(expired.get(), now);
            count++;
        }
        return count;
    }

    private void expire(Entry entry, Instant now) throws IOException {
        EnvelopeId id = entry.header().id();
        String reason = Why.EXPIRED.text(entry.header().ttl());
        try (Disk.Operation _ = hive.files().begin()) {
            Path aside = asides.take(entry.file(), id, State.EXPIRED, now);
            if (isOtherMail(aside, entry, now)) {
                asides.putBack(aside, now);
            } else if (!asides.endLeftover(aside, id, now)) {
                archive.store(domain, State.EXPIRED, id.text(), aside, now);
                hive.history().archived(domain, id.text(), State.EXPIRED, reason, now);
                hive.journal().ended(domain, id.text(), entry.header(), State.EXPIRED, reason, now);
            }
        } catch (NoSuchFileException e) {
            // Somebody took it or archived it just now.
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            hive.journal().trouble(hive.layout().nameOf(entry.file()), e);
        }
        index.forget(entry.file());
    }

    private void bury(Path file, Sight.Bad sight, Instant now) throws IOException {
        String name = sight.id() == null ? "unnamed" : sight.id().text();
        try (Disk.Operation _ = hive.files().begin()) {
            boolean isFile = hive.files().stat(file).filter(Stat::isFile).isPresent();
            Path aside = isFile ? asides.take(file, sight.id(), State.DEAD, now) : file;
            if (isFile && hive.inspector().look(domain, aside, now) instanceof Sight.Mail) {
                asides.putBack(aside, now);
            } else if (!isFile
                    || sight.id() == null
                    || !asides.endLeftover(aside, sight.id(), now)) {
                Path stored = archive.store(domain, State.DEAD, name, aside, now);
                // Without an id, what is known of it goes by its name in the archive.
                String record = sight.id() == null ? stem(stored) : name;
                String reason = sight.reason() + "; it was " + hive.layout().nameOf(file);
                hive.history().archived(domain, record, State.DEAD, reason, now);
                hive.journal().ended(domain, record, null, State.DEAD, reason, now);
            }
        } catch (NoSuchFileException e) {
            // Somebody else cleared it away.
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            hive.journal().trouble(hive.layout().nameOf(file), e);
        }
        index.forget(file);
    }

    /// Whether the file is not the one that was looked at: its writer replaced it at that moment.
    private boolean isOtherMail(Path aside, Entry entry, Instant now) throws IOException {
        return hive.inspector().glance(aside, now) instanceof Sight.Glimpse(var header, var _)
                && !header.equals(entry.header());
    }

    private static String stem(Path stored) {
        String name = String.valueOf(stored.getFileName());
        return name.substring(0, name.length() - HiveLayout.MAIL_SUFFIX.length());
    }
}
