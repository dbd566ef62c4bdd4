package dev.pheromone.session.hive;

import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.address.Lane;
import dev.pheromone.address.Reach;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.log.GovernanceLog;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.util.List;

/// The record of mail that was not to go so far, and of what was taken out of mail before it did;
/// never of what that was.
public final class ConsentEvents {

    private final Caller caller;
    private final HiveLayout layout;
    private final LockFiles guard;

    public ConsentEvents(Caller caller, OpenHive hive) {
        this(caller, hive.layout(), hive.guard());
    }

    public ConsentEvents(Caller caller, HiveLayout layout, LockFiles guard) {
        this.caller = caller;
        this.layout = layout;
        this.guard = guard;
    }

    /// It was to be public, and holds what must not become so.
    public void refusedPublic(Envelope envelope, Json redactions) {
        tell("consent_refused", refused(envelope, Reach.PUBLIC).put("redactions", redactions));
    }

    /// Tells of each copy that its consent kept from a transport of a wider reach.
    public void refused(Envelope envelope, Receipt receipt) {
        for (Receipt.Copy copy : receipt.copies()) {
            if (copy.result() instanceof SendResult.BeyondConsent(var _, var reach)) {
                tell(
                        "consent_refused",
                        refused(envelope, reach).put("to", copy.address().toString()));
            }
        }
    }

    private static Json.Obj refused(Envelope envelope, Reach reach) {
        return Json.obj()
                .put("id", envelope.id().text())
                .put(RseEvent.CONSENT, envelope.consent().toString())
                .put("reach", reach.toString());
    }

    /// `copy` has gone its way, with marks in the place of what was found in `original`.
    public void redacted(
            Envelope original, Envelope copy, Json redactions, Authority.Person person) {
        tell(
                "mail_redacted",
                Json.obj()
                        .put("id", copy.id().text())
                        .put("original", original.id().text())
                        .put(RseEvent.CONSENT, original.consent().toString())
                        .put("redactions", redactions)
                        .put("by", person.name())
                        .put("proof", person.proof()));
    }

    private void tell(String type, Json.Obj data) {
        try (GovernanceLog log = GovernanceLog.of(layout, guard)) {
            log.append(
                    List.of(
                            RseEvent.of(
                                    caller.now(),
                                    type,
                                    Lane.GOVERNANCE,
                                    caller.actor().name(),
                                    data)));
        } catch (IOException e) {
            caller.warn("event log: " + FileProblem.describe(e));
        }
    }
}
