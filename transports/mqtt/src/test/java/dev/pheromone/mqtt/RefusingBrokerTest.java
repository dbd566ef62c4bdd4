package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.ReceivingHive;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A broker that lets everybody in and look who receives, and hands out one message, but lets
/// nobody subscribe to anything else.
@Timeout(60)
final class RefusingBrokerTest {

    private static final Domain CODE = Domain.parse("code");
    private static final int CONNECT = 1;
    private static final int DISCONNECT = 14;
    private static final byte SUBACK = (byte) 0x90;
    private static final byte NOT_AUTHORIZED = (byte) 0x87;
    private static final byte[] LET_IN = {0x20, 3, 0, 0, 0};

    private final FakeClock clock = new FakeClock(Instant.now());
    private final CompletableFuture<Void> left = new CompletableFuture<>();
    private final Envelope envelope =
            Envelope.draft(Actor.parse("ada"), List.of(CODE.address()), Lane.CODE, "deploy")
                    .ts(clock.instant())
                    .seal();
    private ServerSocket server;
    private MqttCarrier carrier;

    @BeforeEach
    void open() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        carrier =
                MqttCarrier.open(
                        MqttOptions.of("mqtt://127.0.0.1:" + server.getLocalPort(), "refusing"),
                        clock);
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        while (true) {
                            serve(server.accept());
                        }
                    } catch (IOException e) {
                        // The test is over.
                    }
                });
    }

    @AfterEach
    void close() throws IOException {
        carrier.close();
        server.close();
    }

    private void serve(Socket client) throws IOException {
        boolean isRefused = false;
        int type;
        try (client) {
            DataInputStream in = new DataInputStream(client.getInputStream());
            DataOutputStream out = new DataOutputStream(client.getOutputStream());
            do {
                type = in.readUnsignedByte() >> 4;
                byte[] packet = in.readNBytes(in.readUnsignedByte());
                if (type == CONNECT) {
                    out.write(LET_IN);
                } else if (type == PacketWire.SUBSCRIBE) {
                    isRefused = !new String(packet, UTF_8).contains("/presence/");
                    if (isRefused) {
                        publish(out);
                    }
                    byte reason = isRefused ? NOT_AUTHORIZED : 1;
                    out.write(new byte[] {SUBACK, 4, packet[0], packet[1], 0, reason});
                }
            } while (type != DISCONNECT);
        }
        if (isRefused) {
            left.complete(null);
        }
    }

    private void publish(DataOutputStream out) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream message = new DataOutputStream(bytes);
        message.writeUTF("rsm/refusing/inbox/code");
        message.writeShort(1);
        message.writeByte(0);
        message.write(envelope.bytes());
        out.writeByte(0x32);
        out.writeByte(bytes.size() % 128 + 128);
        out.writeByte(bytes.size() / 128);
        bytes.writeTo(out);
    }

    @Test
    void whoMayNotFollowLeavesNoConnectionBehind() {
        assertThatThrownBy(() -> carrier.follow(_ -> {})).hasMessageContaining("shows nothing");
        assertThat(left).succeedsWithin(Duration.ofSeconds(20));
    }

    @Test
    void whoMayNotReceiveIsToldWhenWhatCameIsStored() throws Exception {
        CountDownLatch disk = new CountDownLatch(1);
        CompletableFuture<Envelope> stored = new CompletableFuture<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> joining =
                    threads.submit(() ->
                            carrier.recv(
                                    ReceivingHive.SELF,
                                    List.of(CODE),
                                    (mail, _) -> {
                                        awaitDisk(disk);
                                        stored.complete(mail);
                                        return new SendResult.Delivered("here");
                                    }));
            assertThat(left).succeedsWithin(Duration.ofSeconds(20));
            assertThatThrownBy(() -> joining.get(500, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            disk.countDown();
            assertThatThrownBy(joining::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("shows nothing");
            assertThat(stored).isCompletedWithValue(envelope);
        }
    }

    private static void awaitDisk(CountDownLatch disk) {
        try {
            disk.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
