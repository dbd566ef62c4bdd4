package dev.pheromone.session.mail;

import dev.pheromone.HiveConfig;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.file.embargo.KeptMail;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.hive.ConsentEvents;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.Passage;
import dev.pheromone.session.hive.PublicPass;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// What waits in the embargo, and what becomes of it when it is released.
public final class Embargo {

    /// One mail's way out.
    ///
    /// @param state `deliverable`, `delivered`, `duplicate`, `outbox` if its sender is muted,
    ///   `expired`, `conflict`, `refused`, `withheld` if its inbox is locked, `unknown` under a
    ///   lock that hides the hive, or `bad` if the file is no mail
    /// @param reason why it stays, or what will become of it; empty if there is nothing to say
    /// @param retryAfter when to try again, if it is only refused for now
    /// @param beyond how far it would reach, if that is beyond its consent
    public record Way(
            KeptMail mail,
            String state,
            String reason,
            @Nullable Duration retryAfter,
            @Nullable Reach beyond) {

        Way(KeptMail mail, String state, String reason) {
            this(mail, state, reason, null, null);
        }

        public boolean stays() {
            return switch (state) {
                case "conflict", "refused", "withheld", "bad", "unknown" -> true;
                default -> false;
            };
        }
    }

    private final Caller caller;
    private final OpenHive hive;

    public Embargo(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
    }

    /// What waits and is named in `ids`; everything if they are none. What the caller may not see
    /// is left out.
    public List<KeptMail> waiting(List<String> ids) throws IOException {
        List<KeptMail> all = shown(hive.transport().embargo().mail());
        if (ids.isEmpty()) {
            return all;
        }
        List<KeptMail> named = new ArrayList<>();
        for (String id : ids) {
            List<KeptMail> found =
                    all.stream().filter(mail -> isCalled(mail.envelope(), id)).toList();
            if (found.isEmpty()) {
                throw new ProblemException(Code.NO_SUCH_ID, "no envelope " + id + " in the embargo")
                        .fix("rsm embargo");
            }
            found.stream().filter(mail -> !named.contains(mail)).forEach(named::add);
        }
        return named;
    }

    private List<KeptMail> shown(List<KeptMail> all) throws IOException {
        Passage passage = Passage.of(caller, hive);
        if (passage == null) {
            return all;
        }
        List<KeptMail> shown = new ArrayList<>();
        for (KeptMail mail : all) {
            if (mail.envelope() != null && passage.allows(mail.envelope())) {
                shown.add(mail);
            }
        }
        return shown;
    }

    private static boolean isCalled(@Nullable Envelope envelope, String id) {
        return envelope != null
                && (envelope.id().text().equalsIgnoreCase(id)
                        || envelope.id().shortForm().equalsIgnoreCase(id));
    }

    /// What would become of `mail` now; nothing is changed.
    public Way look(KeptMail mail) throws IOException {
        Envelope envelope = mail.envelope();
        if (envelope == null) {
            return new Way(mail, "bad", mail.problem());
        }
        if (hive.transport().isWithheld()) {
            return expired(envelope)
                    ? new Way(mail, "expired", "its ttl is over")
                    : new Way(mail, "unknown", "the hive is locked");
        }
        String telling = hive.publicPass().problem(envelope, PublicPass.Tells.NOBODY);
        if (!telling.isEmpty()) {
            return new Way(mail, "refused", telling);
        }
        String transport = mail.onward().transport();
        if (transport != null) {
            return expired(envelope)
                    ? new Way(mail, "expired", "its ttl is over; the outbox archives it as expired")
                    : lookBeyond(mail, envelope, transport);
        }
        Domain only = mail.onward().only();
        for (Catalog.Item copy : hive.catalog().find(envelope.id().text())) {
            if (only != null && !only.equals(copy.inbox())) {
                continue;
            }
            return isSame(copy, envelope)
                    ? new Way(mail, "duplicate", "it arrived before")
                    : new Way(mail, "conflict", "another envelope has this id: " + copy.location());
        }
        List<String> notes = new ArrayList<>();
        if (only != null) {
            notes.add("for " + only.address() + " alone");
        }
        try {
            for (Address address : mail.onward().targets(envelope)) {
                if (isMade(mail, address)) {
                    notes.add("inbox " + address + " is made");
                    continue;
                }
                for (Domain domain :
                        address instanceof Address.OfLane(var lane)
                                ? hive.config().domainsOf(lane)
                                : List.of(address.domain())) {
                    hive.transport().inbox(domain);
                }
            }
        } catch (NoSuchInboxException e) {
            return new Way(mail, "refused", String.valueOf(e.getMessage()));
        }
        if (expired(envelope)) {
            return new Way(mail, "expired", "its ttl is over; " + wayOfExpired());
        }
        try {
            Doomed.refuse(envelope, hive, caller.now());
        } catch (ProblemException e) {
            return new Way(mail, "refused", String.valueOf(e.getMessage()));
        }
        Verdict.Blocked blocked = blocked(mail, envelope);
        return blocked == null
                ? new Way(mail, "deliverable", String.join("; ", notes))
                : new Way(
                        mail,
                        "withheld",
                        "under lock " + blocked.lock().kind() + ": " + blocked.reason());
    }

