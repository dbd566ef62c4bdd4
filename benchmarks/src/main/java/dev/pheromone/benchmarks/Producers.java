package dev.pheromone.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Threads that send at the same time, kept from round to round.
///
/// @param <T> what is sent
final class Producers<T> implements AutoCloseable {

    /// Sends one.
    interface Sending<T> {
        void send(T mail) throws Exception;
    }

    private final ExecutorService threads;
    private final int number;
    private final Sending<T> sending;

    Producers(int number, Sending<T> sending) {
        this.threads = Executors.newFixedThreadPool(number);
        this.number = number;
        this.sending = sending;
    }

    int number() {
        return number;
    }

    /// Sends all of `mail`, shared out evenly; returns the nanoseconds for one, from the start of
    /// the first to the end of the last.
    double send(List<T> mail) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<Future<?>> shares = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            int first = i;
            shares.add(
                    threads.submit(() -> {
                        start.await();
                        for (int at = first; at < mail.size(); at += number) {
                            sending.send(mail.get(at));
                        }
                        return first;
                    }));
        }
        long began = System.nanoTime();
        start.countDown();
        for (Future<?> share : shares) {
            share.get();
        }
        return (double) (System.nanoTime() - began) / mail.size();
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
