package dev.pheromone.cli.resident;

import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Program;
import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.cli.resident.Frames.Frame;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.text.IsoTime;

import jdk.net.ExtendedSocketOptions;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/// Answers commands that clients hand over, each as a process of its own would: in the client's
/// folder, with its variables and its standard streams. Nothing about permission is kept from one
/// command to the next.
public final class Endpoint implements AutoCloseable {

    /// How many clients are answered at the same time; the next ones help themselves.
    static final int CLIENTS_MAX = 256;

    /// How long a client may take to say what it wants, and that it still wants it.
    private static final Duration ASKING_MAX = Duration.ofSeconds(5);

    /// How long a command may take that is at work when the resident is to end.
    private static final Duration ENDING_MAX = Duration.ofSeconds(10);

    private static final Duration LOOK = Duration.ofSeconds(1);

    private final HiveLayout layout;

    /// The hive's folder, open: as long as that is so, no other folder can get its number. Without
    /// it a hive that is made anew at the same place may look like the one that was there.
    private final Closeable folder;

    private final @Nullable String hive;
    private final Program program;
    private final Surroundings own;
    private final @Nullable Integer umask;
    private final Optional<ResidentBuild> build;
    private final Consumer<String> over;
    private final ResidentAddress address;
    private final UserPrincipal owner;
    private final Closeable lock;
    private final ServerSocketChannel listening;
    private final ExecutorService threads =
            Executors.newThreadPerTaskExecutor(
                    Thread.ofPlatform().daemon().name("request-", 0).factory());
    private final Map<SocketChannel, Long> asking = new ConcurrentHashMap<>();
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger atWork = new AtomicInteger();
    private final AtomicBoolean asked = new AtomicBoolean(true);
    private final Instant since;
    private volatile boolean ending;

    private Endpoint(
            Invocation call,
            HiveLayout layout,
            ResidentAddress address,
            Closeable lock,
            Consumer<String> over)
            throws IOException {
        this.layout = layout;
        this.folder = ResidentAddress.heldOpen(layout.hive());
        this.hive = ResidentAddress.identityOrNull(layout.hive());
        this.program = call.program();
        this.own = call.surroundings();
        this.umask = umask(own);
        this.build = ResidentBuild.of(own);
        this.over = over;
        this.address = address;
        this.owner = address.owner();
        this.lock = lock;
        this.since = call.now();
        this.listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    }

    /// Listens for the commands of clients in the hive at `layout`.
    ///
    /// @param over is told why, when the resident has to end by itself
    /// @return none where clients could not find it: the program has no launcher, or there is no
    ///   folder for its socket
    /// @throws AlreadyRunsException if this hive has a resident
    public static Optional<Endpoint> start(
            Invocation call, HiveLayout layout, Consumer<String> over) throws IOException {
        for (ResidentAddress address : ResidentAddress.of(layout, call.surroundings())) {
            address.makeFolder();
            Closeable lock =
                    new LocalDisk().tryLock(address.lock()).orElseThrow(AlreadyRunsException::new);
            try {
                Endpoint endpoint = new Endpoint(call, layout, address, lock, over);
                endpoint.listen();
                return Optional.of(endpoint);
            } catch (IOException e) {
                lock.close();
                throw e;
            }
        }
        return Optional.empty();
    }

    /// The hive has a resident process already.
    public static final class AlreadyRunsException extends IOException {
        private static final long serialVersionUID = 1;

        AlreadyRunsException() {
            super("a resident process runs for this hive already");
        }
    }