    /// What would become of mail that goes by `transport`. Under the lock nobody knew whether there
    /// is such a one, and how far it reaches.
    private Way lookBeyond(KeptMail mail, Envelope envelope, String transport) {
        try {
            Reach reach = hive.other(transport).reach();
            return envelope.consent().allows(reach)
                    ? new Way(mail, "deliverable", "by way of " + transport)
                    : new Way(
                            mail,
                            "refused",
                            "consent is %s, and %s reaches %s"
                                    .formatted(envelope.consent(), transport, reach),
                            null,
                            reach);
        } catch (ProblemException e) {
            return new Way(mail, "refused", String.valueOf(e.getMessage()));
        }
    }

    /// Why one of its inboxes may not get it; null if all may.
    private Verdict.@Nullable Blocked blocked(KeptMail mail, Envelope envelope) {
        for (Address address : mail.onward().targets(envelope)) {
            Path file = hive.layout().mail(address.domain(), envelope.id());
            if (hive.guard().check(file, Access.WRITE) instanceof Verdict.Blocked blocked
                    && hive.guard().permission(file, ContentHash.of(envelope.bytes())).isEmpty()) {
                return blocked;
            }
        }
        return null;
    }

    /// Whether the inbox is missing and its sender wanted it to be made.
    private boolean isMade(KeptMail mail, Address address) throws IOException {
        return mail.onward().missing().makes(address)
                && !hive.transport().domains().contains(address.domain());
    }

    private String wayOfExpired() {
        return hive.config().archive() == HiveConfig.ArchivePolicy.AUTO
                ? "it is archived as expired"
                : "rsm archive approve archives it as expired";
    }

    /// Archives what was released only to be found expired: nobody else may ask for weeks.
    private void archiveExpired(List<Way> released) throws IOException {
        if (released.stream().anyMatch(way -> way.state().equals("expired"))) {
            List<Finding> _ = hive.transport().upkeep().housekeep();
        }
    }

    private boolean isSame(Catalog.Item copy, Envelope envelope) throws IOException {
        try {
            return Envelope.parse(hive.catalog().read(copy)).isSameMailAs(envelope);
        } catch (MalformedEnvelopeException | NoSuchFileException e) {
            return false;
        }
    }

    private boolean expired(Envelope envelope) {
        return !caller.now().isBefore(envelope.expiresAt());
    }

    /// Releases `waiting`, one after the other; what can't go stays, and the rest goes all the
    /// same. Under a lock that hides the hive only what an override lets pass goes.
    ///
    /// @throws WithheldException if nothing can go for such a lock
    public List<Way> release(List<KeptMail> waiting) throws IOException {
        List<Way> ways = new ArrayList<>();
        try {
            hive.transport().embargo().bringHome();
        } catch (WithheldException e) {
            for (KeptMail mail : waiting) {
                ways.add(releasePermitted(mail));
            }
            if (ways.stream().allMatch(Way::stays)) {
                throw e;
            }
            return ways;
        }
        for (KeptMail mail : waiting) {
            ways.add(release(mail));
        }
        archiveExpired(ways);
        return ways;
    }

