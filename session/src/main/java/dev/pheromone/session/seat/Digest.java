package dev.pheromone.session.seat;

import dev.pheromone.address.Domain;
import dev.pheromone.session.seat.Memory.Heard;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/// The text of a ring. It stands above the user's words in a model's request, so that it holds no
/// word that somebody else chose: counts, priorities, ends of ids, commands to type; of an actor
/// and a topic only what a trusted key vouches for.
final class Digest {

    static final int LENGTH_MAX = 600;

    /// So much is named at once; the rest is rung the next time.
    static final int NAMED_MAX = 20;

    private static final int TOPIC_LENGTH_MAX = 60;

    private static final String FRAME = "rsm, a tool of this project, reports: ";

    /// In a text that a program delivers as the words of its user.
    private static final String FRAME_FOR_USERS_WORDS =
            "rsm, a tool of this project, reports (no person wrote this): ";

    /// A sender for whom a trusted key vouches, and the topic.
    record Sender(String actor, String topic) {}

    /// Says who sent mail; null if no trusted key vouches for that.
    interface Senders {
        @Nullable Sender of(Heard mail);
    }

    /// A text, and the mail that it names.
    record Text(String text, List<Heard> named) {

        Text {
            named = List.copyOf(named);
        }
    }

    private final Seat seat;
    private final Moment moment;
    private final String nonce;
    private final boolean isUsersWords;

    /// @param nonce the nonce that stands in the text; empty for none
    /// @param isUsersWords whether the program delivers the text as if its user had written it
    Digest(Seat seat, Moment moment, String nonce, boolean isUsersWords) {
        this.seat = seat;
        this.moment = moment;
        this.nonce = nonce;
        this.isUsersWords = isUsersWords;
    }

    /// The text that names as much of `mail` as it has room for, in its order, but own mail first.
    ///
    /// @param waiting how many wait in the inbox of each
    Text of(List<Heard> mail, Count waiting, Senders senders) {
        String end = end();
        int room = LENGTH_MAX - end.length();
        StringBuilder text = new StringBuilder(isUsersWords ? FRAME_FOR_USERS_WORDS : FRAME);
        List<Heard> named = new ArrayList<>();
        boolean isFirst = true;
        for (Domain inbox : inboxes(mail)) {
            StringBuilder part = new StringBuilder(isFirst ? "" : "; ");
            part.append(waiting.in(inbox))
                    .append(inbox.equals(seat.ownInbox()) ? " waiting for you" : " at ")
                    .append(inbox.equals(seat.ownInbox()) ? "" : inbox.address())
                    .append(": ");
            String command =
                    inbox.equals(seat.ownInbox())
                            ? ", `rsm select`"
                            : ", `rsm select " + inbox.name() + "`";
            int first = named.size();
            for (Heard item : mail) {
                if (!item.inbox().equals(inbox) || named.size() == NAMED_MAX) {
                    continue;
                }
                String one = (named.size() == first ? "" : ", ") + named(item, senders);
                if (text.length() + part.length() + one.length() + command.length() > room) {
                    break;
                }
                part.append(one);
                named.add(item);
            }
            if (named.size() == first) {
                break;
            }
            text.append(part).append(command);
            isFirst = false;
        }
        return new Text(text.append(end).toString(), named);
    }

    /// How many envelopes wait in an inbox.
    interface Count {
        int in(Domain inbox);
    }

    private List<Domain> inboxes(List<Heard> mail) {
        List<Domain> inboxes = new ArrayList<>();
        for (Heard item : mail) {
            if (item.inbox().equals(seat.ownInbox()) && !inboxes.contains(item.inbox())) {
                inboxes.addFirst(item.inbox());
            } else if (!inboxes.contains(item.inbox())) {
                inboxes.add(item.inbox());
            }
        }
        return inboxes;
    }

    private static String named(Heard mail, Senders senders) {
        String name = mail.priority() + " " + Memory.id(mail).shortForm();
        Sender sender = senders.of(mail);
        return sender == null
                ? name
                : name + " from " + sender.actor() + " (proven): \"" + plain(sender.topic()) + '"';
    }

    private String end() {
        String advice =
                moment == Moment.STOP
                        ? ". Look before you stop."
                        : ". The task that you were given goes first.";
        return nonce.isEmpty() ? advice : advice + " (" + Nonce.MARK + nonce + ")";
    }

    /// The beginning of a topic, without any character that could mean more than a text.
    private static String plain(String topic) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < topic.length(); i++) {
            char c = topic.charAt(i);
            if (plain.length() == TOPIC_LENGTH_MAX - 1) {
                return plain.append('…').toString();
            }
            boolean isPlain =
                    (c >= 'a' && c <= 'z')
                            || (c >= 'A' && c <= 'Z')
                            || (c >= '0' && c <= '9')
                            || " .,:-_/+#()".indexOf(c) >= 0;
            plain.append(isPlain ? c : '?');
        }
        return plain.toString();
    }
}
