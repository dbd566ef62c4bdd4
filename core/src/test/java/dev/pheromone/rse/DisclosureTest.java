package dev.pheromone.rse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Lane;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Consent;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// An event goes no further than the mail that it speaks of.
final class DisclosureTest {

    private static final String ID = "01M7GM3J5HECJMDG7M004VQ7AK";

    private static RseEvent event(String type, Json.Obj data) {
        return RseEvent.of(Instant.EPOCH, type, Lane.CODE, "ada", data);
    }

    private static Optional<RseEvent> told(Reach reach, String type, Json.Obj data) {
        return new Disclosure(reach).of(event(type, data));
    }

    private static Json.Obj drop() {
        return Json.obj().put("topic", "the salary").put("priority", "P1").put("ref", ID);
    }

    @ParameterizedTest
    @CsvSource({
        "PRIVATE, LOCAL, true",
        "PRIVATE, TEAM, false",
        "PRIVATE, PUBLIC, false",
        "TEAM, TEAM, true",
        "TEAM, PUBLIC, false",
        "PUBLIC, PUBLIC, true",
    })
    void anEventOfMailGoesAsFarAsItsMail(Consent consent, Reach reach, boolean goes) {
        RseEvent event = event("pheromone_drop", drop()).withConsent(consent);
        assertThat(new Disclosure(reach).of(event))
                .isEqualTo(goes ? Optional.of(event) : Optional.empty());
    }

    @Test
    void aLaneOfAnOlderEventIsToldOnlyIfItIsTheProtocols() {
        for (String lane : new String[] {"Code", "the salary of Bob"}) {
            RseEvent event =
                    RseEvent.of(Instant.EPOCH, "pheromone_drop", new Lane(lane), "ada", drop());
            assertThat(new Disclosure(Reach.TEAM).of(event).orElseThrow().lane())
                    .hasToString(lane.equals("Code") ? "Code" : "unknown");
            assertThat(new Disclosure(Reach.LOCAL).of(event)).contains(event);
        }
    }

    @Test
    void thePublicGetsNothingThatOthersWroteOfPublicMail() {
        Json.Obj shown =
                drop().put("tags", Json.arr(List.of(Json.of("parser"))))
                        .put("attempt", 2)
                        .put("status", "error")
                        .put("consent", "public");
        Json.Obj data =
                shown.put("notes", "exit 1: no login with hunter2")
                        .put("context", "exit 1: no login with hunter2")
                        .put("reason", "attempt 5 of 5 failed: hunter2")
                        .put("path", ".deia/inbox/code/" + ID + ".md")
                        .put("of_a_later_version", Json.obj().put("text", "hunter2"));
        assertThat(told(Reach.PUBLIC, "worker_ack", data).orElseThrow().data()).isEqualTo(shown);
        assertThat(told(Reach.TEAM, "worker_ack", data).orElseThrow().data()).isEqualTo(data);
    }

    @Test
    void anOlderEventOfMailGoesToTheTeamWithoutItsTexts() {
        Json.Obj data =
                drop().put("ttl", "1d")
                        .put("notes", "the salary")
                        .put("hash", "sha256:00")
                        .put("inbox", "code")
                        .put("attempt", 2)
                        .put("status", "done");
        assertThat(told(Reach.TEAM, "pheromone_drop", data).orElseThrow().data())
                .isEqualTo(
                        Json.obj()
                                .put("ref", ID)
                                .put("inbox", "code")
                                .put("attempt", 2)
                                .put("status", "done")
                                .put("priority", "P1"));
        assertThat(told(Reach.PUBLIC, "pheromone_drop", data)).isEmpty();
        assertThat(told(Reach.LOCAL, "pheromone_drop", data).orElseThrow().data()).isEqualTo(data);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "worker_ack",
                "worker_spawn",
                "pheromone_expire",
                "rsm_envelope_dead",
                "rsm_envelope_new_kind",
                "embargo_release"
            })
    void typesOfMailAreOfMailWhateverTheyName(String type) {
        Json.Obj data =
                Json.obj()
                        .put("id", "the salary.md")
                        .put("reason", "the salary")
                        .put("status", "the salary")
                        .put("inbox", "the salary");
        assertThat(told(Reach.TEAM, type, data).orElseThrow().data()).isEqualTo(Json.obj());
    }

    @Test
    void aConsentThatCannotBeReadAllowsNothing() {
        Json.Obj data = Json.obj().put("topic", "x").put("priority", "P1").put("consent", "yes");
        assertThat(told(Reach.TEAM, "pheromone_drop", data).orElseThrow().data().has("topic"))
                .isFalse();
        assertThat(told(Reach.TEAM, "pheromone_drop", data.put("consent", 1)).orElseThrow().data())
                .isEqualTo(Json.obj().put("priority", "P1"));
        assertThat(told(Reach.PUBLIC, "pheromone_drop", data)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Reach.class)
    void whatSpeaksOfNoMailIsTheTeams(Reach reach) {
        Json.Obj signal = Json.obj().put("topic", "main is red").put("priority", "P0");
        assertThat(told(reach, "pheromone_drop", signal).isPresent())
                .isEqualTo(reach != Reach.PUBLIC);
        assertThat(told(reach, "tick", Json.obj().put("n", 1)).isPresent())
                .isEqualTo(reach != Reach.PUBLIC);
    }
}
