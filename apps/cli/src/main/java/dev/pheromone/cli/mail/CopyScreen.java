package dev.pheromone.cli.mail;

import dev.pheromone.address.Address;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.envelope.Attachment;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.trust.SignatureCheck;

import java.util.List;

/// How one copy of an envelope is shown to people.
final class CopyScreen {

    private CopyScreen() {}

    static void show(OpenedCopy opened, Screen screen) {
        Envelope envelope = opened.envelope();
        screen.line(screen.styled(Style.BOLD, SafeText.line(envelope.topic())));
        screen.line("from      " + envelope.from() + " (" + provenance(opened) + ")");
        screen.line("to        " + joined(envelope.to()));
        screen.line("id        " + envelope.id());
        screen.line(
                "urgency   "
                        + envelope.priority()
                        + ", sent "
                        + Ages.relative(envelope.ts(), screen.now())
                        + ", expires "
                        + Ages.relative(envelope.expiresAt(), screen.now()));
        screen.line("lane      " + SafeText.line(envelope.lane().name()));
        envelope.scope().ifPresent(scope -> screen.line("scope     " + SafeText.line(scope)));
        envelope.correlationId().ifPresent(id -> screen.line("about     " + id));
        for (Attachment attachment : envelope.attachments()) {
            screen.line("attached  " + SafeText.line(attachment.path()));
        }
        if (!envelope.tags().isEmpty()) {
            screen.line("tags      " + SafeText.line(String.join(", ", envelope.tags())));
        }
        QuestionScreen.show(envelope, screen);
        envelope.answer().ifPresent(answer -> screen.line("answer    " + SafeText.line(answer)));
        screen.line("state     " + opened.state() + " in " + opened.inbox().address());
        if (!envelope.hashMatches()) {
            screen.line(
                    screen.styled(
                            Style.RED,
                            "warning   the body is not the one that the header's hash names"));
        }
        for (String warning : envelope.warnings()) {
            screen.line("warning   " + SafeText.line(warning));
        }
        screen.blank();
        screen.body(opened);
    }

    private static String provenance(OpenedCopy opened) {
        Envelope envelope = opened.envelope();
        return switch (opened.check()) {
            case SignatureCheck.Valid(var kid, var actor, var human) ->
                    "signed with key " + kid + (human ? ", a person's" : "");
            case SignatureCheck.Unsigned unsigned ->
                    "unsigned, "
                            + envelope.fromOrigin().map(by -> "named by " + by + ", ").orElse("")
                            + "so anybody may have written it";
            case SignatureCheck.Bad(var reason) -> "bad signature: " + SafeText.line(reason);
        };
    }

    private static String joined(List<Address> addresses) {
        StringBuilder text = new StringBuilder();
        for (Address address : addresses) {
            text.append(text.isEmpty() ? "" : ", ").append(address);
        }
        return text.toString();
    }
}
