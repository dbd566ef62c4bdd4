package dev.pheromone.session.mail;

import dev.pheromone.Receipt;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.session.hive.OwnAddress;
import dev.pheromone.trust.SignatureCheck;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Those to whom a question was sent: an answer counts only from one of them.
///
/// `user://` and `worker://` name the one actor who was asked. Mail to a domain is for whoever
/// takes it: there an answer counts from an actor who has claimed that copy. Another transport does
/// not tell who claimed mail, so an answer from any actor counts for a domain there. Whoever has a
/// trusted key must have signed the answer, as all mail.
final class Asked {

    private final OpenHive hive;
    private final EnvelopeId question;
    private final List<Receipt.Copy> copies;

    Asked(OpenHive hive, Receipt question) {
        this.hive = hive;
        this.question = question.id();
        this.copies = question.copies();
    }

    /// Why `opened` does not count as the answer; empty if it does.
    Optional<String> objection(OpenedCopy opened, Instant now) throws IOException {
        Actor from = opened.envelope().from();
        if (!opened.envelope().hashMatches()) {
            return Optional.of("its hash doesn't match the body");
        }
        if (opened.check() instanceof SignatureCheck.Bad(var reason)) {
            return Optional.of(reason);
        }
        for (Receipt.Copy copy : copies) {
            if (wasAsked(from, copy, now)) {
                return Optional.empty();
            }
        }
        return Optional.of(from + " was not asked: the question went to " + addresses());
    }

    private boolean wasAsked(Actor from, Receipt.Copy copy, Instant now) throws IOException {
        return switch (copy.address()) {
            case Address.User(var name) -> isOwner(name, from, now);
            case Address.Worker(var name) -> isOwner(name, from, now);
            case Address.Queen _, Address.OfLane _ ->
                    hive.mail().mayHaveTaken(from, question, copy.inbox());
        };
    }

    /// Whether mail to `name` is mail to `from`. Several actors share an address if their names
    /// differ in capitals or punctuation; the one of exactly that name, if trusted keys prove who
    /// that is, shares it with nobody.
    private boolean isOwner(String name, Actor from, Instant now) {
        if (from.name().equals(name)) {
            return true;
        }
        Actor exact = new Actor(name);
        return OwnAddress.name(from).equals(name)
                && hive.trust().keys().stream()
                        .noneMatch(key -> key.belongsTo(exact) && key.isLive(now));
    }

    private String addresses() {
        List<String> addresses = new ArrayList<>();
        for (Receipt.Copy copy : copies) {
            String address = copy.address().toString();
            boolean isDomain =
                    copy.address() instanceof Address.Queen
                            || copy.address() instanceof Address.OfLane;
            addresses.add(isDomain ? address + ", who has taken it there" : address);
        }
        return String.join(", ", addresses);
    }
}
