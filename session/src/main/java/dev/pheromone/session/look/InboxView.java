package dev.pheromone.session.look;

import dev.pheromone.address.Domain;
import dev.pheromone.selection.Waiting;

import org.jspecify.annotations.Nullable;

import java.util.List;

/// What waits in one inbox.
///
/// @param transport the transport of hive.yaml that has the inbox; null for the hive itself
/// @param mail what is wanted of the mail, in the order in which it would be taken
/// @param bad what lies there and is no mail
/// @param active how many copies are being worked on; null where a transport does not tell
public record InboxView(
        Domain inbox,
        @Nullable String transport,
        List<Waiting.Mail> mail,
        List<Waiting.Bad> bad,
        @Nullable Integer active) {

    public InboxView {
        mail = List.copyOf(mail);
        bad = List.copyOf(bad);
    }

    /// Which mail is wanted; upper and lower case are the same.
    ///
    /// @param from whose; null for everybody's
    /// @param lane of which kind; null for every kind
    /// @param priority how urgent; null for any
    public record Filter(@Nullable String from, @Nullable String lane, @Nullable String priority) {

        public boolean allows(Waiting.Mail mail) {
            return matches(from, mail.header().from().name())
                    && matches(lane, mail.header().lane().name())
                    && matches(priority, mail.header().priority().name());
        }

        private static boolean matches(@Nullable String wanted, String found) {
            return wanted == null || wanted.equalsIgnoreCase(found);
        }
    }
}
