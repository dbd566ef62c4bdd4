package dev.pheromone.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// Redis, with a stream and a group of readers; its log is forced to the disk before it answers.
final class RedisPeer extends SocketPeer {

    static final String PROGRAM = "redis-server";

    private RedisPeer(Path folder, int port) throws Exception {
        super(
                List.of(
                        PROGRAM,
                        "--bind",
                        "127.0.0.1",
                        "--port",
                        Integer.toString(port),
                        "--dir",
                        folder.toString(),
                        "--save",
                        "",
                        "--appendonly",
                        "yes",
                        "--appendfsync",
                        "always"),
                folder,
                port);
    }

    static RedisPeer start(Path folder) throws Exception {
        RedisPeer peer = new RedisPeer(folder, LocalServer.freePort());
        peer.command("XGROUP", "CREATE", "mail", "workers", "$", "MKSTREAM");
        peer.flush();
        peer.expect("+OK");
        return peer;
    }

    @Override
    void put(byte[] message) throws IOException {
        write("*5\r\n");
        words("XADD", "mail", "*", "envelope");
        word(message);
        flush();
        skip(Integer.parseInt(expect("$")) + 2);
    }

    @Override
    void takeOne() throws IOException {
        command("XREADGROUP", "GROUP", "workers", "one", "COUNT", "1", "STREAMS", "mail", ">");
        flush();
        // One stream: its name, and one entry: its id, and one field: its name and value.
        expect("*1");
        expect("*2");
        skip(Integer.parseInt(expect("$")) + 2);
        expect("*1");
        expect("*2");
        expect("$");
        String id = line();
        expect("*2");
        skip(Integer.parseInt(expect("$")) + 2);
        skip(Integer.parseInt(expect("$")) + 2);
        // Both with one force, as a careful client would.
        command("MULTI");
        command("XACK", "mail", "workers", id);
        command("XDEL", "mail", id);
        command("EXEC");
        flush();
        expect("+OK");
        expect("+QUEUED");
        expect("+QUEUED");
        expect("*2");
        expect(":1");
        expect(":1");
    }

    private void command(String... words) throws IOException {
        write("*" + words.length + "\r\n");
        words(words);
    }

    private void words(String... words) throws IOException {
        for (String word : words) {
            word(word.getBytes(StandardCharsets.US_ASCII));
        }
    }

    private void word(byte[] word) throws IOException {
        write("$" + word.length + "\r\n");
        write(word);
        write("\r\n");
    }
}
