package dev.pheromone.mcp;

import dev.pheromone.text.Json;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// A server with a tool that answers at once, and one that waits until the test lets it go.
final class SampleMethods implements Methods {

    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch gate = new CountDownLatch(1);
    final AtomicInteger unsent = new AtomicInteger();

    @Override
    public Profile profile() {
        return new Profile("sample", "Sample", "1", Json.obj().put("tools", Json.obj()), "be kind");
    }

    @Override
    public Answer answer(Call call) throws IOException {
        if (call.method().equals("tools/list")) {
            return Answer.of(Json.obj().put("tools", Json.arr()));
        }
        if (!call.method().equals("tools/call")) {
            throw Protocol.noSuchMethod(call.method());
        }
        return switch (call.params().text("name")) {
            case "wait" -> {
                begun.countDown();
                awaitGate(call);
                yield new Answer(Json.obj().put("waited", true), unsent::incrementAndGet);
            }
            case "break" -> throw new IllegalStateException("a defect");
            default -> Answer.of(Json.obj().put("said", call.params().text("name")));
        };
    }

    private void awaitGate(Call call) throws IOException {
        try {
            boolean isOpen = false;
            while (!call.isOver() && !isOpen) {
                isOpen = gate.await(5, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
