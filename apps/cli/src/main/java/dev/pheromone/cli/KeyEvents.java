package dev.pheromone.cli;

import dev.pheromone.Json;
import dev.pheromone.file.GovernanceLog;
import dev.pheromone.file.KeyRecords;
import dev.pheromone.session.FileProblem;

import java.io.IOException;
import java.util.List;

/// The record of keys trusted and revoked, in the event log or the mirror's. What can't be written
/// is told as a warning: `rsm audit` names the key then, and `rsm keys confirm` tells the log.
final class KeyEvents {

    private final Invocation call;
    private final OpenHive hive;

    KeyEvents(Invocation call, OpenHive hive) {
        this.call = call;
        this.hive = hive;
    }

    /// @param type [KeyRecords#TRUST] or [KeyRecords#REVOKE]
    void tell(String type, Json.Obj key, Authority.Person person) {
        try (GovernanceLog log = GovernanceLog.of(hive.layout(), hive.guard())) {
            log.append(
                    List.of(
                            KeyRecords.event(
                                    type,
                                    key,
                                    person.name(),
                                    person.proof(),
                                    call.actor().name(),
                                    call.now())));
        } catch (IOException e) {
            call.warn("event log: " + FileProblem.describe(e));
        }
    }
}
