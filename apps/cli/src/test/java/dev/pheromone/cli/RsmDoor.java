package dev.pheromone.cli;

import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.frame.Terminal;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;

/// `rsm` for a real shell, without the time that a Java takes to start: a small script of that name
/// hands each call to the program in this process, and prints what the program prints, as it comes.
///
/// The words, variables, folder and standard input are those that the shell gave to the script.
final class RsmDoor implements AutoCloseable {

    private static final Duration END_MAX = Duration.ofSeconds(30);

    private static final String SCRIPT =
            """
            #!/usr/bin/env bash
            # Hands this call to the rsm of the test that wrote this file.
            exec 3<>/dev/tcp/127.0.0.1/PORT || exit 125
            input=
            if [[ -p /dev/stdin || -f /dev/stdin ]]; then input=$(mktemp) && cat >"$input"; fi
            { printf '%s\\0' "$PWD" "$input" "$#" "$@" && env -0 && printf '\\0'; } >&3
            while IFS= read -r line <&3; do
                case $line in
                    o*) printf '%s\\n' "${line:1}" ;;
                    O*) printf '%s' "${line:1}" ;;
                    e*) printf '%s\\n' "${line:1}" >&2 ;;
                    E*) printf '%s' "${line:1}" >&2 ;;
                    x*) exit "${line:1}" ;;
                esac
            done
            exit 125
            """;

    private final Path home;
    private final String bind;
    private final ServerSocket socket;
    private final ConcurrentLinkedQueue<Thread> calls = new ConcurrentLinkedQueue<>();

    /// By how much the program's clock is ahead of the machine's, whose time the files have that
    /// the shell writes.
    private volatile Duration ahead = Duration.ZERO;

    /// @param bind where `rsm serve` listens that was not told where
    RsmDoor(Path home, String bind) throws IOException {
        this.home = home;
        this.bind = bind;
        this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread _ = Thread.ofVirtual().start(this::listen);
    }

    /// Writes the script that calls this door.
    Path writeScript(Path file) throws IOException {
        Files.writeString(file, SCRIPT.replace("PORT", String.valueOf(socket.getLocalPort())));
        if (!file.toFile().setExecutable(true)) {
            throw new IOException("can't make " + file + " executable");
        }
        return file;
    }

    /// Moves the clock of the program on.
    void later(Duration duration) {
        ahead = ahead.plus(duration);
    }

    private void listen() {
        while (true) {
            try {
                Socket caller = socket.accept();
                calls.add(Thread.ofPlatform().start(() -> answer(caller)));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void answer(Socket caller) {
        try (caller) {
            InputStream asked = new BufferedInputStream(caller.getInputStream());
            Path cwd = Path.of(field(asked));
            String input = field(asked);
            List<String> words = new ArrayList<>();
            int count = Integer.parseInt(field(asked));
            for (int i = 0; i < count; i++) {
                words.add(field(asked));
            }
            Map<String, String> env = new HashMap<>();
            for (String set = field(asked); !set.isEmpty(); set = field(asked)) {
                int equals = set.indexOf('=');
                env.put(set.substring(0, equals), set.substring(equals + 1));
            }
            if (words.contains("serve") && !words.contains("--bind")) {
                words.addAll(List.of("--bind", bind));
            }
            OutputStream answer = caller.getOutputStream();
            Lines out = new Lines(answer, 'o');
            Lines err = new Lines(answer, 'e');
            byte[] typed = input.isEmpty() ? new byte[0] : Files.readAllBytes(Path.of(input));
            Surroundings surroundings =
                    new Surroundings(
                            env,
                            cwd,
                            home,
                            "You",
                            new ByteArrayInputStream(typed),
                            out,
                            err,
                            () -> InstantSource.system().instant().plus(ahead),
                            Terminal.NONE,
                            null);
            int exit = new Rsm(surroundings).run(words);
            out.flush();
            err.flush();
            answer.write(("x" + exit + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // The script sees the connection end, and ends with 125.
            return;
        }
    }

    private static String field(InputStream asked) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int next = asked.read(); next != 0; next = asked.read()) {
            if (next < 0) {
                throw new IOException("the call ended early");
            }
            bytes.write(next);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
        try {
            for (Thread call : calls) {
                call.interrupt();
                boolean _ = call.join(END_MAX);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// A standard stream, each of whose lines begins with a letter that names the stream: a small
    /// one if the line has an end, a capital if it has none yet.
    private static final class Lines extends OutputStream {
        private final OutputStream answer;
        private final char letter;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();

        Lines(OutputStream answer, char letter) {
            this.answer = answer;
            this.letter = letter;
        }

        @Override
        public synchronized void write(int b) throws IOException {
            if (b == '\n') {
                send(letter);
            } else {
                line.write(b);
            }
        }

        @Override
        public synchronized void flush() throws IOException {
            if (line.size() > 0) {
                send(Character.toUpperCase(letter));
            }
        }

        private void send(char begin) throws IOException {
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            whole.write(begin);
            line.writeTo(whole);
            whole.write('\n');
            line.reset();
            // One write, so that two streams do not mix within a line.
            synchronized (answer) {
                answer.write(whole.toByteArray());
            }
        }
    }
}
