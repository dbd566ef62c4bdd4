package dev.pheromone.cli.mail;

import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Exit;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.OutputClosedException;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.Standstill;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.http.ReceiptJson;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.mail.CopyFate;
import dev.pheromone.session.mail.Sent;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What became of a sent envelope, copy by copy.
///
/// @param via the transport that was typed for it; null for the hive's own inboxes
public record SentAnswer(Envelope envelope, Receipt receipt, Instant now, @Nullable String via)
        implements Answer {

    /// What to say of mail that was sent, delivered or not.
    public static SentAnswer whatever(Invocation call, Sent sent) {
        return new SentAnswer(sent.envelope(), sent.receipt(), call.now(), sent.transport());
    }

    /// What the same command sends if it is typed again.
    private enum Again {
        /// The same envelope: its id can be typed, or follows from what was typed.
        SAME,
        /// A new envelope.
        NEW
    }

    /// What to say of mail that was sent; fails if some copy was not delivered.
    public static SentAnswer of(Invocation call, Sent sent) {
        return of(call, sent, Again.SAME);
    }

    /// As [#of(Invocation, Sent)], of mail that has another id each time the command is typed.
    public static SentAnswer ofNewEachTime(Invocation call, Sent sent) {
        return of(call, sent, Again.NEW);
    }

    private static SentAnswer of(Invocation call, Sent sent, Again again) {
        SentAnswer answer = whatever(call, sent);
        if (sent instanceof Sent.Incomplete) {
            throw answer.failure(call, again);
        }
        answer.troubles().forEach(call::warn);
        answer.waited().ifPresent(call::note);
        return answer;
    }

    /// One copy's fate in words: its state, where it is, how the command ends for it, and why.
    private record Fate(String state, String location, Exit exit, String reason) {

        static Fate of(SendResult result) {
            // By far the most frequent, and a switch over types is dear the first time.
            return result instanceof SendResult.Delivered delivered
                    ? new Fate("delivered", delivered.location(), Exit.DONE, "")
                    : ofOther(result);
        }

        private static Fate ofOther(SendResult result) {
            CopyFate fate = CopyFate.of(result);
            return new Fate(fate.state(), fate.location(), exitOf(result), fate.reason());
        }

        private static Exit exitOf(SendResult result) {
            return switch (result) {
                case SendResult.Delivered _,
                        SendResult.Unconfirmed _,
                        SendResult.Duplicate _,
                        SendResult.Parked _,
                        SendResult.Spooled _,
                        SendResult.Unanswered _ ->
                        Exit.DONE;
                case SendResult.Conflict _ -> Exit.CONFLICT;
                case SendResult.Withheld _ -> Exit.WITHHELD;
                case SendResult.Refused _ -> Exit.REFUSED;
                case SendResult.Rejected(var ground, var _) ->
                        ground == SendResult.Ground.NO_SUCH_INBOX ? Exit.NOT_FOUND : Exit.FAILED;
                case SendResult.BeyondConsent _, SendResult.NotPublic _, SendResult.Failed _ ->
                        Exit.FAILED;
            };
        }
    }

    /// The state of one copy, as `--json` has it.
    String stateOf(Receipt.Copy copy) {
        return Fate.of(copy.result()).state();
    }

    /// What became of each copy.
    List<Json> copies() {
        List<Json> to = new ArrayList<>();
        for (Receipt.Copy copy : receipt.copies()) {
            Fate fate = Fate.of(copy.result());
            Json.Obj item =
                    Json.obj()
                            .put("address", copy.address().toString())
                            .put("inbox", copy.inbox().name())
                            .put(
                                    "path",
                                    fate.location().isEmpty()
                                            ? Json.Null.NULL
                                            : Json.of(fate.location()))
                            .put("state", fate.state());
            if (!fate.reason().isEmpty()) {
                item = item.put("reason", fate.reason());
            }
            if (copy.result() instanceof SendResult.Refused(var retryAfter, var reason)) {
                item = item.put("retry_after_s", retryAfter.toSeconds());
            }
            if (via != null && copy.result() instanceof SendResult.Spooled(var _, var at, var _)) {
                item = item.put("at", at.toString());
            }
            if (copy.result() instanceof SendResult.Parked(var location, var until, var reason)) {
                item = item.put("until_at", IsoTime.format(until));
            }
            to.add(item);
        }
        return to;
    }

    @Override
    public Json.Obj json() {
        Json.Obj json =
                Json.obj()
                        .put("id", receipt.id().text())
                        .put("hash", receipt.hash().toString())
                        .put("expires_at", IsoTime.format(envelope.expiresAt()))
                        .put("to", Json.arr(copies()));
        return receipt.waited().isNone() ? json : json.putAll(ReceiptJson.write(receipt.waited()));
    }

    /// That the sender had to wait before, and why; empty if not.
    private Optional<String> waited() {
        Receipt.Wait wait = receipt.waited();
        return wait.isNone()
                ? Optional.empty()
                : Optional.of(
                        "waited " + Ages.span(wait.length()) + ": " + SafeText.line(wait.reason()));
    }

    @Override
    public void show(Screen screen) {
        String id = receipt.id().shortForm();
        String there = via == null ? "" : " at " + via;
        for (Receipt.Copy copy : receipt.copies()) {
            String address = copy.address() + there;
            screen.line(
                    switch (copy.result()) {
                        case SendResult.Duplicate _ -> id + " is at " + address + " already";
                        case SendResult.Parked(var _, var until, var reason) ->
                                "kept "
                                        + id
                                        + " for "
                                        + address
                                        + ", do not resend: "
                                        + reason
                                        + "; it goes "
                                        + Ages.relative(until, now);
                        case SendResult.Spooled(var _, var at, var reason) ->
                                (at == SendResult.Place.BROKER
                                                ? "the broker has "
                                                        + id
                                                        + " for "
                                                        + address
                                                        + ", and a copy is kept until somebody"
                                                        + " confirms it"
                                                : "kept " + id + " for " + copy.address())
                                        + ", do not resend: "
                                        + SafeText.line(reason);
                        default ->
                                "sent "
                                        + id
                                        + " to "
                                        + address
                                        + ", expires "
                                        + Ages.relative(envelope.expiresAt(), now);
                    });
        }
    }

    @Override
    public void showBriefly(Screen screen) {
        screen.line(receipt.id().text());
    }

    @Override
    public @Nullable CliException unwritten(Invocation call, OutputClosedException why) {
        if (why.readerLeft()) {
            // It is sent, and whoever left did not want to know its id.
            return null;
        }
        return new CliException(
                        ErrorCode.IO,
                        why.described() + "; " + receipt.id() + " was sent all the same")
                .hint("to be told what became of it, without sending it twice:")
                .fix(commandAgain(call));
    }

    public Exit exit() {
        List<Exit> exits = new ArrayList<>();
        for (Receipt.Copy copy : receipt.copies()) {
            exits.add(Fate.of(copy.result()).exit());
        }
        return Exit.ofSeveral(exits);
    }

    /// What went not quite as promised, though it was delivered.
    private List<String> troubles() {
        List<String> troubles = new ArrayList<>();
        for (Receipt.Copy copy : receipt.copies()) {
            if (copy.result() instanceof SendResult.Unconfirmed(var location, var reason)) {
                troubles.add(location + " is there, but the disk did not confirm it: " + reason);
            }
        }
        return troubles;
    }

    /// The error that says which copies were not delivered. Where the command can be repeated under
    /// the same id, what has arrived already does not arrive twice.
    private CliException failure(Invocation call, Again again) {
        Exit exit = exit();
        StringBuilder message = new StringBuilder();
        StringBuilder arrived = new StringBuilder();
        Duration retryAfter = Duration.ZERO;
        for (Receipt.Copy copy : receipt.copies()) {
            Fate fate = Fate.of(copy.result());
            if (fate.exit() == Exit.DONE) {
                arrived.append("; ").append(copy.address()).append(": ").append(fate.state());
            } else {
                message.append(message.isEmpty() ? "" : "; ")
                        .append(
                                isInMirror(copy)
                                        ? "kept for " + copy.address() + ", do not resend: "
                                        : copy.address() + ": " + fate.state() + ", ")
                        .append(why(call, copy, fate));
            }
            if (copy.result() instanceof SendResult.Refused(var after, var reason)
                    && after.compareTo(retryAfter) > 0) {
                retryAfter = after;
            }
        }
        boolean isKept = exit == Exit.WITHHELD && isKept();
        CliException failure = new CliException(codeOf(exit), message.append(arrived).toString());
        Json.Obj json = json();
        json.forEach(failure::detail);
        if (exit == Exit.REFUSED) {
            failure.retryAfter(retryAfter);
        }
        if (isKept) {
            String embargo = mirrorOf(receipt);
            boolean isHere = embargo.startsWith(HiveLayout.MIRROR_FOLDER);
            return failure.hint(
                            "it waits in "
                                    + (isHere ? embargo : "the embargo of the hive that receives")
                                    + "; a person"
                                    + (isHere ? "" : " there")
                                    + " releases it with rsm embargo release")
                    .asState();
        }
        if (receipt.copies().stream()
                .anyMatch(copy -> copy.result() instanceof SendResult.BeyondConsent)) {
            return failure.hint("what it may reach is for its sender to say, with --consent");
        }
        boolean isFinal =
                receipt.copies().stream()
                        .anyMatch(copy -> copy.result() instanceof SendResult.Rejected);
        if (exit == Exit.REFUSED || (exit == Exit.FAILED && !isFinal)) {
            failure.hint(
                            switch (again) {
                                case SAME -> "to try again without sending twice:";
                                case NEW ->
                                        arrived.isEmpty()
                                                ? "to try again:"
                                                : "typed again, this sends a new envelope, also to"
                                                        + " those who have this one:";
                            })
                    .fix(commandAgain(call));
        }
        return failure;
    }

    private static String why(Invocation call, Receipt.Copy copy, Fate fate) {
        return copy.result() instanceof SendResult.Withheld(var lock, var _, var _)
                ? Standstill.by(call, lock).map(Standstill::what).orElse(fate.reason())
                : fate.reason();
    }

    /// Whether some of it waits for a transport that is away.
    boolean isSpooled() {
        return receipt.copies().stream()
                .anyMatch(copy -> copy.result() instanceof SendResult.Spooled);
    }

    /// Whether some of it lies where it was sent to.
    boolean hasArrived() {
        for (Receipt.Copy copy : receipt.copies()) {
            if (copy.result() instanceof SendResult.Delivered
                    || copy.result() instanceof SendResult.Unconfirmed
                    || copy.result() instanceof SendResult.Duplicate) {
                return true;
            }
        }
        return false;
    }

    /// The error that says that no answer is waited for: the mail has not gone yet.
    CliException unanswered() {
        String reason = "";
        for (Receipt.Copy copy : receipt.copies()) {
            if (copy.result() instanceof SendResult.Spooled(var _, var _, var why)) {
                reason = SafeText.line(why);
            }
        }
        CliException nothing =
                new CliException(
                                ErrorCode.NOTHING,
                                "no answer to "
                                        + receipt.id().shortForm()
                                        + " yet: it is kept, do not resend: "
                                        + reason)
                        .hint(
                                "it goes by itself when the transport is back, and then an answer"
                                        + " can come");
        json().forEach(nothing::detail);
        return nothing;
    }

    /// The command as it was typed, under the id of what it sent: to be typed again without harm.
    String commandAgain(Invocation call) {
        CommandLine line = call.line();
        // Where the id can't be given, it follows from what was typed, or is a new one each time.
        boolean isFixed = !call.declares("id") || call.args().has("id");
        return (isFixed ? line : line.plus("--id", receipt.id().text())).toString();
    }

    /// Whether it waits in the embargo for a lock to go.
    public boolean isKept() {
        return receipt.copies().stream().anyMatch(SentAnswer::isInMirror);
    }

    private static String mirrorOf(Receipt receipt) {
        for (Receipt.Copy copy : receipt.copies()) {
            if (copy.result() instanceof SendResult.Withheld withheld) {
                return withheld.embargo();
            }
        }
        return "";
    }

    private static boolean isInMirror(Receipt.Copy copy) {
        return copy.result() instanceof SendResult.Withheld(var lock, var reason, var embargo)
                && !embargo.isEmpty();
    }

    private static ErrorCode codeOf(Exit exit) {
        return switch (exit) {
            case CONFLICT -> ErrorCode.CONFLICT;
            case WITHHELD -> ErrorCode.WITHHELD;
            case REFUSED -> ErrorCode.REFUSED;
            case NOT_FOUND -> ErrorCode.NO_SUCH_INBOX;
            case DONE, FAILED, USAGE, NOTHING -> ErrorCode.IO;
        };
    }
}
