package dev.pheromone.mqtt;

import dev.pheromone.Domain;
import dev.pheromone.EnvelopeId;
import dev.pheromone.State;
import dev.pheromone.Urgency;
import dev.pheromone.WaitingLine;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/// The copies in one inbox and what is known of each, in memory; whatever changes is written to the
/// broker at once, in order. For one thread.
final class Pieces {

    /// A copy, and what is known of it.
    record Piece(Mail mail, MailRecord record) {
        EnvelopeId id() {
            return mail.envelope().id();
        }
    }

    /// Hands messages over to the broker, in order.
    interface Writer {
        /// At once: what is decided rests on it.
        CompletableFuture<Boolean> write(Post post);

        /// After whoever asked has been answered: it only puts away what has ended.
        void writeLater(Post post);
    }

    /// The property that says why kept mail ended.
    static final String REASON = "reason";

    private static final int REASON_LENGTH_MAX = 500;

    private static final int ENDED_MAX = 50_000;

    private final Names names;
    private final Domain domain;
    private final Inspection inspection;
    private final Writer broker;
    private final Map<EnvelopeId, Piece> pieces = new HashMap<>();
    private final Set<String> topics = new HashSet<>();
    private final Set<EnvelopeId> active = new HashSet<>();
    private final WaitingLine<EnvelopeId> line = new WaitingLine<>();

    /// Records that the broker has not confirmed yet. Whoever reads them from it may see older
    /// ones.
    private final Map<EnvelopeId, MailRecord> underWay = new ConcurrentHashMap<>();

    /// Records of what has ended since we know this inbox; null once they are too many.
    private @Nullable Map<EnvelopeId, MailRecord> ended = new HashMap<>();

    Pieces(Names names, Domain domain, Inspection inspection, Writer broker) {
        this.names = names;
        this.domain = domain;
        this.inspection = inspection;
        this.broker = broker;
    }

    @Nullable Piece find(EnvelopeId id) {
        return pieces.get(id);
    }

    boolean isKnown(String topic) {
        return topics.contains(topic);
    }

    /// The record of `id` that the broker has or will have in a moment.
    @Nullable MailRecord newest(EnvelopeId id, @Nullable MailRecord read) {
        MailRecord written = underWay.get(id);
        if (written == null && ended != null) {
            written = ended.get(id);
        }
        return written == null ? read : written;
    }

    /// Whether we know of everything that has ended since we know this inbox.
    boolean knowAllThatEnded() {
        return ended != null;
    }

    List<Piece> active() {
        return active.stream().map(pieces::get).toList();
    }

    int waiting() {
        return line.size();
    }

    Optional<Piece> pick(Instant now, Urgency.Turn turn) {
        return line.pick(now, turn).map(pieces::get);
    }

    Optional<Piece> firstExpired(Instant now) {
        return line.firstExpired(now).map(pieces::get);
    }

    /// Adds a copy that lies on the broker already, as does its record if it has one.
    void add(Piece piece, Instant now) {
        topics.add(piece.mail().topic());
        place(piece, now);
    }

    /// Writes what is known of `piece` from now on.
    void change(Piece piece, MailRecord next, Instant now) {
        if (!next.state().isFinal()) {
            write(piece.id(), next);
            place(new Piece(piece.mail(), next), now);
            return;
        }
        if (next.state() != State.DONE) {
            archive(next.state(), piece.id().toString(), piece.mail().bytes(), next.note());
        }
        write(piece.id(), next);
        drop(piece.mail());
    }

    private void place(Piece piece, Instant now) {
        EnvelopeId id = piece.id();
        pieces.put(id, piece);
        if (piece.record().state() == State.ACTIVE) {
            active.add(id);
            line.remove(id);
            return;
        }
        active.remove(id);
        Urgency urgency = inspection.urgency(piece.mail().envelope(), piece.record());
        if (urgency.isAbsurd()) {
            change(piece, piece.record().ended(State.DEAD, "dated a day ahead", ""), now);
        } else {
            line.put(id, urgency, now);
        }
    }

    void write(EnvelopeId id, MailRecord record) {
        underWay.put(id, record);
        if (ended != null && record.state().isFinal()) {
            ended.put(id, record);
            ended = ended.size() > ENDED_MAX ? null : ended;
        }
        var _ =
                broker.write(Post.kept(names.record(domain, id), record.bytes()))
                        .whenComplete((_, _) -> underWay.remove(id, record));
    }

    /// Keeps what can't be delivered, and takes it out of the inbox. It is not remembered: bad mail
    /// takes no id away from the one who owns it.
    void refuse(Post post, State state, String name, String reason) {
        archive(state, name, post.payload(), reason);
        clear(post.topic());
    }

    void refuse(Piece piece, String reason) {
        archive(State.DEAD, piece.id().toString(), piece.mail().bytes(), reason);
        drop(piece.mail());
    }

    private void archive(State state, String name, byte[] bytes, String reason) {
        String start = reason.substring(0, Math.min(REASON_LENGTH_MAX, reason.length()));
        var _ =
                broker.write(
                        Post.kept(names.archived(domain, state, name), bytes)
                                .with(Map.of(REASON, start)));
    }

    private void drop(Mail mail) {
        EnvelopeId id = mail.envelope().id();
        pieces.remove(id);
        active.remove(id);
        line.remove(id);
        topics.remove(mail.topic());
        clear(mail.topic());
    }

    /// Takes out of the inbox what has ended.
    void clear(String topic) {
        broker.writeLater(Post.cleared(topic));
    }
}
