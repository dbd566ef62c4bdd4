package dev.pheromone.session.mail;

import dev.pheromone.SendResult;
import dev.pheromone.session.caller.FileProblem;

/// What became of one copy of sent mail, in words that all doors use.
///
/// @param state a word that programs can compare
/// @param location where the copy is; empty if that is not known
/// @param reason why it is so; empty for what needs none
public record CopyFate(String state, String location, String reason) {

    public static CopyFate of(SendResult result) {
        return switch (result) {
            case SendResult.Delivered(var location) -> new CopyFate("delivered", location, "");
            case SendResult.Unconfirmed(var location, var reason) ->
                    new CopyFate("delivered", location, reason);
            case SendResult.Duplicate(var location) -> new CopyFate("duplicate", location, "");
            case SendResult.Conflict(var location, var reason) ->
                    new CopyFate("conflict", location, reason);
            case SendResult.Withheld(var lock, var reason, var embargo) ->
                    new CopyFate(
                            embargo.isEmpty() ? "withheld" : "advisory",
                            embargo,
                            "under lock " + lock.kind() + ": " + reason);
            case SendResult.Refused(var _, var reason) -> new CopyFate("refused", "", reason);
            case SendResult.Parked(var location, var _, var reason) ->
                    new CopyFate("outbox", location, reason);
            case SendResult.Spooled(var location, var _, var reason) ->
                    new CopyFate("outbox", location, reason);
            case SendResult.Unanswered(var _, var reason) -> new CopyFate("outbox", "", reason);
            case SendResult.BeyondConsent(var consent, var reach) ->
                    new CopyFate(
                            "refused",
                            "",
                            "consent is %s, and this transport reaches %s"
                                    .formatted(consent, reach));
            case SendResult.NotPublic(var _, var reason) -> new CopyFate("refused", "", reason);
            case SendResult.Rejected(var ground, var reason) ->
                    new CopyFate(
                            ground == SendResult.Ground.NO_SUCH_INBOX
                                    ? "no_such_inbox"
                                    : "rejected",
                            "",
                            reason);
            case SendResult.Failed(var cause) ->
                    new CopyFate("failed", "", FileProblem.describe(cause));
        };
    }
}
