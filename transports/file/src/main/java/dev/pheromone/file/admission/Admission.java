package dev.pheromone.file.admission;

import dev.pheromone.Backpressure;
import dev.pheromone.HiveConfig;
import dev.pheromone.HiveConfig.SenderLimits;
import dev.pheromone.SendResult;
import dev.pheromone.SenderTraffic;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.copy.Copies;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.file.copy.Journal;

import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Decides who may put mail into an inbox now: neither a flood nor a loop gets through, and where
/// much waits, whoever sends waits too.
///
/// Safe for use by several threads.
public final class Admission {

    /// How many senders a process remembers; of others it reads the ledger again.
    private static final int LEDGERS_MAX = 512;

    private final Disk files;
    private final HiveLayout layout;
    private final HiveConfig config;
    private final FileLimits fileLimits;
    private final Copies copies;
    private final AdmissionEvents events;
    private final Journal journal;
    private final Map<Domain, InboxPressure> pressures = new HashMap<>();
    private final Map<String, SenderLedger> ledgers =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, SenderLedger> eldest) {
                    return size() > LEDGERS_MAX;
                }
            };

    public Admission(
            Disk files,
            HiveLayout layout,
            HiveConfig config,
            FileLimits fileLimits,
            Copies copies,
            AdmissionEvents events) {
        this.files = files;
        this.layout = layout;
        this.config = config;
        this.fileLimits = fileLimits;
        this.copies = copies;
        this.events = events;
        this.journal = copies.journal();
    }

    public InboxPressure pressure(Domain domain) {
        synchronized (pressures) {
            return pressures.computeIfAbsent(domain, this::newPressure);
        }
    }

    private InboxPressure newPressure(Domain domain) {
        return new InboxPressure(
                domain,
                config.backpressure(),
                new PressureMark(files, layout, domain, events, fileLimits),
                new InboxCounter(
                        files, layout, config, copies.inspector(), copies.history(), domain),
                journal);
    }

    /// What the sender's own doing has against `envelope`.
    public Optional<SendResult.Refused> objection(Domain domain, Envelope envelope, Instant now) {
        String sender = HiveLayout.fileNameOf(envelope.from());
        SenderLimits limits = config.sender();
        synchronized (ledgers) {
            try {
                SenderLedger ledger = ledger(domain, sender);
                boolean isOwned = !isOwn(owner(domain), sender);
                if (!ledger.mayHave(
                        SenderTraffic.objectionMin(
                                envelope.priority(), envelope.hops(), isOwned, limits))) {
                    return Optional.empty();
                }
                SenderTraffic traffic = ledger.traffic(now);
                return traffic.objection(
                        envelope.priority(),
                        envelope.hops(),
                        ledger.waiting(limits.waitingMax()),
                        answers(domain, sender, traffic, now),
                        limits,
                        now);
            } catch (IOException e) {
                // A count that is lost must not stop mail.
                journal.trouble("what " + sender + " sent to " + domain, e);
                return Optional.empty();
            }
        }
    }

    /// How much the owner of `domain` sent to `sender` in the last minute: none, as long as that is
    /// no question, or where nobody owns it.
    private int answers(Domain domain, String sender, SenderTraffic traffic, Instant now)
            throws IOException {
        if (traffic.perMinute(now) < SenderTraffic.PAIR_PER_MINUTE_MAX) {
            return 0;
        }
        String owner = owner(domain);
        int answers = 0;
        if (!isOwn(owner, sender)) {
            for (Address own : List.of(new Address.User(sender), new Address.Worker(sender))) {
                answers += ledger(own.domain(), owner).traffic(now).perMinute(now);
            }
        }
        return answers;
    }

    /// Whose inbox it is; empty if it belongs to nobody.
    private static String owner(Domain domain) {
        return switch (domain.address()) {
            case Address.User(var name) -> name;
            case Address.Worker(var name) -> name;
            case Address.Queen _, Address.OfLane _ -> "";
        };
    }

    private static boolean isOwn(String owner, String sender) {
        return owner.isEmpty() || owner.equals(sender);
    }

    /// How long mail of this class waits before `domain` takes it, or why it does not.
    public Backpressure.Admission pressing(Domain domain, Envelope envelope, Instant now) {
        return pressure(domain).admit(envelope.priority(), () -> sent(domain, envelope, now), now);
    }

    private int sent(Domain domain, Envelope envelope, Instant now) {
        synchronized (ledgers) {
            try {
                String sender = HiveLayout.fileNameOf(envelope.from());
                return ledger(domain, sender).traffic(now).perMinute(now);
            } catch (IOException e) {
                // A count that is lost must not delay mail.
                return 0;
            }
        }
    }

    /// Whether another of the sender's envelopes may be brought from where it was parked.
    boolean hasRoom(Domain domain, Envelope envelope, Instant now) {
        synchronized (ledgers) {
            try {
                SenderLedger ledger = ledger(domain, HiveLayout.fileNameOf(envelope.from()));
                SenderTraffic _ = ledger.traffic(now);
                int max = config.sender().waitingMax();
                return ledger.waiting(max) < max;
            } catch (IOException e) {
                return true;
            }
        }
    }

    /// Counts an envelope that has come in.
    public void delivered(Domain domain, Envelope envelope, Instant now) {
        counted(domain, envelope, now);
        pressure(domain).delivered(now);
    }

    /// Counts an envelope that was sent, though it has not come in yet.
    void counted(Domain domain, Envelope envelope, Instant now) {
        synchronized (ledgers) {
            try {
                ledger(domain, HiveLayout.fileNameOf(envelope.from())).add(envelope, now);
            } catch (IOException e) {
                journal.trouble("what " + envelope.from() + " sent to " + domain, e);
            }
        }
    }

    private SenderLedger ledger(Domain domain, String sender) {
        return ledgers.computeIfAbsent(
                domain.name() + "/" + sender, _ -> new SenderLedger(files, layout, domain, sender));
    }
}
