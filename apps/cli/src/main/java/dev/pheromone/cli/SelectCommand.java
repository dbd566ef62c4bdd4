package dev.pheromone.cli;

import dev.pheromone.Claim;
import dev.pheromone.Domain;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Inbox;
import dev.pheromone.IsoTime;
import dev.pheromone.Json;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.SignatureCheck;
import dev.pheromone.State;
import dev.pheromone.Ttl;
import dev.pheromone.Urgency;
import dev.pheromone.Waiting;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.terminal.Ages;
import dev.pheromone.file.Catalog;
import dev.pheromone.file.Preview;
import dev.pheromone.session.ProblemException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// `rsm select`: takes the most urgent envelope, for as long as its lease lasts.
final class SelectCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("select", Group.AGENTS, "takes the most urgent envelope to work on it")
                .optional("ADDRESS", "whose inbox, such as code; else your own")
                .opt(
                        Opt.value(
                                "lease",
                                "DURATION",
                                "how long it is yours; else what hive.yaml says, or 30m"))
                .opt(Opt.value("wait", "DURATION", "wait this long for an envelope"))
                .opt(Opt.value("id", "ID", "take this envelope, whatever else waits"))
                .opt(Opt.flag("dry-run", "show what would be taken, and take nothing"))
                .opt(MailOptions.via("take it from this transport of hive.yaml"))
                .note(
                        "It is yours until the lease ends; rsm ack ID accepted renews it. End it"
                            + " with rsm ack ID done, or rsm ack ID error to have it tried again,"
                            + " or rsm release ID to give it back. Exit 4: there is nothing to"
                            + " take.")
                .example("rsm select code", "takes the next envelope for queen://code")
                .example("rsm select --id k3f9x2", "takes the envelope that you picked")
                .example("rsm select code --via team", "takes it from another transport")
                .example("rsm select code --via team --dry-run", "shows what that would take")
                .example(
                        "rsm select code --wait 10m --json",
                        "waits for one, and prints it as one object")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        if (call.args().has("id")) {
            return taken(named(call, hive), hive);
        }
        if (call.args().operand(0) == null) {
            hive.makeOwnInbox();
        }
        Inbox inbox = hive.inboxTyped(0);
        if (call.args().has("dry-run")) {
            return hive.via() == null
                    ? look(call, hive, inbox)
                    : lookThere(call, hive, hive.via(), inbox);
        }
        Lease lease = lease(call, hive);
        Duration wait = call.args().duration("wait");
        Instant deadline = call.now().plus(wait == null ? Duration.ZERO : wait);
        while (true) {
            switch (inbox.select(call.actor(), lease)) {
                case Selection.Taken(var claim) -> {
                    return taken(claim, hive);
                }
                case Selection.Withheld(var lock, var reason) ->
                        throw Locked.by(call, lock, reason, inbox.domain().address().toString());
                case Selection.Nothing nothing -> {
                    Duration left = Duration.between(call.now(), deadline);
                    if (left.isNegative() || left.isZero()) {
                        throw nothing(call, hive, inbox, wait);
                    }
                    await(inbox, left);
                }
            }
        }
    }

    private static Answer taken(Claim claim, OpenHive hive) {
        String name;
        try {
            name = new ClaimNames(hive).of(claim);
        } catch (IOException e) {
            // The mail is taken, and its holder must learn how the claim is called.
            name = claim.token();
        }
        return new Taken(claim, name, via(hive));
    }

    private static Lease lease(Invocation call, OpenHive hive) {
        Duration typed = call.args().duration("lease");
        try {
            return Lease.unattended(typed == null ? hive.config().lease().select() : typed);
        } catch (IllegalArgumentException e) {
            throw Typed.wrong("option --lease", e);
        }
    }

    /// The claim of the envelope that was named.
    private static Claim named(Invocation call, OpenHive hive) throws IOException {
        for (String option : List.of("wait", "dry-run")) {
            if (call.args().has(option)) {
                throw new CliException(
                        ErrorCode.USAGE, "found --id and --" + option + ", expected one of them");
            }
        }
        if (hive.via() != null) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "option --id: "
                                    + hive.via().name()
                                    + " hands out mail in its own order, expected no --via")
                    .hint("to take what comes next there:")
                    .fix("rsm select --via " + hive.via().name());
        }
        String typed = String.valueOf(call.args().value("id"));
        Catalog.Item copy = waiting(call, hive, typed);
        EnvelopeId id = Objects.requireNonNull(copy.id());
        return switch (hive.transport()
                .picking(copy.inbox())
                .take(id, call.actor(), lease(call, hive))) {
            case Selection.Taken(var claim) -> claim;
            case Selection.Withheld(var lock, var reason) ->
                    throw Locked.by(call, lock, reason, copy.inbox().address().toString());
            case Selection.Nothing _ -> throw notWaiting(hive, typed, copy.inbox());
        };
    }

    /// The copy that was named: in the inbox that was typed, else in the caller's own, else in the
    /// only one where it waits.
    private static Catalog.Item waiting(Invocation call, OpenHive hive, String typed)
            throws IOException {
        List<Catalog.Item> copies = new Lookup(hive).copiesAfterLeases(typed);
        boolean isTyped = call.args().operand(0) != null;
        Domain wanted = isTyped ? hive.inboxTyped(0).domain() : hive.ownAddress().domain();
        List<Catalog.Item> others = new ArrayList<>();
        for (Catalog.Item copy : copies) {
            if (copy.state() == State.WAITING && copy.inbox().equals(wanted)) {
                return copy;
            }
            if (copy.state() == State.WAITING) {
                others.add(copy);
            }
        }
        if (isTyped || others.isEmpty()) {
            throw notWaiting(hive, typed, isTyped ? wanted : copies.getFirst().inbox());
        }
        if (others.size() > 1) {
            List<Domain> inboxes = new ArrayList<>();
            others.forEach(copy -> inboxes.add(copy.inbox()));
            throw new CliException(
                            ErrorCode.USAGE,
                            typed + " waits in " + others.size() + " inboxes, expected ADDRESS")
                    .hint("name one of " + NoInbox.addresses(inboxes));
        }
        return others.getFirst();
    }

    /// Says where the copy of an inbox is instead.
    private static CliException notWaiting(OpenHive hive, String typed, Domain inbox)
            throws IOException {
        String state = "it never came there";
        for (Catalog.Item copy : new Lookup(hive).copies(typed)) {
            if (copy.inbox().equals(inbox)) {
                state =
                        copy.claim() == null
                                ? "it is " + copy.state()
                                : copy.claim().worker() + " has it";
            }
        }
        return new CliException(
                        ErrorCode.NOTHING,
                        typed + " can't be taken at " + inbox.address() + ": " + state)
                .hint("what happened to it:")
                .fix("rsm trace " + typed);
    }

    private static String via(OpenHive hive) {
        return hive.via() == null ? "" : " --via " + hive.via().name();
    }

    private static Letter letter(Claim claim) {
        return new Letter(
                claim.envelope(), claim.signature(), claim.inbox(), State.ACTIVE, claim.location());
    }

    private static Answer look(Invocation call, OpenHive hive, Inbox inbox) throws IOException {
        Optional<Preview> preview = hive.transport().picking(inbox.domain()).preview();
        if (preview.isEmpty()) {
            throw nothing(call, hive, inbox, null);
        }
        Optional<Letter> letter = new Lookup(hive).open(inbox.domain(), preview.get().mail());
        if (letter.isEmpty()) {
            // Somebody took it: the next one is shown.
            return look(call, hive, inbox);
        }
        return new Look(letter.get(), preview.get().rationale());
    }

    /// Another side shows what waits and not whose turn it is: this is the most urgent that is
    /// ready.
    private static Answer lookThere(Invocation call, OpenHive hive, Via via, Inbox inbox)
            throws IOException {
        Instant now = call.now();
        List<Waiting.Mail> ready = new ArrayList<>();
        for (Waiting item : inbox.waiting()) {
            if (item instanceof Waiting.Mail mail
                    && mail.urgency().isReady(now)
                    && !mail.urgency().isExpired(now)) {
                ready.add(mail);
            }
        }
        for (Waiting.Mail mail : ready) {
            Optional<Letter> letter = new ViaLookup(hive, via).find(mail.header().id());
            if (letter.isPresent() && isDeliverable(letter.get())) {
                return new Look(
                        letter.get(),
                        mail.urgency().rationale(Urgency.Turn.NORMAL, ready.size(), now));
            }
        }
        throw nothing(call, hive, inbox, null);
    }

    /// What is not as its sender wrote it would be archived and not taken.
    private static boolean isDeliverable(Letter letter) {
        return letter.envelope().hashMatches() && !(letter.check() instanceof SignatureCheck.Bad);
    }

    private static CliException nothing(
            Invocation call, OpenHive hive, Inbox inbox, @Nullable Duration waited)
            throws IOException {
        List<Waiting> left = inbox.waiting();
        int paused = 0;
        for (Waiting item : left) {
            paused +=
                    item instanceof Waiting.Mail mail && !mail.urgency().isReady(call.now())
                            ? 1
                            : 0;
        }
        String message =
                "nothing to take at "
                        + inbox.domain().address()
                        + (waited == null ? "" : " within " + Ttl.format(waited));
        CliException nothing = new CliException(ErrorCode.NOTHING, message);
        if (hive.via() != null) {
            // What others are working on, another side does not tell.
            return paused == 0 ? nothing : nothing.hint(paused + " paused after a failure");
        }
        int active = hive.catalog().active(inbox.domain()).size();
        return paused + active == 0
                ? nothing
                : nothing.hint(paused + " paused after a failure, " + active + " being worked on");
    }

    private static void await(Inbox inbox, Duration left) throws IOException {
        try {
            inbox.await(left);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting");
        }
    }

    /// @param name what to type for the claim
    /// @param via what to type beside the claim
    private record Taken(Claim claim, String name, String via) implements Answer {

        private Letter letter() {
            return SelectCommand.letter(claim);
        }

        @Override
        public Json.Obj json() {
            return letter().json()
                    .put("claim", claim.token())
                    .put("inbox", claim.inbox().name())
                    .put("rationale", claim.rationale())
                    .put("attempt", claim.attempt())
                    .put("lease_ends_at", IsoTime.format(claim.leaseEndsAt()));
        }

        /// A claim that nobody knows of would keep the mail from everybody until its lease ends.
        @Override
        public CliException unwritten(Invocation call, OutputClosedException why) {
            try (OpenHive hive = OpenHive.of(call)) {
                Settlement settlement =
                        hive.inbox(claim.inbox().address())
                                .settle(
                                        claim.token(),
                                        new Outcome.Released("the answer could not be written"));
                if (settlement instanceof Settlement.Settled) {
                    return new CliException(
                            ErrorCode.IO,
                            why.described() + "; " + claim.envelope().id() + " was given back");
                }
            } catch (IOException | CliException | ProblemException e) {
                // Then whoever reads the error gives it back.
            }
            return new CliException(ErrorCode.IO, why.described() + "; the claim is " + name)
                    .hint("to give it back:")
                    .fix("rsm release " + name + via);
        }

        @Override
        public void show(Screen screen) {
            letter().show(screen);
            screen.blank();
            screen.line(
                    "yours for "
                            + Ages.span(Duration.between(screen.now(), claim.leaseEndsAt()))
                            + " ("
                            + claim.rationale()
                            + ")");
            screen.line("when it is done:  rsm ack " + name + " done" + via);
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.line(claim.token());
        }
    }

    private record Look(Letter letter, String rationale) implements Answer {

        @Override
        public Json.Obj json() {
            return letter.json().put("rationale", rationale).put("dry_run", true);
        }

        @Override
        public void show(Screen screen) {
            letter.show(screen);
            screen.blank();
            screen.line("would be taken next (" + rationale + ")");
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.line(letter.envelope().id().text());
        }
    }
}
