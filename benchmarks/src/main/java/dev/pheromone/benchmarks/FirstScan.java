package dev.pheromone.benchmarks;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.file.FileTransport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/// One scan of an inbox, timed; the main class of the processes that [ScanBenchmark] starts.
final class FirstScan {

    static final String SELECT = "select";
    static final String BARE = "bare";

    /// With the headers that an earlier process kept.
    static final String SELECT_KEPT = "select-kept";

    static final String OVERVIEW_KEPT = "overview-kept";
    static final String NAMES = "names";

    private static final Lease LEASE = Lease.unattended(Duration.ofMinutes(1));

    private FirstScan() {}

    /// Prints how many nanoseconds it took, opening the hive included.
    public static void main(String[] args) throws Exception {
        HiveLayout layout = new HiveLayout(Path.of(args[1]));
        System.out.println(
                switch (args[0]) {
                    case SELECT -> select(layout);
                    case SELECT_KEPT -> selectKept(layout);
                    case OVERVIEW_KEPT -> overviewKept(layout);
                    case NAMES -> names(layout);
                    default -> bare(layout);
                });
    }

    /// As if nobody had looked at the inbox before.
    private static void forget(HiveLayout layout) throws IOException {
        Files.deleteIfExists(layout.headers(SampleMail.INBOX));
    }

    /// The most urgent of all that wait, each of which is looked at; given back off the clock.
    static double select(HiveLayout layout) throws Exception {
        forget(layout);
        return selectKept(layout);
    }

    /// The same, for a reader who need not look at those that another has looked at.
    static double selectKept(HiveLayout layout) throws Exception {
        long began = System.nanoTime();
        try (FileTransport hive = Scratch.open(layout)) {
            Inbox inbox = hive.inbox(SampleMail.INBOX);
            Selection selection = inbox.select(SampleMail.SENDER, LEASE);
            double time = System.nanoTime() - began;
            if (!(selection instanceof Selection.Taken(Claim claim))) {
                throw new IllegalStateException("nothing was taken: " + selection);
            }
            if (!claim.rationale().endsWith(" of " + ScanBenchmark.WAITING)) {
                throw new IllegalStateException(claim.rationale());
            }
            inbox.settle(claim.token(), new Outcome.Released(""));
            return time;
        }
    }

    /// What `rsm status` shows of an inbox.
    static double overviewKept(HiveLayout layout) throws Exception {
        long began = System.nanoTime();
        try (FileTransport hive = Scratch.open(layout)) {
            check(hive.inbox(SampleMail.INBOX).overview().mail());
        }
        return System.nanoTime() - began;
    }

    /// The names in the folder, and nothing else.
    static double names(HiveLayout layout) throws IOException {
        long began = System.nanoTime();
        int count = 0;
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(layout.inbox(SampleMail.INBOX))) {
            for (Path file : files) {
                count += file.toString().endsWith(".md") ? 1 : 0;
            }
        }
        check(count);
        return System.nanoTime() - began;
    }

    /// All that waits, in the order in which it would be taken.
    static double list(HiveLayout layout) throws Exception {
        forget(layout);
        long began = System.nanoTime();
        try (FileTransport hive = Scratch.open(layout)) {
            check(hive.inbox(SampleMail.INBOX).waiting().size());
        }
        return System.nanoTime() - began;
    }

    /// The first bytes of each file, into one buffer again and again.
    static double bare(HiveLayout layout) throws IOException {
        long began = System.nanoTime();
        int count = 0;
        ByteBuffer prefix = ByteBuffer.allocateDirect(EnvelopeText.PREFIX_BYTES_MAX);
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(layout.inbox(SampleMail.INBOX))) {
            for (Path file : files) {
                if (!file.toString().endsWith(".md")) {
                    continue;
                }
                try (FileChannel channel =
                        FileChannel.open(
                                file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
                    count += channel.read(prefix.clear()) > 0 ? 1 : 0;
                }
            }
        }
        check(count);
        return System.nanoTime() - began;
    }

    private static void check(int found) {
        if (found != ScanBenchmark.WAITING) {
            throw new IllegalStateException(
                    "found " + found + " envelopes, expected " + ScanBenchmark.WAITING);
        }
    }
}
