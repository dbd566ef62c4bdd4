package dev.pheromone.mqtt;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/// A way to a broker on which a test sees each packet before it goes on, and may hold it up.
final class PacketWire implements AutoCloseable {

    static final int PUBLISH = 3;
    static final int SUBSCRIBE = 8;

    private static final int MORE = 0x80;

    /// Is asked before a packet goes on; what it throws ends the connection.
    interface Gate {
        /// Lets a packet pass when it returns.
        ///
        /// @param type the kind of packet, as the protocol numbers it
        /// @param text what is in it, as far as it is text
        void pass(int type, String text) throws IOException, InterruptedException;
    }

    private final Relay relay;
    volatile Gate toBroker = (_, _) -> {};
    volatile Gate fromBroker = (_, _) -> {};

    /// Messages of the broker that have this in them never arrive; unless it is empty.
    volatile String lost = "";

    PacketWire(int brokerPort) throws IOException {
        relay = new Relay(brokerPort, this::carry);
    }

    String url() {
        return relay.url();
    }

    private void carry(Socket from, Socket to, boolean isToBroker)
            throws IOException, InterruptedException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(from.getInputStream()));
        OutputStream out = to.getOutputStream();
        for (int first = in.read(); first >= 0; first = in.read()) {
            ByteArrayOutputStream packet = new ByteArrayOutputStream();
            packet.write(first);
            byte[] body = in.readNBytes(length(in, packet));
            packet.write(body);
            Gate gate = isToBroker ? toBroker : fromBroker;
            String text = new String(body, StandardCharsets.ISO_8859_1);
            gate.pass(first >> 4, text);
            if (isToBroker || lost.isEmpty() || !text.contains(lost)) {
                packet.writeTo(out);
            }
        }
    }

    /// Reads how long a packet is: seven bits a byte, the lowest first.
    private static int length(DataInputStream in, ByteArrayOutputStream packet) throws IOException {
        int length = 0;
        int shift = 0;
        int next;
        do {
            next = in.readUnsignedByte();
            packet.write(next);
            length |= (next & ~MORE) << shift;
            shift += 7;
        } while ((next & MORE) != 0);
        return length;
    }

    /// Ends all connections without a word.
    void cut() throws IOException {
        relay.cut();
    }

    @Override
    public void close() throws IOException {
        relay.close();
    }
}
