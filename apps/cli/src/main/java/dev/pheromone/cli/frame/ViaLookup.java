package dev.pheromone.cli.frame;

import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.remote.HeldClaims;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.Letter;
import dev.pheromone.session.Lookup;
import dev.pheromone.session.OpenHive;
import dev.pheromone.session.Phrase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Finds mail on another transport by what was typed: an id, the end of one, or a claim's name.
final class ViaLookup {

    private final Via via;

    ViaLookup(Via via) {
        this.via = via;
    }

    /// The claims of this hive's commands that are meant.
    List<HeldClaims.Held> held(String typed) throws IOException {
        if (typed.length() < Lookup.TYPED_LENGTH_MIN) {
            throw Lookup.tooShort(typed);
        }
        List<HeldClaims.Held> found = via.held().find(typed);
        Set<EnvelopeId> ids = new TreeSet<>();
        found.forEach(held -> ids.add(held.envelope().id()));
        refuseIfSeveral(typed, ids);
        return found;
    }

    /// The envelope that is meant, checked: one that was taken here, else as the other side shows
    /// it.
    Letter letter(OpenHive hive, String typed) throws IOException {
        for (HeldClaims.Held held : held(typed)) {
            return new Letter(
                    held.envelope(),
                    hive.checkSignature(held.envelope()),
                    held.inbox(),
                    State.ACTIVE,
                    held.location());
        }
        return find(hive, id(typed))
                .orElseThrow(() ->
                        new CliException(
                                        ErrorCode.NO_SUCH_ID,
                                        "no envelope " + typed + " that " + via.name() + " shows")
                                .hint("some transports show mail only to whoever takes it"));
    }

    /// The envelope of this id, as the other side shows it.
    Optional<Letter> find(OpenHive hive, EnvelopeId id) throws IOException {
        Optional<Transport.Found> found = via.transport().find(id);
        return found.map(copy ->
                new Letter(
                        copy.envelope(),
                        hive.checkSignature(copy.envelope()),
                        copy.inbox(),
                        copy.state(),
                        via.name() + ":" + copy.inbox() + "/" + id));
    }

    private EnvelopeId id(String typed) throws IOException {
        if (EnvelopeId.isId(typed)) {
            return EnvelopeId.parse(typed);
        }
        String wanted = typed.toUpperCase(Locale.ROOT);
        Set<EnvelopeId> ids = new TreeSet<>();
        for (Domain domain : via.domains()) {
            for (Waiting waiting : waiting(domain)) {
                if (waiting instanceof Waiting.Mail mail
                        && mail.header().id().text().toUpperCase(Locale.ROOT).endsWith(wanted)) {
                    ids.add(mail.header().id());
                }
            }
        }
        refuseIfSeveral(typed, ids);
        for (EnvelopeId id : ids) {
            return id;
        }
        throw new CliException(
                        ErrorCode.NO_SUCH_ID, "no envelope " + typed + " waits at " + via.name())
                .hint("of what does not wait, type the whole id");
    }

    private List<Waiting> waiting(Domain domain) throws IOException {
        try {
            return via.inbox(domain).waiting();
        } catch (NoSuchInboxException e) {
            // It was there a moment ago.
            return List.of();
        }
    }

    private static void refuseIfSeveral(String typed, Set<EnvelopeId> ids) {
        if (ids.size() > 1) {
            List<String> texts = new ArrayList<>();
            ids.forEach(id -> texts.add(id.text()));
            throw new CliException(
                            ErrorCode.AMBIGUOUS_ID,
                            "id \"" + typed + "\" fits " + ids.size() + " envelopes")
                    .hint("type more of it: " + Phrase.or(texts));
        }
    }
}
