package dev.pheromone.session;

import dev.pheromone.file.log.GovernanceLog;
import dev.pheromone.file.log.KeyRecords;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.hive.Authority;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.util.List;

/// The record of keys trusted and revoked, in the event log or the embargo's. What can't be written
/// is told as a warning: `rsm audit` names the key then, and `rsm keys confirm` tells the log.
final class KeyEvents {

    private final Caller caller;
    private final OpenHive hive;

    KeyEvents(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
    }

    /// Writes down that `person` trusted or revoked a key.
    ///
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
                                    caller.actor().name(),
                                    caller.now())));
        } catch (IOException e) {
            caller.warn("event log: " + FileProblem.describe(e));
        }
    }
}