    /// Which permissions new files lack, as the launcher says it: Java can't ask.
    private static @Nullable Integer umask(Surroundings surroundings) {
        String octal = surroundings.variable("RSM_UMASK");
        try {
            return octal == null ? null : Integer.valueOf(octal, 8);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private void listen() throws IOException {
        // Whoever has the lock is alone here: what a killed resident left is in nobody's use.
        address.removeSocket();
        listening.bind(address.address(), CLIENTS_MAX);
        Thread _ = Thread.ofPlatform().daemon().name("resident").start(this::accept);
        Thread _ = Thread.ofPlatform().daemon().name("resident-look").start(this::look);
    }

    private void accept() {
        while (!ending) {
            try {
                SocketChannel client = listening.accept();
                open.add(client);
                // By this thread, however many commands are at work.
                new Frames(client).write('H');
                asking.put(client, System.nanoTime());
                threads.execute(() -> answer(client));
            } catch (IOException | OutOfMemoryError e) {
                if (!listening.isOpen()) {
                    return;
                }
            }
        }
    }

    private void answer(SocketChannel client) {
        try (client) {
            if (isOwn(client)) {
                answer(client, new Frames(client));
            }
        } catch (IOException e) {
            // The client has gone, or never spoke our language.
        } finally {
            asking.remove(client);
            open.remove(client);
        }
    }

    private void answer(SocketChannel client, Frames frames) throws IOException {
        Frame first = frames.read();
        switch (first.type()) {
            case 'P' -> frames.write('p', description().getBytes(StandardCharsets.UTF_8));
            case 'D' -> {
                frames.write('d');
                over.accept("stopped by rsm down");
            }
            case 'R' -> serve(client, frames, Request.parse(first.payload()));
            default -> throw new IOException("frame: found '" + first.type() + "'");
        }
    }

    private String description() {
        return ProcessHandle.current().pid() + "\n" + IsoTime.format(since);
    }

    private void serve(SocketChannel client, Frames frames, Request request) throws IOException {
        asked.set(true);
        ClientStreams streams = new ClientStreams(frames);
        Surroundings surroundings = surroundings(request, streams);
        int place = atWork.incrementAndGet();
        try {
            if (ending || place > CLIENTS_MAX || !isForHere(request, surroundings)) {
                frames.write('N');
                return;
            }
            frames.write('A');
            if (frames.read().type() != 'G') {
                return;
            }
            asking.remove(client);
            Thread _ = Thread.ofVirtual().name("client").start(streams::listen);
            int exit = program.run(request.words(), surroundings);
            frames.write('x', (byte) exit);
        } finally {
            atWork.decrementAndGet();
        }
    }

    private Surroundings surroundings(Request request, ClientStreams streams) {
        String home = request.env().get("HOME");
        return new Surroundings(
                request.env(),
                Path.of(request.cwd()),
                home == null || home.isEmpty() ? own.home() : Path.of(home),
                own.user(),
                streams.input(),
                streams.output('o'),
                streams.output('e'),
                own.clock(),
                request.terminal(),
                own.launcher());
    }

    /// Whether this process gives the same answer as one that the client starts. Nothing is done
    /// before this is known.
    private boolean isForHere(Request request, Surroundings surroundings) {
        boolean sameZone = surroundings.variable("TZ") != null || own.variable("TZ") == null;
        boolean sameMask = umask == null || umask == request.umask();
        if (!sameMask
                || !sameZone
                || !request.folder().equals(ResidentAddress.identityOrNull(surroundings.cwd()))) {
            return false;
        }
        try {
            Optional<Invocation> call = program.servable(request.words(), surroundings);
            return call.isPresent()
                    && TypedHive.find(call.get()).root().equals(layout.root())
                    && Objects.equals(hive, ResidentAddress.identityOrNull(layout.hive()))
                    && !hasGuardProgram(call.get());
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /// A guard program of the hive's own is run with the variables of whoever asks.
    private boolean hasGuardProgram(Invocation call) {
        return call.userFiles().names(layout.hive().resolve("tools"), CLIENTS_MAX).stream()
                .anyMatch(name -> name.startsWith("policy_guard"));
    }

    /// Whether the client runs under the same account.
    private boolean isOwn(SocketChannel client) throws IOException {
        return client.getOption(ExtendedSocketOptions.SO_PEERCRED).user().equals(owner);
    }

    /// Looks after clients that hang, after the build, and after the hive.
    private void look() {
        while (!ending) {
            try {
                Thread.sleep(LOOK);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            long latest = System.nanoTime() - ASKING_MAX.toNanos();
            asking.forEach((client, began) -> {
                if (began - latest < 0) {
                    close(client);
                }
            });
            if (!Objects.equals(hive, ResidentAddress.identityOrNull(layout.hive()))) {
                over.accept("the hive is no longer at " + layout.root());
                return;
            }
            // To look at all sources takes a while, and is not needed while nobody asks.
            boolean look = asked.getAndSet(false);
            if (build.isPresent()
                    && (build.get().isReplaced() || (look && build.get().hasNewerSource()))) {
                over.accept("the program was changed");
                return;
            }
        }
    }

    private static void close(SocketChannel client) {
        try {
            client.close();
        } catch (IOException e) {
            // It is closed all the same.
        }
    }

    /// Takes no new command, waits for those at work, and lets go of the address.
    @Override
    public void close() throws IOException {
        ending = true;
        listening.close();
        address.removeSocket();
        threads.shutdown();
        asking.keySet().forEach(Endpoint::close);
        try {
            boolean _ = threads.awaitTermination(ENDING_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        open.forEach(Endpoint::close);
        folder.close();
        lock.close();
    }
}
