package dev.pheromone.cli.resident;

import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Program;
import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.cli.resident.Frames.Frame;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.session.mail.Signing;
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
import java.util.concurrent.RejectedExecutionException;
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
    ///
    /// Longer than clients wait for an answer: a client must not be closed while it decides.
    private static final Duration ASKING_MAX = Duration.ofSeconds(10);

    /// How long a command may take that is at work when the resident is to end.
    private static final Duration ENDING_MAX = Duration.ofSeconds(10);

    private static final Duration LOOK = Duration.ofSeconds(1);

    /// How many commands that stay are answered, so that those that are soon done find a place.
    /// Each has a thread, and the lines that it was given.
    static final int STAYS_MAX = 64;

    /// How many connections may be open, those included that have not asked yet.
    private static final int OPEN_MAX = 2 * CLIENTS_MAX;

    /// The pause after a client could not be let in, as without a free descriptor.
    private static final Duration ACCEPT_PAUSE = Duration.ofMillis(50);

    /// How long the resident of an earlier build may take to notice that it was replaced.
    private static final Duration LOCK_MAX = Duration.ofSeconds(5);

    private static final int FAILED = 1;
    private static final int BLOCKED = 2;

    private final HiveLayout layout;

    /// The hive's folder, open: as long as that is so, no other folder can get its number. Without
    /// it a hive that is made anew at the same place may look like the one that was there.
    private final Closeable folder;

    private final @Nullable String hive;
    private final Program program;
    private final Surroundings own;
    private final @Nullable Integer umask;
    private final Optional<ResidentBuild> build;
    private final Consumer<Ending> over;
    private final int port;
    private final ResidentAddress address;
    private final UserPrincipal owner;
    private final ResidentLock lock;
    private @Nullable String socket;
    private final ServerSocketChannel listening;
    private final ExecutorService threads =
            Executors.newThreadPerTaskExecutor(
                    Thread.ofPlatform().daemon().name("request-", 0).factory());
    private final Map<SocketChannel, Long> asking = new ConcurrentHashMap<>();
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger atWork = new AtomicInteger();
    private final Set<ClientStreams> staying = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean asked = new AtomicBoolean(true);
    private final Instant since;
    private volatile boolean ending;

    private Endpoint(
            Invocation call,
            HiveLayout layout,
            ResidentAddress address,
            ResidentLock lock,
            int port,
            Consumer<Ending> over)
            throws IOException {
        this.port = port;
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
    /// @param port at which this process also speaks HTTP; 0 if it does not
    /// @param over is told why, when the resident has to end by itself
    /// @return none where clients could not find it: the program has no launcher, or there is no
    ///   folder for its socket
    /// @throws AlreadyRunsException if this hive has a resident
    public static Optional<Endpoint> start(
            Invocation call, HiveLayout layout, int port, Consumer<Ending> over)
            throws IOException {
        for (ResidentAddress address : ResidentAddress.of(layout, call.surroundings())) {
            address.makeFolder();
            ResidentLock lock = lock(call, layout, address.account());
            try {
                address.removeOld(call.now());
                Endpoint endpoint = new Endpoint(call, layout, address, lock, port, over);
                endpoint.listen();
                return Optional.of(endpoint);
            } catch (IOException e) {
                lock.close();
                throw e;
            }
        }
        return Optional.empty();
    }

    /// The lock of this hive, once the resident of an earlier build has let go of it.
    private static ResidentLock lock(Invocation call, HiveLayout layout, int account)
            throws IOException {
        long end = System.nanoTime() + LOCK_MAX.toNanos();
        while (true) {
            Optional<ResidentLock> lock = ResidentLock.take(layout, account);
            if (lock.isPresent()) {
                return lock.get();
            }
            if (System.nanoTime() > end
                    || Resident.of(layout, call.surroundings()).isPresent()
                    || !pause(ACCEPT_PAUSE)) {
                throw new AlreadyRunsException(ResidentLock.holder(layout, account));
            }
        }
    }

    /// The hive has a resident process already.
    public static final class AlreadyRunsException extends IOException {
        private static final long serialVersionUID = 1;

        AlreadyRunsException(Optional<ProcessHandle> holder) {
            super(
                    "a resident process runs for this hive already"
                            + holder.map(process -> ": process " + process.pid()).orElse(""));
        }
    }

    private static boolean pause(Duration time) {
        try {
            Thread.sleep(time);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
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
        socket = ResidentAddress.identityOrNull(address.socket());
        Thread _ = Thread.ofPlatform().daemon().name("resident").start(this::accept);
        Thread _ = Thread.ofPlatform().daemon().name("resident-look").start(this::look);
    }

    private void accept() {
        while (!ending) {
            try {
                begin(listening.accept());
            } catch (OutOfMemoryError e) {
                over.accept(Ending.EXHAUSTED);
                return;
            } catch (IOException e) {
                if (!listening.isOpen() || !pause(ACCEPT_PAUSE)) {
                    return;
                }
            }
        }
    }

    private void begin(SocketChannel client) {
        boolean begun = false;
        try {
            open.add(client);
            if (open.size() <= OPEN_MAX) {
                // By this thread, however many commands are at work.
                new Frames(client).write('H');
                asking.put(client, System.nanoTime());
                threads.execute(() -> answer(client));
                begun = true;
            }
        } catch (IOException | RejectedExecutionException e) {
            // The client has left already, or this process ends.
        } finally {
            if (!begun) {
                drop(client);
            }
        }
    }

    private void answer(SocketChannel client) {
        try {
            if (isOwn(client)) {
                answer(client, new Frames(client));
            }
        } catch (OutOfMemoryError e) {
            over.accept(Ending.EXHAUSTED);
        } catch (IOException e) {
            // The client has gone, or never spoke our language.
        } finally {
            drop(client);
        }
    }

    private void drop(SocketChannel client) {
        asking.remove(client);
        open.remove(client);
        close(client);
    }

    private void answer(SocketChannel client, Frames frames) throws IOException {
        Frame first = frames.read();
        switch (first.type()) {
            case 'P' -> frames.write('p', description().getBytes(StandardCharsets.UTF_8));
            case 'D' -> {
                frames.write('d');
                over.accept(Ending.TOLD);
            }
            case 'R' -> serve(client, frames, Request.parse(first.payload()));
            default -> throw new IOException("frame: found '" + first.type() + "'");
        }
    }

    private String description() {
        return ProcessHandle.current().pid() + "\n" + IsoTime.format(since) + "\n" + port;
    }

    private void serve(SocketChannel client, Frames frames, Request request) throws IOException {
        asked.set(true);
        ClientStreams streams = new ClientStreams(frames, request.pid());
        Surroundings surroundings = surroundings(request, streams);
        streams.onlyWhile(() -> mayGoOn(request, surroundings));
        int place = atWork.incrementAndGet();
        try {
            Optional<Invocation> call = call(request, surroundings);
            boolean isServed = !ending && place <= CLIENTS_MAX && call.isPresent();
            if (isServed && Servable.STAYS.contains(call.get().verb())) {
                staying.add(streams);
                isServed = staying.size() <= STAYS_MAX;
            }
            if (!isServed) {
                frames.write('N');
                return;
            }
            frames.write('A');
            if (frames.read().type() != 'G') {
                return;
            }
            if (asking.remove(client) == null) {
                // It took too long to begin, and is closed.
                return;
            }
            Thread _ = Thread.ofVirtual().name("client").start(() -> listen(streams));
            int exit = run(request, surroundings);
            if (!streams.isHandedOver()) {
                frames.write('x', (byte) exit);
            }
        } finally {
            staying.remove(streams);
            atWork.decrementAndGet();
        }
    }

    private boolean mayGoOn(Request request, Surroundings surroundings) {
        asked.set(true);
        return !ending && call(request, surroundings).isPresent();
    }

    private void listen(ClientStreams streams) {
        try {
            streams.listen();
        } catch (OutOfMemoryError e) {
            over.accept(Ending.EXHAUSTED);
        }
    }

    /// Runs the command, and returns its exit code. A process without memory can't be relied on any
    /// more: it ends after this.
    private int run(Request request, Surroundings surroundings) throws IOException {
        int exit;
        try {
            exit = program.run(request.words(), surroundings);
        } catch (OutOfMemoryError e) {
            over.accept(Ending.EXHAUSTED);
            exit = FAILED;
        }
        if (exit == 0 || exit == BLOCKED || !isHook(request, surroundings)) {
            return exit;
        }
        // To an agent only this one exit code is a no: what else fails must not be a yes.
        String why =
                "rsm: error: the hook ended with exit " + exit + ", expected 0 or 2: blocked\n";
        surroundings.err().write(why.getBytes(StandardCharsets.UTF_8));
        return BLOCKED;
    }

    private boolean isHook(Request request, Surroundings surroundings) {
        return program.servable(request.words(), surroundings)
                .map(call -> call.verb().equals("hook"))
                .orElse(false);
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
                own.launcher(),
                null,
                streams,
                null);
    }

    /// The call that is asked for, if this process gives the same answer as one that the client
    /// starts. Nothing is done before this is known.
    private Optional<Invocation> call(Request request, Surroundings surroundings) {
        boolean sameZone = surroundings.variable("TZ") != null || own.variable("TZ") == null;
        boolean sameMask = umask == null || umask == request.umask();
        if (!sameMask
                || !sameZone
                || !surroundings.understandsZone()
                || !request.folder().equals(ResidentAddress.identityOrNull(surroundings.cwd()))) {
            return Optional.empty();
        }
        try {
            Optional<Invocation> call = program.servable(request.words(), surroundings);
            return call.isPresent()
                            && TypedHive.find(call.get()).root().equals(layout.root())
                            && Objects.equals(hive, ResidentAddress.identityOrNull(layout.hive()))
                            && !hasGuardProgram(call.get())
                            && !isSigned(call.get())
                    ? call
                    : Optional.empty();
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    /// A guard program of the hive's own is run with the variables of whoever asks.
    private boolean hasGuardProgram(Invocation call) {
        return call.userFiles().names(layout.hive().resolve("tools"), CLIENTS_MAX).stream()
                .anyMatch(name -> name.startsWith("policy_guard"));
    }

    /// Whether the hive expects that the mail of this call is signed.
    private boolean isSigned(Invocation call) throws IOException {
        return Servable.MAILING.contains(call.verb()) && Signing.isExpected(call, layout);
    }

    /// Whether the client runs under the same account.
    private boolean isOwn(SocketChannel client) throws IOException {
        return client.getOption(ExtendedSocketOptions.SO_PEERCRED).user().equals(owner);
    }

    /// Looks after clients that hang, after the build, and after the hive.
    private void look() {
        while (!ending) {
            if (!pause(LOOK)) {
                return;
            }
            Optional<Ending> end;
            try {
                dropHanging();
                end = reasonToEnd();
            } catch (OutOfMemoryError e) {
                end = Optional.of(Ending.EXHAUSTED);
            }
            if (end.isPresent() && !ending) {
                over.accept(end.get());
                return;
            }
        }
    }

    private void dropHanging() {
        long latest = System.nanoTime() - ASKING_MAX.toNanos();
        asking.forEach((client, began) -> {
            // Not one that said a moment ago that it wants its answer.
            if (began - latest < 0 && asking.remove(client, began)) {
                drop(client);
            }
        });
    }

    private Optional<Ending> reasonToEnd() {
        if (!Objects.equals(hive, ResidentAddress.identityOrNull(layout.hive()))) {
            return Optional.of(Ending.HIVE_GONE);
        }
        // To look at all sources takes a while, and is not needed while nobody asks.
        boolean look = asked.getAndSet(false);
        try {
            if (build.isPresent()
                    && (build.get().isReplaced() || (look && build.get().hasNewerSource()))) {
                return Optional.of(Ending.PROGRAM_CHANGED);
            }
            return isInPlace() ? Optional.empty() : Optional.of(Ending.PLACE_LOST);
        } catch (IOException e) {
            // Nobody can look at this moment; the next look is soon.
            asked.set(true);
            return Optional.empty();
        }
    }

    /// Whether clients come here, and no second resident can begin.
    private boolean isInPlace() throws IOException {
        return lock.isNamed()
                && Objects.equals(socket, ResidentAddress.identityOrNull(address.socket()));
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
        if (Objects.equals(socket, ResidentAddress.identityOrNull(address.socket()))) {
            address.removeSocket();
        }
        threads.shutdown();
        staying.forEach(ClientStreams::stop);
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
