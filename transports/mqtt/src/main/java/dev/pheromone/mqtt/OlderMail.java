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

    /// What the record of a copy says.
    ///
    /// @param objection why the copy has to stay where it is, if it has to
    private record Known(boolean isEnded, Optional<String> objection) {

        static Known of(Place place, byte @Nullable [] record, Instant now) {
            try {
                return record == null
                        ? new Known(false, Optional.empty())
                        : of(place, Json.parse(record), now);
            } catch (MalformedJsonException | IllegalArgumentException | DateTimeException e) {
                return new Known(false, Optional.of("its record can't be read: " + e.getMessage()));
            }
        }

        private static Known of(Place place, Json record, Instant now) {
            if (!(record instanceof Json.Obj json)) {
                throw new IllegalArgumentException("found no object");
            }
            State state = State.parse(json.text("state"));
            boolean isThisMail = ContentHash.parse(json.text("mail")).hex().equals(place.hash());
            return new Known(
                    state.isFinal() && isThisMail,
                    json.optionalText("ends_at")
                            .map(Instant::parse)
                            .filter(end -> state == State.ACTIVE && end.isAfter(now))
                            .map(end -> "held until " + end));
        }
    }

    /// How many copies wait there or are worked on.
    int count() throws IOException {
        int count = 0;
        Set<String> seen = new HashSet<>();
        for (Map<Place, byte[]> batch = next(seen); !batch.isEmpty(); batch = next(seen)) {
            Map<String, byte[]> records = records(batch.keySet());
            for (Place place : batch.keySet()) {
                count += known(place, records).isEnded() ? 0 : 1;
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
        try (Connection connection = Connection.passing(options)) {
            for (Map<Place, byte[]> batch = next(seen); !batch.isEmpty(); batch = next(seen)) {
                Map<String, byte[]> records = records(batch.keySet());
                for (Map.Entry<Place, byte[]> one : batch.entrySet()) {
                    Place place = one.getKey();
                    Known known = known(place, records);
                    if (!known.isEnded()) {
                        Optional<String> objection =
                                known.objection().or(() -> store(place, one.getValue(), receiver));
                        if (objection.isPresent()) {
                            left.add(place.message() + ": " + objection.get());
                            continue;
                        }
                        stored++;
                    }
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

    private Known known(Place place, Map<String, byte[]> records) {
        return Known.of(place, records.get(place.record()), clock.instant());
    }

    /// Has `receiver` store a copy, and returns why the receiver did not, if so.
    private Optional<String> store(Place place, byte[] mail, Carrier.Receiver receiver) {
        try {
            Arrival arrival = Arrival.of(mail, place.inbox(), options, clock.instant(), receiver);
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
