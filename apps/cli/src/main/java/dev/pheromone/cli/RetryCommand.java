package dev.pheromone.cli;

import dev.pheromone.Address;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeDraft;
import dev.pheromone.State;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.file.Catalog;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// `rsm retry`: sends an envelope anew that died or expired.
final class RetryCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("retry", Group.AGENTS, "sends a dead or expired envelope anew")
                .required("ID", "the envelope, or the last characters of its id")
                .note(
                        "What ended stays ended: this is a new envelope, with a new id, that refers"
                                + " to the old one. It goes to the inboxes where the old one died.")
                .example("rsm retry k3f9x2", "gives it another life")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        Lookup lookup = new Lookup(hive);
        List<Catalog.Item> copies = lookup.copies(String.valueOf(call.args().operand(0)));
        List<Address> to = new ArrayList<>();
        Letter old = null;
        for (Catalog.Item item : copies) {
            if (item.state() == State.DEAD || item.state() == State.EXPIRED) {
                old = lookup.open(item);
                Address address = item.inbox().address();
                if (!to.contains(address)) {
                    to.add(address);
                }
            }
        }
        if (old == null) {
            Catalog.Item first = copies.getFirst();
            throw new CliException(
                    ErrorCode.CONFLICT,
                    "envelope "
                            + first.id()
                            + " is "
                            + first.state()
                            + ", expected one that is dead or expired");
        }
        Invocation plain = call.like(MailOptions.spec());
        return new Mailing(plain, hive)
                .send(new Signing(plain, hive).sign(again(call, hive, old.envelope(), to)));
    }

    private static Envelope again(Invocation call, OpenHive hive, Envelope old, List<Address> to)
            throws IOException {
        EnvelopeDraft draft =
                Envelope.draft(call.actor(), to, old.lane(), old.topic())
                        .ts(call.now())
                        .priority(old.priority())
                        .ttl(old.ttl())
                        .consent(old.consent())
                        .tags(old.tags())
                        .attachments(old.attachments())
                        .correlationId(old.id())
                        // Whoever revives it is its sender; answers still go to whoever asked.
                        .replyTo(ReplyCommand.recipient(old, hive))
                        .body(old.body());
        old.scope().ifPresent(draft::scope);
        return draft.seal();
    }
}
