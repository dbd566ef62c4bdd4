package dev.pheromone.mqtt;

import dev.pheromone.Carrier;
import dev.pheromone.OtherReceiverException;
import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/// Mail that version 0.1 left on a broker. There a copy was a retained message under
/// `mail/INBOX/SHARD/STRETCH/ID/HASH`, and `record/INBOX/STRETCH/ID` told what had become of it.
///
/// A copy is fetched by storing it and then clearing its message and its record, in this order: a
/// process that dies in between leaves what the receiver knows as a duplicate.
final class OlderMail {

    /// So many copies at a time, with their records: far fewer messages than a broker queues for
    /// one client.
    private static final int BATCH = 100;

    private final MqttOptions options;
    private final InstantSource clock;

    OlderMail(MqttOptions options, InstantSource clock) {
        this.options = options;
        this.clock = clock;
    }

    /// The places of a copy on the broker, as the topic of its message tells them.
    private record Place(Domain inbox, String message, String record, String hash) {

        static @Nullable Place parse(String topic, Topics topics) {
            String prefix = topics.of("mail/");
            String[] parts =
                    topic.startsWith(prefix)
                            ? topic.substring(prefix.length()).split("/", -1)
                            : new String[0];
            if (parts.length != 5 || Domain.find(parts[0]).isEmpty()) {
                return null;
            }
            String record = String.join("/", topics.of("record"), parts[0], parts[2], parts[3]);
            return new Place(Domain.parse(parts[0]), topic, record, parts[4]);
        }
    }

    /// What a record says: which mail it is about, its state, and when its last lease ends.
    private record Known(String hash, State state, Instant endsAt) {

        static Known parse(byte[] record) throws IOException {
            try {
                if (Json.parse(record) instanceof Json.Obj json) {
                    return new Known(
                            ContentHash.parse(json.text("mail")).hex(),
                            State.parse(json.text("state")),
                            json.optionalText("ends_at").map(Instant::parse).orElse(Instant.EPOCH));
                }
            } catch (MalformedJsonException | IllegalArgumentException | DateTimeException e) {
                throw new IOException("its record can't be read: " + e.getMessage(), e);
            }
            throw new IOException("its record can't be read: found no object");
        }
    }

    /// How many copies wait there or are worked on.
    int count() throws IOException {
        int count = 0;
        Set<String> seen = new HashSet<>();
        for (Map<Place, byte[]> batch = next(seen); !batch.isEmpty(); batch = next(seen)) {
            Map<String, byte[]> records = records(batch.keySet());
            for (Place place : batch.keySet()) {
                count += seemsEnded(place, records.get(place.record())) ? 0 : 1;
            }
        }
        return count;
    }

    /// Hands each copy to `receiver`, and clears what is stored or had ended.
    MqttCarrier.Fetched fetch(Carrier.Receiver receiver) throws IOException {
        refuseWhileUsed();
        int stored = 0;
        List<String> left = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        try (Connection connection = Connection.passing(options, _ -> {})) {
            for (Map<Place, byte[]> batch = next(seen); !batch.isEmpty(); batch = next(seen)) {
                Map<String, byte[]> records = records(batch.keySet());
                for (Map.Entry<Place, byte[]> one : batch.entrySet()) {
                    Place place = one.getKey();
                    byte[] record = records.get(place.record());
                    Optional<String> objection = objection(place, record, one.getValue(), receiver);
                    if (objection.isPresent()) {
                        left.add(place.message() + ": " + objection.get());
                        continue;
                    }
                    stored += isEnded(place, record) ? 0 : 1;
                    clear(connection, List.of(place.message()));
                    clear(connection, List.of(place.record()));
                }
            }
            if (left.isEmpty()) {
                clearRecords(connection);
            }
        }
        return new MqttCarrier.Fetched(stored, left);
    }

    /// A process of 0.1 that is connected knows all mail by heart, and would hand it out once more.
    private void refuseWhileUsed() throws IOException {
        if (options.joining == MqttOptions.Joining.TAKES_OVER) {
            return;
        }
        try (Retained look = new Retained(options, List.of(options.topics.of("present/+")))) {
            if (!look.any().isEmpty()) {
                throw new OtherReceiverException(
                        "%s: a program of version 0.1 is connected, expected none"
                                .formatted(options.broker));
            }
        }
    }

    /// The next copies that are not among `seen`, to which they are added.
    private Map<Place, byte[]> next(Set<String> seen) throws IOException {
        Map<Place, byte[]> batch = new LinkedHashMap<>();
        try (Retained look = new Retained(options, List.of(options.topics.of("mail/#")))) {
            for (Map.Entry<String, byte[]> one : look.all().entrySet()) {
                Place place = Place.parse(one.getKey(), options.topics);
                if (place != null && batch.size() < BATCH && seen.add(one.getKey())) {
                    batch.put(place, one.getValue());
                }
            }
        }
        return batch;
    }

    private Map<String, byte[]> records(Set<Place> places) throws IOException {
        List<String> topics = places.stream().map(Place::record).distinct().toList();
        try (Retained look = new Retained(options, topics)) {
            return Map.copyOf(look.all());
        }
    }

    /// A copy whose record can't be read stays where it is.
    private static boolean seemsEnded(Place place, byte @Nullable [] record) {
        try {
            return isEnded(place, record);
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isEnded(Place place, byte @Nullable [] record) throws IOException {
        if (record == null) {
            return false;
        }
        Known known = Known.parse(record);
        return known.state().isFinal() && known.hash().equals(place.hash());
    }

    /// Stores the copy, unless it had ended; and why the copy has to stay, if it has to.
    private Optional<String> objection(
            Place place, byte @Nullable [] record, byte[] mail, Carrier.Receiver receiver) {
        try {
            if (isEnded(place, record)) {
                return Optional.empty();
            }
            Instant now = clock.instant();
            Known known = record == null ? null : Known.parse(record);
            if (known != null && known.state() == State.ACTIVE && known.endsAt().isAfter(now)) {
                return Optional.of("held until " + known.endsAt());
            }
            Arrival arrival = Arrival.of(mail, place.inbox(), options, now, receiver);
            return arrival.fate() == Carrier.Fate.TAKEN
                    ? Optional.empty()
                    : Optional.of(arrival.result().why());
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private void clearRecords(Connection connection) throws IOException {
        while (true) {
            try (Retained look = new Retained(options, List.of(options.topics.of("record/#")))) {
                List<String> records = List.copyOf(look.all().keySet());
                if (records.isEmpty()) {
                    return;
                }
                clear(connection, records);
            }
        }
    }

    private static void clear(Connection connection, List<String> topics) throws IOException {
        CompletableFuture<?>[] cleared =
                topics.stream()
                        .map(topic -> connection.publish(Presence.cleared(topic)))
                        .toArray(CompletableFuture<?>[]::new);
        var _ = connection.await(CompletableFuture.allOf(cleared));
    }
}
