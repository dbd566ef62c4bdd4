package dev.pheromone.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// beanstalkd, which forces its log to the disk with each message.
final class BeanstalkPeer extends SocketPeer {

    static final String PROGRAM = "beanstalkd";

    private BeanstalkPeer(Path folder, int port) throws Exception {
        super(
                List.of(
                        PROGRAM,
                        "-l",
                        "127.0.0.1",
                        "-p",
                        Integer.toString(port),
                        "-b",
                        folder.toString(),
                        "-f",
                        "0"),
                folder,
                port);
    }

    static BeanstalkPeer start(Path folder) throws Exception {
        return new BeanstalkPeer(folder, LocalServer.freePort());
    }

    @Override
    void put(byte[] message) throws IOException {
        write("put 2 0 60 " + message.length + "\r\n");
        write(message);
        write("\r\n");
        flush();
        expect("INSERTED ");
    }

    @Override
    void takeOne() throws IOException {
        write("reserve\r\n");
        flush();
        String[] idAndBytes = expect("RESERVED ").split(" ", -1);
        skip(Integer.parseInt(idAndBytes[1]) + 2);
        write("delete " + idAndBytes[0] + "\r\n");
        flush();
        expect("DELETED");
    }
}
