package dev.pheromone.file.inbox;

import dev.pheromone.HiveConfig.ArchivePolicy;
import dev.pheromone.address.Domain;
import dev.pheromone.file.admission.Delays;
import dev.pheromone.file.admission.Mute;
import dev.pheromone.file.admission.Mutes;
import dev.pheromone.file.admission.Parking;
import dev.pheromone.file.admission.Parking.Parked;
import dev.pheromone.file.copy.Aside;
import dev.pheromone.file.copy.Burial;
import dev.pheromone.file.copy.ClockDoubt;
import dev.pheromone.file.copy.Copies;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.file.copy.InboxIndex.Entry;
import dev.pheromone.file.copy.Inspector.Sight;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
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

    private final Domain domain;
    private final InboxIndex index;
    private final Retrieval retrieval;
    private final Aside asides;
    private final Burial burial;
    private final ClockDoubt clockDoubt;
    private final Mutes mutes;
    private final Parking parking;
    private final ArchivePolicy policy;
    private final int countMax;
    private int left;
    private volatile @Nullable Instant broughtBackAt;

    /// @param countMax how many chores one selection does
    Chores(
            Domain domain,
            InboxIndex index,
            Retrieval retrieval,
            Copies copies,
            Mutes mutes,
            Parking parking,
            ArchivePolicy policy,
            int countMax) {
        this.domain = domain;
        this.index = index;
        this.retrieval = retrieval;
        this.asides = copies.asides();
        this.burial = copies.burial();
        this.clockDoubt = copies.clockDoubt();
        this.mutes = mutes;
        this.parking = parking;
        this.policy = policy;
        this.countMax = countMax;
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

    /// Brings back what others lost, or could not bring.
    void bringBack(Instant now) throws IOException {
        retrieval.run(domain, now);
        broughtBackAt = now;
    }

    /// Takes copies back from holders that died or fell silent.
    void takeBack(Instant now) throws IOException {
        retrieval.fromHolders(domain, now);
    }

    /// Begins a selection, in the course of which a few of them are done.
    void begin() {
        left = countMax;
    }

    /// Does what there is to do, as far as this selection may: a heap of bad files must not delay
    /// the mail beside it.
    void some(Instant now) throws IOException {
        for (Map.Entry<Path, Sight.Bad> bad : index.bad().entrySet()) {
            if (left == 0) {
                return;
            }
            left--;
            burial.bury(domain, bad.getKey(), bad.getValue(), now);
            index.forget(bad.getKey());
        }
        if (policy == ArchivePolicy.AUTO
                && index.firstExpired(now).isPresent()
                && !clockDoubt.isDoubted(now)) {
            left -= expire(now, left);
        }
    }

    /// Does all there is to do.
    void all(Instant now) throws IOException {
        left = Integer.MAX_VALUE;
        some(now);
        Mutes.View muted = mutes.view(now);
        if (!muted.isEmpty()) {
            for (Entry entry : index.entries(now)) {
                Optional<Mute> mute = muted.of(entry.header().from());
                if (mute.isPresent()) {
                    Optional<Entry> sure = ofSender(entry, mute.get(), now);
                    if (sure.isPresent()) {
                        var _ = park(sure.get(), mute.get(), now);
                    }
                }
            }
        }
    }

    /// Puts aside everything that waits from one muted sender, but what is expired; returns how
    /// many copies that were. What other processes hold up for too long is left to whoever selects.
    int parkAll(Mute mute, Instant now) throws IOException {
        int count = 0;
        int pauses = 0;
        for (Entry known : index.entries(now)) {
            Optional<Entry> entry = ofSender(known, mute, now);
            if (entry.isEmpty() || entry.get().urgency().isExpired(now)) {
                continue;
            }
            Parked parked = park(entry.get(), mute, now);
            while (parked == Parked.BUSY && pauses < PARK_PAUSES_MAX) {
                pauses++;
                Delays.hold(PARK_PAUSE);
                parked = park(entry.get(), mute, now);
            }
            count += parked == Parked.KEPT ? 1 : 0;
        }
        return count;
    }

    /// The same, if the file really is from the muted sender.
    private Optional<Entry> ofSender(Entry entry, Mute mute, Instant now) throws IOException {
        return mute.isOf(entry.header().from())
                ? index.confirmed(entry, now).filter(sure -> mute.isOf(sure.header().from()))
                : Optional.empty();
    }

    /// Puts a copy of a muted sender aside.
    Parked park(Entry entry, Mute mute, Instant now) throws IOException {
        Parked parked = parking.parkWaiting(domain, entry, mute, now);
        index.forget(entry.file());
        return parked;
    }

    /// Clears away the name of a copy that is claimed or over, and makes sure that no claim's name
    /// is left that a power cut brought back; says whether `entry` was such a name.
    boolean clearLeftover(Entry entry, Instant now) throws IOException {
        boolean isCleared = asides.clearLeftover(domain, entry, now);
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
            burial.expire(domain, expired.get(), now);
            index.forget(expired.get().file());
            count++;
        }
        return count;
    }
}
