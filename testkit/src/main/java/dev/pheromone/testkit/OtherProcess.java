package dev.pheromone.testkit;

import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A process of its own that has a hive open and does what a test says, a line at a time. It has no
/// clock: each line says what time it is.
///
/// The process is a main class of the test's own class path, which calls [#obey].
public final class OtherProcess implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String READY = "ready";
    private static final String TAKE = "take";
    private static final String FINISH_ALL = "finish-all";
    private static final String TAKEN = "taken ";
    private static final String NOTHING = "nothing";

    /// Stands in orders that take nothing.
    private static final Lease NO_LEASE = Lease.unattended(Duration.ofSeconds(1));

    /// Opens the hive that a process is to use.
    @FunctionalInterface
    public interface Opening {
        Transport open(FakeClock clock) throws Exception;
    }

    private final Process process;
    private final BufferedReader says;
    private final InstantSource clock;

    private OtherProcess(Process process, InstantSource clock) {
        this.process = process;
        this.says = process.inputReader();
        this.clock = clock;
    }

    /// Starts `main` with these arguments, and waits until it has the hive open.
    public static OtherProcess start(InstantSource clock, Class<?> main, String... arguments)
            throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-Xshare:auto",
                                "-cp",
                                System.getProperty("java.class.path"),
                                main.getName()));
        command.addAll(List.of(arguments));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        OtherProcess other = new OtherProcess(process, clock);
        try {
            other.tell("open", NO_LEASE);
            other.expect(READY);
            return other;
        } catch (IOException | RuntimeException e) {
            other.close();
            throw e;
        }
    }

    private void tell(String verb, Lease lease) throws IOException {
        String line =
                "%s %s %s %d\n"
                        .formatted(
                                verb, clock.instant(), lease.kind(), lease.duration().toSeconds());
        process.getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /// Claims the next copy of `CODE`; empty if none comes within the lag that the transport
    /// declares. Returns the claim's name.
    public Optional<String> take(Lease lease) throws IOException {
        tell(TAKE, lease);
        String line = line();
        return line.startsWith(TAKEN)
                ? Optional.of(line.substring(TAKEN.length()))
                : Optional.empty();
    }

    /// Has the process claim and finish copies of `CODE` until it finds none, and does not wait.
    public void beginToFinishAll() throws IOException {
        tell(FINISH_ALL, CapabilityContract.LEASE);
    }

    /// The claims that the process has finished, when it has found no more.
    public List<String> finished() throws IOException {
        List<String> claims = new ArrayList<>();
        for (String line = line(); !line.equals(NOTHING); line = line()) {
            if (!line.startsWith(TAKEN)) {
                throw new IOException("the other process said \"" + line + "\"");
            }
            claims.add(line.substring(TAKEN.length()));
        }
        return claims;
    }

    private void expect(String expected) throws IOException {
        String line = line();
        if (!line.equals(expected)) {
            throw new IOException("the other process said \"" + line + "\", expected " + expected);
        }
    }

    private String line() throws IOException {
        FutureTask<@Nullable String> line = new FutureTask<>(says::readLine);
        Thread.ofVirtual().start(line);
        try {
            String read = line.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (read == null) {
                throw new IOException("the other process ended");
            }
            return read;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the other process works");
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the other process says nothing", e);
        }
    }

    /// Kills the process, and returns when it is gone.
    public void kill() {
        process.destroyForcibly();
        process.onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        kill();
    }

    /// What the main class of such a process does: opens the hive, and obeys until its input ends.
    public static void obey(Opening opening) throws Exception {
        PrintStream answers = System.out;
        BufferedReader orders =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        FakeClock clock = new FakeClock(Instant.EPOCH);
        Lease _ = heed(Objects.requireNonNull(orders.readLine()), clock);
        try (Transport transport = opening.open(clock)) {
            Actor self = Actor.parse("process-" + ProcessHandle.current().pid());
            Inbox inbox = transport.inbox(CarrierContract.CODE);
            answers.println(READY);
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                Lease lease = heed(order, clock);
                if (order.startsWith(FINISH_ALL)) {
                    finishAll(inbox, self, lease, answers);
                } else {
                    answers.println(
                            Lookout.select(transport.lag().longest(), inbox, self, lease)
                                            instanceof Selection.Taken(var claim)
                                    ? TAKEN + claim.token()
                                    : NOTHING);
                }
            }
        }
    }

    /// Sets the clock as an order says; returns the lease that the order names.
    private static Lease heed(String order, FakeClock clock) {
        String[] words = order.split(" ", -1);
        clock.advance(Duration.between(clock.instant(), Instant.parse(words[1])));
        return new Lease(
                Duration.ofSeconds(Long.parseLong(words[3])), Lease.Kind.valueOf(words[2]));
    }

    private static void finishAll(Inbox inbox, Actor self, Lease lease, PrintStream answers)
            throws IOException {
        while (inbox.select(self, lease) instanceof Selection.Taken(var claim)) {
            Settlement settlement = inbox.settle(claim.token(), new Outcome.Done(""));
            answers.println(
                    settlement instanceof Settlement.Settled
                            ? TAKEN + claim.token()
                            : "claim " + claim.token() + " ended as " + settlement);
        }
        answers.println(NOTHING);
    }
}