    /// Releases `mail` under a lock, if an override lets it pass.
    private Way releasePermitted(KeptMail mail) throws IOException {
        Way way = look(mail);
        if (!way.state().equals("unknown")) {
            return new Way(mail, "unknown", "the hive is locked");
        }
        try {
            return send(mail, way);
        } catch (WithheldException e) {
            return new Way(mail, way.state(), way.reason() + unusable(mail));
        }
    }

    /// What is wrong with an override that was made for `mail`.
    private String unusable(KeptMail mail) {
        Envelope envelope = mail.envelope();
        if (envelope != null) {
            ContentHash content = ContentHash.of(envelope.bytes());
            for (Address address : mail.onward().targets(envelope)) {
                String why =
                        hive.guard()
                                .unusableOverride(
                                        hive.layout().mail(address.domain(), envelope.id()),
                                        content);
                if (!why.isEmpty()) {
                    return "; " + why;
                }
            }
        }
        return "";
    }

    /// Releases `mail`, if it can be: what keeps one of them is no reason to keep the others.
    private Way release(KeptMail mail) throws IOException {
        Way way = look(mail);
        if (way.stays() && !way.state().equals("withheld")) {
            tellIfBeyondConsent(mail, way);
            return way;
        }
        try {
            return send(mail, way);
        } catch (WithheldException e) {
            hive.transport().report(e);
            return new Way(mail, "withheld", String.valueOf(e.getMessage()));
        }
    }

    /// As of mail that was sent without a lock.
    private void tellIfBeyondConsent(KeptMail mail, Way way) {
        Envelope envelope = mail.envelope();
        if (envelope == null || way.beyond() == null) {
            return;
        }
        List<Receipt.Copy> copies = new ArrayList<>();
        for (Address address : envelope.to()) {
            copies.add(
                    new Receipt.Copy(
                            address,
                            address.domain(),
                            new SendResult.BeyondConsent(envelope.consent(), way.beyond())));
        }
        new ConsentEvents(caller, hive)
                .refused(envelope, new Receipt(envelope.id(), envelope.hash(), copies));
    }

    private Way send(KeptMail mail, Way way) throws IOException {
        Envelope envelope = mail.envelope();
        String telling =
                envelope == null ? "" : hive.publicPass().problem(envelope, PublicPass.Tells.LOG);
        if (!telling.isEmpty()) {
            return new Way(mail, "refused", telling);
        }
        try {
            Receipt receipt = hive.transport().embargo().release(mail);
            String state = way.state().equals("expired") ? "expired" : "duplicate";
            for (Receipt.Copy copy : receipt.copies()) {
                if (copy.result() instanceof SendResult.Delivered && !state.equals("expired")) {
                    state = "delivered";
                } else if (copy.result() instanceof SendResult.Parked parked) {
                    return new Way(mail, "outbox", parked.reason());
                } else if (copy.result() instanceof SendResult.Spooled) {
                    return new Way(mail, "outbox", "for " + mail.onward().transport());
                } else if (copy.result() instanceof SendResult.Conflict conflict) {
                    return new Way(mail, "conflict", conflict.reason());
                } else if (copy.result() instanceof SendResult.Refused refused) {
                    return new Way(mail, "refused", refused.reason(), refused.retryAfter(), null);
                } else if (copy.result() instanceof SendResult.NotPublic notPublic) {
                    return new Way(mail, "refused", notPublic.reason());
                } else if (copy.result() instanceof SendResult.Failed failed) {
                    return new Way(mail, "refused", FileProblem.describe(failed.cause()));
                }
            }
            return new Way(mail, state, state.equals("delivered") ? "" : way.reason());
        } catch (NoSuchInboxException e) {
            return new Way(mail, "refused", String.valueOf(e.getMessage()));
        }
    }
}
