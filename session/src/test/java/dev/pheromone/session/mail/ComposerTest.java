package dev.pheromone.session.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Priority;
import dev.pheromone.file.setup.HiveSetup;
import dev.pheromone.file.setup.HiveSetup.OnUnfitVolume;
import dev.pheromone.session.caller.NamedCaller;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.testkit.FakeClock;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

class ComposerTest {

    private static final Address CODE = Address.parse("queen://code");

    @TempDir Path folder;

    private final FakeClock clock = new FakeClock(Clock.systemUTC().instant());
    private NamedCaller caller;
    private OpenHive hive;
    private Composer composer;

    @BeforeEach
    void openHive() throws Exception {
        caller = new NamedCaller("claude", folder.resolve("home"), clock);
        hive =
                OpenHive.of(
                        caller,
                        HiveSetup.init(folder, Address.parse("user://you"), OnUnfitVolume.ACCEPT)
                                .layout());
        composer = new Composer(caller, hive);
    }

    @AfterEach
    void closeHive() {
        hive.close();
    }

    private static Draft draft(String body) {
        return new Draft(body.getBytes(StandardCharsets.UTF_8));
    }

    private Envelope request(Consent consent) {
        return Envelope.draft(new Actor("you"), List.of(CODE), Lane.CODE, "the parser")
                .ts(clock.instant())
                .priority(Priority.P1)
                .consent(consent)
                .body("why\n".getBytes(StandardCharsets.UTF_8))
                .seal();
    }

    @Test
    void whatWasNotSaidHasDefaults() throws IOException {
        Envelope envelope = composer.compose(List.of(CODE), draft("# look\nhere\n"));
        assertThat(envelope.from()).isEqualTo(new Actor("claude"));
        assertThat(envelope.topic()).isEqualTo("look");
        assertThat(envelope.lane()).isEqualTo(Lane.CODE);
        assertThat(envelope.consent()).isEqualTo(Consent.TEAM);
        assertThat(envelope.ttl()).isEqualTo(hive.config().ttl().usual());
        assertThat(envelope.signature()).isEmpty();
    }

    @Test
    void aPrivateBodyGivesNoTopic() throws IOException {
        Envelope envelope =
                composer.compose(List.of(CODE), draft("secret\n").consent(Consent.PRIVATE));
        assertThat(envelope.topic()).isEqualTo(Composer.PRIVATE_TOPIC);
        assertThat(caller.notes).singleElement().asString().contains("private mail");
    }

    @Test
    void anAnswerIsAboutItsRequestAndGoesNoFurther() throws IOException {
        Envelope request = request(Consent.PRIVATE);
        Envelope reply =
                composer.reply(request, Address.parse("user://you"), draft("because\n"), null);
        assertThat(reply.correlationId()).contains(request.id());
        assertThat(reply.hops()).isEqualTo(1);
        assertThat(reply.priority()).isEqualTo(Priority.P1);
        assertThat(reply.topic()).isEqualTo("Re: the parser");
        assertThat(reply.consent()).isEqualTo(Consent.PRIVATE);
    }

    @Test
    void whatGoesFurtherDoesNotTellTheTopicOfTheRequest() throws IOException {
        Envelope reply =
                composer.reply(
                        request(Consent.PRIVATE),
                        Address.parse("user://you"),
                        draft("because\n").consent(Consent.TEAM),
                        null);
        assertThat(reply.topic()).isEqualTo(Composer.OTHERS_TOPIC);
    }

    @Test
    void publicIsSaidTwiceOrNotAtAll() {
        assertThatThrownBy(
                        () -> composer.compose(List.of(CODE), draft("x\n").consent(Consent.PUBLIC)))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e ->
                                assertThat(e.remedy())
                                        .isEqualTo(
                                                new ProblemException.Remedy.With("public", null)));
        assertThatThrownBy(() -> composer.compose(List.of(CODE), draft("x\n").publicMeant(true)))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e ->
                                assertThat(e.remedy())
                                        .isEqualTo(
                                                new ProblemException.Remedy.With(
                                                        "consent", "public")));
    }

    @ParameterizedTest
    @CsvSource({
        "please look, please look",
        "'\n\n# The parser\nis slow', The parser",
        "'> quoted', quoted",
        "'- first\n- second', first",
        "'bell\u0007 and \u202eback', bell and back",
        "'  two  words  ', two  words"
    })
    void theTopicIsTheFirstLineThatSaysSomething(String body, String topic) {
        assertThat(Composer.firstLine(body.replace("\\n", "\n"))).isEqualTo(topic);
    }

    @Test
    void aLongLineIsCut() {
        assertThat(Composer.firstLine("é".repeat(300))).hasSize(100);
    }

    @Test
    void aBodyThatSaysNothingNeedsATopic() {
        assertThatThrownBy(() -> Composer.firstLine("\n \n---\n"))
                .hasMessage("the body has no line to take the topic from");
    }
}
