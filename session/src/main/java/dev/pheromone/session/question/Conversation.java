package dev.pheromone.session.question;

import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.session.hive.StoredMail;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The mail around one envelope: what it was sent in return to, and what was sent in return to it.
///
/// @param before the mail that it belongs to, the nearest first
/// @param after mail in return to it, the oldest first
public record Conversation(List<OpenedCopy> before, List<OpenedCopy> after) {

    /// Two programs that answer each other make long chains; nobody reads more of them at once.
    private static final int BEFORE_MAX = 8;

    private static final int AFTER_MAX = 16;

    /// So much mail of a busy inbox is opened to find what was sent in return.
    private static final int OPENED_MAX = 500;

    /// Whether the caller may be shown mail.
    public interface Shown {
        boolean test(OpenedCopy copy) throws IOException;
    }

    public Conversation {
        before = List.copyOf(before);
        after = List.copyOf(after);
    }

    /// The conversation of `envelope`, without mail that may not be shown.
    public static Conversation of(OpenHive hive, Envelope envelope, Shown shown)
            throws IOException {
        return new Conversation(before(hive, envelope, shown), after(hive, envelope, shown));
    }

    private static List<OpenedCopy> before(OpenHive hive, Envelope envelope, Shown shown)
            throws IOException {
        List<OpenedCopy> before = new ArrayList<>();
        // Whoever writes a header can make a circle of two.
        Set<EnvelopeId> met = new HashSet<>(Set.of(envelope.id()));
        Optional<EnvelopeId> about = envelope.correlationId();
        while (about.isPresent() && met.add(about.get()) && before.size() < BEFORE_MAX) {
            OpenedCopy copy;
            try {
                copy = hive.mail().opened(about.get().text());
            } catch (ProblemException notHere) {
                break;
            }
            if (!shown.test(copy)) {
                break;
            }
            before.add(copy);
            about = copy.envelope().correlationId();
        }
        return before;
    }

    private static List<OpenedCopy> after(OpenHive hive, Envelope envelope, Shown shown)
            throws IOException {
        List<StoredMail> returned = new ArrayList<>();
        Set<EnvelopeId> met = new HashSet<>();
        int[] opened = {0};
        for (Domain inbox : AnswerBox.inboxes(hive, envelope)) {
            try {
                for (StoredMail mail :
                        hive.mail()
                                .stored(
                                        inbox,
                                        envelope.ts().minus(AnswerBox.CLOCK_SKEW_MAX),
                                        (_, _) -> opened[0]++ < OPENED_MAX)) {
                    Envelope found = mail.copy().envelope();
                    if (found.correlationId().filter(envelope.id()::equals).isPresent()
                            && met.add(found.id())
                            && shown.test(mail.copy())) {
                        returned.add(mail);
                    }
                }
            } catch (NoSuchInboxException e) {
                // It was taken away meanwhile, with what was in it.
            }
        }
        returned.sort(Comparator.comparing(StoredMail::at));
        return returned.stream().map(StoredMail::copy).limit(AFTER_MAX).toList();
    }
}
