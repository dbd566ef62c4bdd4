package dev.pheromone.cli;

import dev.pheromone.cli.resident.ResidentAddress;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;

/// What a client says to a resident, byte by byte: for clients that fail at a certain point, and
/// for more requests than processes could make.
final class RawClient {

    /// What the resident says before it does anything.
    static final String ACCEPTED = "H\0\0\0\0A\0\0\0\0";

    static final byte[] BEGIN = {'G', 0, 0, 0, 0};

    private static final byte[] WRITTEN = {'k', 0, 0, 0, 0};
    private static final byte[] NO_INPUT = {'i', 0, 0, 0, 0};
    private static final int REQUEST_BYTES_MAX = 8_192;
    private static final int NO_TERMINAL_UMASK_022 = 0b000_010_010;

    private RawClient() {}

    static SocketChannel connect(ResidentAddress address) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(address.socket()));
        return channel;
    }

    /// A request as the client in C writes it.
    static byte[] request(Session session, String... words) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(REQUEST_BYTES_MAX);
        out.put((byte) 2).put((byte) 0).putInt(NO_TERMINAL_UMASK_022);
        out.putLong(ProcessHandle.current().pid());
        out.putLong((Long) Files.getAttribute(session.cwd, "unix:dev"));
        out.putLong((Long) Files.getAttribute(session.cwd, "unix:ino"));
        put(out, session.cwd.toString());
        out.putInt(words.length);
        for (String word : words) {
            put(out, word);
        }
        out.putInt(1);
        put(out, "RSM_ACTOR=builder");
        byte[] frame = new byte[out.position() + 5];
        ByteBuffer.wrap(frame).put((byte) 'R').putInt(out.position()).put(out.flip());
        return frame;
    }

    private static void put(ByteBuffer out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.putInt(bytes.length).put(bytes);
    }

    /// Has `words` answered, and returns the exit code with all that was printed.
    ///
    /// @throws IOException if the resident declines
    static Session.Result run(ResidentAddress address, Session session, List<String> words)
            throws IOException {
        try (SocketChannel raw = connect(address)) {
            OutputStream to = Channels.newOutputStream(raw);
            DataInputStream from = new DataInputStream(Channels.newInputStream(raw));
            to.write(request(session, words.toArray(String[]::new)));
            String accepted =
                    new String(from.readNBytes(ACCEPTED.length()), StandardCharsets.US_ASCII);
            if (!accepted.equals(ACCEPTED)) {
                throw new IOException("the resident said " + accepted);
            }
            to.write(BEGIN);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            while (true) {
                int type = from.read();
                if (type < 0) {
                    throw new EOFException("the resident ended");
                }
                byte[] payload = from.readNBytes(from.readInt());
                switch (type) {
                    case 'o', 'e' -> {
                        (type == 'o' ? out : err).writeBytes(payload);
                        to.write(WRITTEN);
                    }
                    case 'I' -> to.write(NO_INPUT);
                    case 'x' -> {
                        return new Session.Result(
                                payload[0] & 0xff,
                                out.toString(StandardCharsets.UTF_8),
                                err.toString(StandardCharsets.UTF_8));
                    }
                    default -> throw new IOException("found a frame '" + (char) type + "'");
                }
            }
        }
    }
}
