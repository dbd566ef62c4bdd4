package dev.pheromone.file;

import dev.pheromone.Receipt;
import dev.pheromone.envelope.Envelope;

/// Hears of mail that this process has brought into the hive, whoever sent the mail.
public interface Arrivals {

    /// What became of `envelope` once its copies are on the disk. Must not keep anybody waiting,
    /// and fails with nothing.
    void delivered(Envelope envelope, Receipt receipt);
}
