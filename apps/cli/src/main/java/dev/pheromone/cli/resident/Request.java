package dev.pheromone.cli.resident;

import dev.pheromone.cli.frame.Terminal;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A command that a client asks for, with all that a process of its own would find around it.
///
/// @param umask which permissions new files lack, as the client's process has it
/// @param pid the client's process
/// @param folder which folder the client is in: its name may lead elsewhere for others
record Request(
        List<String> words,
        String cwd,
        String folder,
        int umask,
        long pid,
        Map<String, String> env,
        Terminal terminal) {

    private static final int VERSION = 2;

    private static final int INPUT = 1;
    private static final int OUTPUT = 2;
    private static final int ERROR = 4;

    Request {
        words = List.copyOf(words);
        env = Map.copyOf(env);
    }

    /// Reads the payload of an `R` frame.
    static Request parse(byte[] payload) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(payload);
        try {
            int version = in.get();
            if (version != VERSION) {
                throw new IOException(
                        "request: found version " + version + ", expected " + VERSION);
            }
            int terminals = in.get();
            int umask = in.getInt();
            long pid = in.getLong();
            String folder = Long.toHexString(in.getLong()) + ":" + Long.toHexString(in.getLong());
            String cwd = text(in);
            List<String> words = texts(in);
            Map<String, String> env = new HashMap<>();
            for (String set : texts(in)) {
                int equals = set.indexOf('=');
                if (equals > 0) {
                    env.putIfAbsent(set.substring(0, equals), set.substring(equals + 1));
                }
            }
            return new Request(
                    words,
                    cwd,
                    folder,
                    umask,
                    pid,
                    env,
                    new Terminal(
                            (terminals & INPUT) != 0,
                            (terminals & OUTPUT) != 0,
                            (terminals & ERROR) != 0));
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new IOException("request: it is cut off", e);
        }
    }

    private static List<String> texts(ByteBuffer in) throws IOException {
        int count = in.getInt();
        if (count < 0 || count > in.remaining()) {
            throw new IOException("request: found a list of " + count + " texts");
        }
        List<String> texts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            texts.add(text(in));
        }
        return texts;
    }

    private static String text(ByteBuffer in) throws IOException {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new IOException("request: found a text of " + length + " bytes");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
