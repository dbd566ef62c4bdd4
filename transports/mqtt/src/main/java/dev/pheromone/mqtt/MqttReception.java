package dev.pheromone.mqtt;

import dev.pheromone.Carrier;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/// Receives for several inboxes, each in a session of its own. When one is over, so are all: half a
/// receiver would be noticed late.
record MqttReception(List<InboxSession> sessions) implements Carrier.Reception {

    @Override
    public Carrier.Ending run() throws InterruptedException {
        CompletableFuture<Object> first =
                CompletableFuture.anyOf(
                        sessions.stream()
                                .map(InboxSession::ending)
                                .toArray(CompletableFuture<?>[]::new));
        try {
            Object ending = first.get();
            close();
            return (Carrier.Ending) ending;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        sessions.forEach(InboxSession::close);
    }
}
