package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Actor;
import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.frame.Terminal;
import dev.pheromone.session.caller.PasskeyFiles;
import dev.pheromone.session.passkey.Assertion;
import dev.pheromone.session.passkey.Challenges;
import dev.pheromone.session.passkey.Deed;
import dev.pheromone.session.passkey.Page;
import dev.pheromone.session.passkey.Registration;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What is for people is done at a page by a passkey, and by nothing else. The commands run as the
/// board runs them; the authenticator is a program, which can say anything.
class PasskeyTest {

    private static final String ORIGIN = "http://localhost:7777";

    @TempDir Path folder;

    private Session session;
    private Challenges challenges;
    private SoftAuthenticator key;

    /// What somebody else does whenever a command of the page looks at its clock.
    private Runnable meanwhile = () -> {};

    @BeforeEach
    void makeHive() throws Exception {
        folder = folder.toRealPath();
        session = new Session(folder);
        assertThat(session.rsm("init").exit()).isZero();
        challenges = new Challenges(PasskeyFiles.hive(folder));
        key = new SoftAuthenticator(ORIGIN);
    }

    /// How a command of the page ended.
    private record Ran(int exit, Json.Obj json) {

        Json.Obj error() {
            return json.object("error");
        }

        String message() {
            return error().text("message");
        }

        /// What the page was asked for.
        Json.Obj asked() {
            assertThat(json.has("passkey")).as(json.toString()).isTrue();
            return json.object("passkey");
        }
    }

    private Ran atPage(Json.Obj shown, String... words) throws Exception {
        return atPage("you", shown, words);
    }

    private Ran atPage(String actor, Json.Obj shown, String... words) throws Exception {
        @Nullable Assertion assertion =
                shown.has("assertion") ? Assertion.parse(shown.object("assertion")) : null;
        @Nullable Registration registration =
                shown.has("registration") ? Registration.parse(shown.object("registration")) : null;
        session.later(Duration.ofMillis(1));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Surroundings typed = session.surroundings();
        List<String> all = new ArrayList<>(List.of(words));
        all.add(1, "--json");
        int exit =
                new Rsm(
                                new Surroundings(
                                        Map.of("RSM_ACTOR", actor),
                                        folder,
                                        typed.home(),
                                        typed.user(),
                                        new ByteArrayInputStream(new byte[0]),
                                        out,
                                        OutputStream.nullOutputStream(),
                                        () -> {
                                            meanwhile.run();
                                            return typed.clock().instant();
                                        },
                                        Terminal.NONE,
                                        null,
                                        null,
                                        null,
                                        new Page(
                                                ORIGIN,
                                                challenges,
                                                assertion,
                                                registration,
                                                !shown.has("unproven"))))
                        .run(all);
        return new Ran(exit, (Json.Obj) Json.parse(out.toString(StandardCharsets.UTF_8)));
    }

    /// Registers the key; returns its name.
    private String register() throws Exception {
        Json.Obj asked = atPage(Json.obj(), "keys", "passkey").asked();
        Ran made = atPage(key.answer(asked), "keys", "passkey");
        assertThat(made.exit()).as(made.json().toString()).isZero();
        return made.json().text("kid");
    }

    private String registerAndConfirm() throws Exception {
        String kid = register();
        type(kid, "keys", "trust", kid);
        return kid;
    }

    /// The person types `words` at a terminal, and then the word that is asked for.
    private void type(String word, String... words) {
        Terminal before = session.terminal;
        session.terminal = new Terminal(true, true, true);
        Session.Result typed = session.rsm(List.of(words), word + "\n");
        session.terminal = before;
        assertThat(typed.exit()).as(typed.err()).isZero();
    }

    private Json.Obj ask(String... words) throws Exception {
        return atPage(Json.obj(), words).asked();
    }

    private Ran confirm(String... words) throws Exception {
        return atPage(key.answer(ask(words)), words);
    }

    private void assertRefused(Ran ran, String why) throws Exception {
        assertThat(ran.exit()).as(ran.json().toString()).isEqualTo(2);
        assertThat(ran.error().text("code")).isEqualTo("not_a_person");
        assertThat(ran.message()).contains(why);
        assertThat(ran.error().text("hint")).contains("type it in a terminal");
        assertThat(session.rsm("mute", "--json").out()).contains("\"count\":0");
    }

    private Json.Obj lastEvent(String type) throws Exception {
        String line =
                session.rsm("log", "--json", "--type", type)
                        .out()
                        .lines()
                        .filter(one -> one.contains("\"type\":\"" + type + "\""))
                        .reduce("", (_, last) -> last);
        return ((Json.Obj) Json.parse(line)).object("data");
    }

    private Session.Result audit() {
        return session.rsm("audit");
    }

    private void tamper(String found, String put) throws Exception {
        tamper(file(".jsonl", "person_asserted").orElseThrow(), found, put);
    }

    private static void tamper(Path file, String found, String put) throws Exception {
        String text = text(file);
        assertThat(text).containsPattern(found);
        Files.writeString(file, text.replaceAll(found, put));
    }

    /// A file of that ending that has `part` in it.
    private Optional<Path> file(String ending, String part) {
        try (var files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .filter(file -> text(file).contains(part))
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aConfirmedPasskeyDoesWhatIsForPeople() throws Exception {
        String kid = registerAndConfirm();

        Ran muted = confirm("mute", "noisy", "--for", "1h");

        assertThat(muted.exit()).as(muted.json().toString()).isZero();
        Json.Obj asserted = lastEvent("person_asserted");
        assertThat(muted.json().text("proof"))
                .isEqualTo("passkey " + kid + " " + asserted.text("nonce"));
        assertThat(asserted.text("kind")).isEqualTo("mute");
        assertThat(asserted.text("target")).isEqualTo("noisy");
        assertThat(lastEvent("mute_set").text("proof")).isEqualTo(muted.json().text("proof"));
        assertThat(audit().out()).startsWith("0 violations");
    }

    @Test
    void withoutAPasskeyNothingIsDoneAndTheWayOutIsSaid() throws Exception {
        assertRefused(atPage(Json.obj(), "mute", "noisy"), "you has no passkey that this hive");
        registerAndConfirm();
        assertRefused(
                atPage("claude-7f3a", Json.obj(), "mute", "noisy"),
                "claude-7f3a has no passkey that this hive trusts");
        assertRefused(atPage(Json.obj(), "mute", "noisy", "--by", "you"), "needs your passkey");
    }

    @Test
    void noKeyFileOfAPersonCountsAtAPage() throws Exception {
        session.rsm("keys", "new", "laptop");
        session.rsm("keys", "trust", "laptop", "--human", "--by", "you");

        assertRefused(atPage(Json.obj(), "mute", "noisy"), "you has no passkey");
    }

    @Test
    void anUnconfirmedPasskeyCountsForNothing() throws Exception {
        String kid = register();

        assertRefused(atPage(Json.obj(), "mute", "noisy"), "you has no passkey");
        assertThat(session.rsm("keys", "list").out()).contains(kid, "unconfirmed");
        assertThat(session.rsm("doctor").out()).contains("passkey " + kid, "confirmed by nobody");
        assertThat(session.rsm("keys", "revoke", kid, "--by", "you").exit()).isZero();
        assertThat(session.rsm("keys", "list").out()).doesNotContain(kid);
        assertThat(session.rsm("keys", "trust", kid, "--by", "you").exit()).isNotZero();
    }

    @Test
    void aPasskeyIsConfirmedByAWordThatIsTyped() throws Exception {
        String kid = register();
        Session.Result named = session.rsm("keys", "trust", kid, "--by", "you");
        assertThat(named.exit()).isEqualTo(2);
        assertThat(named.err()).contains("needs a word that a person types");
        session.terminal = new Terminal(true, true, true);
        assertThat(session.rsm(List.of("keys", "trust", kid), "yes\n").exit()).isEqualTo(2);
        assertRefused(atPage(Json.obj(), "mute", "noisy"), "you has no passkey");
    }

    @Test
    void anAgentConfirmsNone() throws Exception {
        String kid = register();
        session.env.put("CLAUDECODE", "1");

        assertThat(session.rsm("keys", "trust", kid, "--by", "you").err())
                .contains("trusting passkey " + kid + " is for people");
    }

    @Test
    void aLaterPasskeyNeedsAnEarlierOne() throws Exception {
        registerAndConfirm();
        SoftAuthenticator other = new SoftAuthenticator(ORIGIN);
        Json.Obj made = other.answer(ask("keys", "passkey"));

        Json.Obj asked = atPage(made, "keys", "passkey").asked();
        assertRefused(
                atPage(made.putAll(other.answer(asked)), "keys", "passkey"),
                "it is no passkey of you that this hive trusts");
        asked = atPage(made, "keys", "passkey").asked();
        Ran trusted = atPage(made.putAll(key.answer(asked)), "keys", "passkey");

        assertThat(trusted.exit()).as(trusted.json().toString()).isZero();
        assertThat(trusted.json().text("trust")).isEqualTo("trusted");
        key = other;
        assertThat(confirm("mute", "noisy").exit()).isZero();
        assertThat(audit().out()).startsWith("0 violations");
    }

    @Test
    void anAssertionCountsOnce() throws Exception {
        registerAndConfirm();
        Json.Obj shown = key.answer(ask("mute", "noisy"));
        assertThat(atPage(shown, "mute", "noisy").exit()).isZero();
        type("unmute", "mute", "noisy", "--off");

        assertRefused(atPage(shown, "mute", "noisy"), "was answered before: each counts once");
    }

    @Test
    void aLateAssertionIsNone() throws Exception {
        registerAndConfirm();
        Json.Obj shown = key.answer(ask("mute", "noisy"));
        session.later(Duration.ofSeconds(121));

        assertRefused(atPage(shown, "mute", "noisy"), "within 2 minutes");
    }

    @Test
    void anAssertionIsForOneTargetAndOneContent() throws Exception {
        registerAndConfirm();
        assertRefused(
                atPage(key.answer(ask("mute", "noisy")), "mute", "other"),
                "not what would be done now");
        assertRefused(
                atPage(
                        key.answer(ask("mute", "noisy", "--for", "1h")),
                        "mute",
                        "noisy",
                        "--for",
                        "9h"),
                "not what would be done now");
        session.rsm("lock", "hive");
        assertThat(atPage(key.answer(ask("unlock", "hive")), "mute", "noisy").exit()).isNotZero();
        assertThat(confirm("unlock", "hive").exit()).isZero();
    }

    @Test
    void whatIsReleasedIsWhatWasLookedAt() throws Exception {
        registerAndConfirm();
        session.rsm("send", "--to", "code", "--create", "before");
        session.rsm("lock", "hive");
        session.rsm("send", "--to", "code", "first");
        Json.Obj shown = key.answer(ask("embargo", "release", "--yes"));
        session.rsm("send", "--to", "code", "second");

        assertRefusedUnderLock(atPage(shown, "embargo", "release", "--yes"));
        assertThat(confirm("unlock", "hive").exit()).isZero();
        Ran released = confirm("embargo", "release", "--yes");
        assertThat(released.exit()).as(released.json().toString()).isZero();
        assertThat(released.json().list("items")).hasSize(2);
        assertThat(audit().out()).startsWith("0 violations");
    }

    private static void assertRefusedUnderLock(Ran ran) {
        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.message()).contains("not what would be done now");
    }

    @Test
    void anotherPageGetsNoAssertionThatCounts() throws Exception {
        registerAndConfirm();
        for (String origin :
                List.of(
                        "http://localhost:8888",
                        "https://localhost:7777",
                        "http://127.0.0.1:7777")) {
            key.origin = origin;
            assertRefused(confirm("mute", "noisy"), "another page asked for it");
        }
        key.origin = ORIGIN;
        key.rpId = "example.org";
        assertRefused(confirm("mute", "noisy"), "another name than localhost");
    }

    @Test
    void aPersonMustBeThereAndVerified() throws Exception {
        registerAndConfirm();
        key.flags = SoftAuthenticator.PRESENT;
        assertRefused(confirm("mute", "noisy"), "did not verify who is there");
        key.flags = SoftAuthenticator.VERIFIED;
        assertRefused(confirm("mute", "noisy"), "nobody touched the authenticator");
    }

    @Test
    void noKeyIsRegisteredWithoutVerification() throws Exception {
        key.flags = SoftAuthenticator.PRESENT;
        Ran made = atPage(key.answer(ask("keys", "passkey")), "keys", "passkey");
        assertThat(made.exit()).isEqualTo(2);
        assertThat(made.message()).contains("did not verify who is there");
        assertThat(session.rsm("keys", "list").out()).doesNotContain("unconfirmed");
    }

    @Test
    void aRegistrationIsForThisPageAndCountsOnce() throws Exception {
        key.origin = "http://localhost:8888";
        Ran elsewhere = atPage(key.answer(ask("keys", "passkey")), "keys", "passkey");
        assertThat(elsewhere.message()).contains("another page asked for it");
        key.origin = ORIGIN;
        Json.Obj shown = key.answer(ask("keys", "passkey"));
        assertThat(atPage(shown, "keys", "passkey").exit()).isZero();
        assertThat(atPage(shown, "keys", "passkey").message()).contains("each counts once");
    }

    @Test
    void aCounterThatGoesBackIsACopy() throws Exception {
        registerAndConfirm();
        key.count = 5;
        assertThat(confirm("mute", "noisy").exit()).isZero();
        assertThat(confirm("mute", "noisy", "--off").message()).contains("counter went back");
        key.count = 6;
        assertThat(confirm("mute", "noisy", "--off").exit()).isZero();
        assertThat(audit().out()).startsWith("0 violations");
    }

    @Test
    void whetherAPasskeyMayBeCopiedNeverChanges() throws Exception {
        registerAndConfirm();
        key.flags |= SoftAuthenticator.MAY_SYNC;
        assertRefused(confirm("mute", "noisy"), "says otherwise than before");
        key.flags =
                SoftAuthenticator.PRESENT | SoftAuthenticator.VERIFIED | SoftAuthenticator.SYNCED;
        assertRefused(confirm("mute", "noisy"), "was copied, and may not be");
    }

    @Test
    void aRemovedPasskeyCountsForNothingAndWhatItDidStaysGood() throws Exception {
        String kid = registerAndConfirm();
        Json.Obj shown = key.answer(ask("mute", "noisy"));
        assertThat(confirm("mute", "other").exit()).isZero();
        type(kid, "keys", "revoke", kid);
        type("unmute", "mute", "other", "--off");

        assertRefused(atPage(shown, "mute", "noisy"), "you has no passkey");
        assertThat(audit().out()).startsWith("0 violations");
        assertThat(session.rsm("keys", "list").out()).contains("revoked");
    }

    @Test
    void thePasskeyOfAnotherHiveIsNone() throws Exception {
        registerAndConfirm();
        Json.Obj asked =
                new Challenges("another hive")
                        .ask(
                                Deed.mute(Actor.parse("noisy")),
                                session.surroundings().clock().instant())
                        .request(Deed.mute(Actor.parse("noisy")), List.of());
        Json.Obj ours = ask("mute", "noisy");
        // What another hive asked for, under the nonce of ours.
        assertRefused(
                atPage(
                        key.answer(
                                asked.put("nonce", ours.text("nonce"))
                                        .put("challenge", asked.text("challenge"))),
                        "mute",
                        "noisy"),
                "another challenge");
        key = new SoftAuthenticator(ORIGIN);
        assertRefused(confirm("mute", "noisy"), "no passkey of you that this hive trusts");
    }

    @Test
    void hostileBytesOfAnyKindAreRefused() throws Exception {
        registerAndConfirm();
        byte[] deep = new byte[2_000];
        Arrays.fill(deep, (byte) 0x81);
        for (byte[] bytes :
                List.of(
                        new byte[1],
                        deep,
                        "[".repeat(2_000).getBytes(StandardCharsets.UTF_8),
                        "{\"type\":1e999999999}".getBytes(StandardCharsets.UTF_8))) {
            String text = SoftAuthenticator.base64(bytes);
            for (String field : List.of("client", "attestation")) {
                Json.Obj asked = ask("keys", "passkey");
                Json.Obj shown = key.register(asked).put(field, text);
                Ran made = atPage(Json.obj().put("registration", shown), "keys", "passkey");
                assertThat(made.exit()).as(field).isEqualTo(2);
                assertThat(made.error().text("code")).isEqualTo("not_a_person");
            }
            String little =
                    SoftAuthenticator.base64(Arrays.copyOf(bytes, Math.min(bytes.length, 500)));
            for (String field : List.of("client", "authenticator", "signature")) {
                Json.Obj shown = key.confirm(ask("mute", "noisy")).put(field, little);
                assertRefused(
                        atPage(Json.obj().put("assertion", shown), "mute", "noisy"),
                        "is for people");
            }
        }
    }

    @Test
    void auditChecksKeptAssertionsAgain() throws Exception {
        registerAndConfirm();
        confirm("mute", "noisy");
        assertThat(audit().out()).startsWith("0 violations");
        session.env.put("XDG_CONFIG_HOME", folder.resolve("elsewhere").toString());

        tamper("\"target\":\"noisy\"", "\"target\":\"other\"");

        assertThat(audit().exit()).isEqualTo(1);
        assertThat(audit().out())
                .contains(
                        "an assertion that proves nothing: the passkey answered another challenge");
    }

    @Test
    void auditFindsAForgedSignature() throws Exception {
        registerAndConfirm();
        confirm("mute", "noisy");
        session.env.put("XDG_CONFIG_HOME", folder.resolve("elsewhere").toString());
        String signature = lastEvent("person_asserted").text("signature");
        tamper(
                signature,
                SoftAuthenticator.base64(
                        Base64.getUrlDecoder()
                                .decode(
                                        new SoftAuthenticator(ORIGIN)
                                                .confirm(
                                                        Json.obj()
                                                                .put("nonce", "n")
                                                                .put("challenge", "AAAA"))
                                                .text("signature"))));

        assertThat(audit().out()).contains("the signature is not the passkey's");
    }

    @Test
    void auditFindsADeedThatIsNotWhatWasAsserted() throws Exception {
        registerAndConfirm();
        confirm("mute", "noisy");
        session.env.put("XDG_CONFIG_HOME", folder.resolve("elsewhere").toString());

        tamper("\"sender\":\"noisy\",\"until\"", "\"sender\":\"other\",\"until\"");

        assertThat(audit().out()).contains("another deed than was asserted: sender");
    }

    @Test
    void auditFindsAMissingAssertionAndOneThatIsThereTwice() throws Exception {
        registerAndConfirm();
        confirm("mute", "noisy");
        session.env.put("XDG_CONFIG_HOME", folder.resolve("elsewhere").toString());
        String before = "(?m)^\\{\"ts\":\"([0-9T:.-]+)Z\",(\"type\":\"person_asserted\".*)\n";

        tamper(before, "$0{\"ts\":\"2031-01-01T00:00:00.000Z\",$2\n");
        assertThat(audit().out()).contains("once more");
        tamper(before, "");

        assertThat(audit().out()).contains("a deed whose assertion is missing");
    }

    @Test
    void anAnswerCountsAsThePersonsByPasskeyAlone() throws Exception {
        registerAndConfirm();
        session.env.put("RSM_ACTOR", "claude-7f3a");
        String first =
                session.rsm("ask", "user://you", "Merge?", "--create", "--quiet").out().strip();
        String second = session.rsm("ask", "user://you", "Push?", "--quiet").out().strip();

        Ran proven =
                atPage(Json.obj(), "reply", first, "yes", "--id", "01M7GM3J5HECJMDG7M004VQ7AK");
        proven =
                atPage(
                        key.answer(proven.asked()),
                        "reply",
                        first,
                        "yes",
                        "--id",
                        "01M7GM3J5HECJMDG7M004VQ7AK");
        assertThat(proven.exit()).as(proven.json().toString()).isZero();
        assertThat(atPage(Json.obj().put("unproven", true), "reply", second, "yes").exit())
                .isZero();

        assertThat(session.rsm("ask", "--status", first).out()).contains("proven by passkey");
        assertThat(session.rsm("ask", "--status", second).out()).contains("unproven, by board");
    }

    @Test
    void whatAnotherHoldsIsEndedByAPersonAlone() throws Exception {
        registerAndConfirm();
        session.rsm("send", "--to", "code", "--create", "work");
        session.env.put("RSM_ACTOR", "gemini-2c");
        String claim = session.rsm("select", "--quiet", "code").out().strip();

        assertRefused(
                atPage("claude-7f3a", Json.obj(), "release", claim),
                "ending what gemini-2c works on is for people");
        Ran ended = confirm("release", claim);
        assertThat(ended.exit()).as(ended.json().toString()).isZero();
        assertThat(session.rsm("inbox", "code").out()).contains("1 waiting, 0 active");
    }

    @Test
    void aNameIsNotEnoughAnyMoreWhereAPersonHasAPasskey() throws Exception {
        registerAndConfirm();
        Session.Result named = session.rsm("mute", "noisy", "--by", "you");
        assertThat(named.exit()).isEqualTo(2);
        assertThat(named.err()).contains("needs more than a name", "rsm board");

        type("mute", "mute", "noisy");
    }

    @Test
    void anAnswerThatWasNotAssertedIsNobodysByPasskey() throws Exception {
        registerAndConfirm();
        session.env.put("RSM_ACTOR", "claude-7f3a");
        String question =
                session.rsm("ask", "user://you", "Merge?", "--create", "--quiet").out().strip();
        Json.Obj asked =
                atPage(Json.obj(), "reply", question, "no", "--id", "01M7GM3J5HECJMDG7M004VQ7AK")
                        .asked();

        Ran other =
                atPage(
                        key.answer(asked),
                        "reply",
                        question,
                        "yes",
                        "--id",
                        "01M7GM3J5HECJMDG7M004VQ7AK");

        assertThat(other.message()).contains("not what would be done now");
        session.env.put("RSM_ACTOR", "you");
        session.rsm("reply", question, "yes");
        assertThat(session.rsm("ask", "--status", question).out())
                .contains("unproven, anybody may have written it");
    }

    @Test
    void aKeyThatWasAddedByHandIsFound() throws Exception {
        String kid = registerAndConfirm();
        Path trust = folder.resolve(".deia/trust.yaml");
        Files.writeString(trust, text(trust).replace(kid, "you-pk-00000000"));

        assertThat(audit().out())
                .contains("key you-pk-00000000: found a key that no event tells of")
                .contains("key " + kid + ": found no such key");
    }

    /// The question "Merge?", which `you` answer by the passkey.
    private String answeredByPasskey(String answer) throws Exception {
        session.env.put("RSM_ACTOR", "claude-7f3a");
        String question =
                session.rsm("ask", "user://you", "Merge?", "--create", "--quiet").out().strip();
        String id = "01M7GM3J5HECJMDG7M004VQ7AK";
        Ran answered = confirm("reply", question, answer, "--id", id);
        assertThat(answered.exit()).as(answered.json().toString()).isZero();
        assertThat(session.rsm("ask", "--status", question).out())
                .contains(answer, "proven by passkey");
        return question;
    }

    @Test
    void anAnswerThatIsEditedLaterIsProvenNoMore() throws Exception {
        registerAndConfirm();
        String question = answeredByPasskey("no");

        tamper(file(".md", "\nanswer: ").orElseThrow(), "answer: \"?no\"?", "answer: \"yes\"");

        assertThat(session.rsm("ask", "--status", question).out())
                .contains("yes", "unproven, by board");
    }

    @Test
    void anAssertionThatNobodySignedProvesNoAnswer() throws Exception {
        registerAndConfirm();
        String question = answeredByPasskey("no");

        tamper("\"signature\":\"[A-Za-z0-9_-]+\"", "\"signature\":\"MEQ\"");

        assertThat(session.rsm("ask", "--status", question).out())
                .contains("unproven, by board")
                .doesNotContain("proven by passkey");
    }

    @Test
    void auditFindsAnAnswerWhoseAssertionIsMissing() throws Exception {
        registerAndConfirm();
        String _ = answeredByPasskey("no");
        assertThat(audit().out()).startsWith("0 violations");
        session.env.put("XDG_CONFIG_HOME", folder.resolve("elsewhere").toString());

        tamper("(?m)^.*\"type\":\"person_asserted\".*\n", "");

        assertThat(audit().out()).contains("question_answered of", "assertion is missing");
    }

    @Test
    void auditFindsAnotherPersonAndAnotherWhoAsked() throws Exception {
        registerAndConfirm();
        session.rsm("lock", "do-not-alter", "notes.md");
        Files.writeString(folder.resolve("new.md"), "new");
        Ran permitted =
                confirm(
                        "override",
                        "notes.md",
                        "--content",
                        "new.md",
                        "--reason",
                        "a typo",
                        "--for",
                        "claude-7f3a");
        assertThat(permitted.exit()).as(permitted.json().toString()).isZero();
        assertThat(audit().out()).startsWith("0 violations");
        session.env.put("XDG_CONFIG_HOME", folder.resolve("elsewhere").toString());

        tamper("claude-7f3a\",\"expires\"", "gemini-2c\",\"expires\"");
        assertThat(audit().out()).contains("another deed than was asserted: requestor");
        tamper("\"by\":\"you\",\"proof\":\"passkey", "\"by\":\"bob\",\"proof\":\"passkey");
        assertThat(audit().out()).contains("another deed than was asserted: by");
    }

    @Test
    void aFreezeForAnotherReasonIsNotLifted() throws Exception {
        registerAndConfirm();
        session.rsm("lock", "hive", "--reason", "tidying up");
        Json.Obj shown = key.answer(ask("unlock", "hive"));
        type("unlock", "unlock", "hive");
        session.rsm("lock", "hive", "--reason", "a key has leaked");

        assertRefusedUnderLock(atPage(shown, "unlock", "hive"));
    }

    @Test
    void aLockForAnotherReasonIsNotLifted() throws Exception {
        registerAndConfirm();
        session.rsm("lock", "do-not-alter", "notes.md", "--reason", "a first look");
        Json.Obj shown = key.answer(ask("unlock", "do-not-alter", "notes.md"));
        type("unlock", "unlock", "do-not-alter", "notes.md");
        session.rsm("lock", "do-not-alter", "notes.md", "--reason", "evidence");

        assertRefusedUnderLock(atPage(shown, "unlock", "do-not-alter", "notes.md"));
    }

    @Test
    void whatComesAfterTheWordIsNotReleased() throws Exception {
        registerAndConfirm();
        session.rsm("send", "--to", "code", "--create", "before");
        session.rsm("lock", "hive");
        session.rsm("send", "--to", "code", "first");
        Json.Obj shown = key.answer(ask("unlock", "hive", "--release"));
        boolean[] isSent = new boolean[1];
        meanwhile =
                () -> {
                    if (!isSent[0] && file(".jsonl", "person_asserted").isPresent()) {
                        isSent[0] = true;
                        session.rsm("send", "--to", "code", "second");
                    }
                };

        Ran lifted = atPage(shown, "unlock", "hive", "--release");

        assertThat(isSent[0]).isTrue();
        assertThat(lifted.exit()).as(lifted.json().toString()).isZero();
        assertThat(lifted.json().list("released")).hasSize(1);
        assertThat(session.rsm("embargo").out()).contains("second");
    }

    @Test
    void aKeyIsTrustedWithItsBytesAndItsOwners() throws Exception {
        registerAndConfirm();
        Json.Obj shown =
                key.answer(
                        ask("keys", "trust", "k1", "--public", "ab".repeat(32), "--owner", "bot"));

        assertRefused(
                atPage(shown, "keys", "trust", "k1", "--public", "cd".repeat(32), "--owner", "bot"),
                "not what would be done now");
    }

    @Test
    void aWaitingKeyThatIsSwappedIsNotTheOneOfItsName() throws Exception {
        String kid = register();
        assertThat(kid).matches("you-pk-[0-9a-f]{16}");
        Path waiting = file(".passkey", "public").orElseThrow();
        String own = ((Json.Obj) Json.parse(text(waiting))).text("public");
        String other = own.substring(0, own.length() - 1) + (own.endsWith("0") ? "1" : "0");
        Files.writeString(waiting, text(waiting).replace(own, other));

        session.terminal = new Terminal(true, true, true);
        assertThat(session.rsm(List.of("keys", "trust", kid), kid + "\n").exit()).isNotZero();
        assertThat(session.rsm("keys", "list").out()).doesNotContain(kid);
    }

    @Test
    void aKeyThatIsTooLongIsRefused() throws Exception {
        key.otherKey = SoftAuthenticator.rsa(2_048);
        Ran made = atPage(key.answer(ask("keys", "passkey")), "keys", "passkey");

        assertThat(made.exit()).as(made.json().toString()).isEqualTo(2);
        assertThat(made.error().text("code")).isEqualTo("not_a_person");
        assertThat(made.message()).contains("public", "nothing was registered");
        assertThat(session.rsm("keys", "list").out()).doesNotContain("unconfirmed");
    }

    @Test
    void liftingTheFreezeAndReleasingIsOneDeed() throws Exception {
        registerAndConfirm();
        session.rsm("send", "--to", "code", "--create", "before");
        session.rsm("lock", "hive");
        session.rsm("send", "--to", "code", "under the freeze");
        Json.Obj shown = key.answer(ask("unlock", "hive", "--release"));
        session.rsm("send", "--to", "code", "one more");
        Ran changed = atPage(shown, "unlock", "hive", "--release");
        assertThat(changed.message()).contains("not what would be done now");
        assertThat(session.rsm("lock").out()).contains("hive");

        Ran lifted = confirm("unlock", "hive", "--release");

        assertThat(lifted.exit()).as(lifted.json().toString()).isZero();
        assertThat(lifted.json().list("released")).hasSize(2);
        assertThat(session.rsm("inbox", "code").out()).contains("3 waiting");
        assertThat(audit().out()).startsWith("0 violations");
    }

    @Test
    void aPersonPermitsOneContentByPasskey() throws Exception {
        registerAndConfirm();
        Files.writeString(folder.resolve("spec.md"), "old");
        Files.writeString(folder.resolve("new.md"), "new");
        session.rsm("lock", "do-not-alter", "spec.md");
        String[] words = {"override", "spec.md", "--content", "new.md", "--reason", "a typo"};
        Json.Obj shown = key.answer(ask(words));
        Files.writeString(folder.resolve("new.md"), "something else");
        assertThat(atPage(shown, words).message()).contains("not what would be done now");

        Ran given = confirm(words);

        assertThat(given.exit()).as(given.json().toString()).isZero();
        assertThat(given.json().text("proof")).startsWith("passkey ");
        assertThat(audit().out()).startsWith("0 violations");
    }

    @Test
    void anOverrideUnderASigningKeyIsNotGivenByPasskey() throws Exception {
        registerAndConfirm();
        session.rsm("keys", "new", "laptop");
        type("laptop", "keys", "trust", "laptop", "--human");
        Files.writeString(folder.resolve("new.md"), "new");
        session.rsm("lock", "do-not-alter", "spec.md");

        assertRefused(
                atPage(
                        Json.obj(),
                        "override",
                        "spec.md",
                        "--content",
                        "new.md",
                        "--reason",
                        "a typo"),
                "needs a person's key, which signs the override");
        assertThat(confirm("mute", "noisy").exit()).isZero();
    }

    @Test
    void atATerminalNoPasskeyIsMade() {
        Session.Result result = session.rsm("keys", "passkey");
        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.err()).contains("a passkey is made in a browser", "rsm board");
    }

    @Test
    void anAssertionThatALockKeptFromTheLogIsCheckedToo() throws Exception {
        registerAndConfirm();
        session.rsm("lock", "do-not-alter", ".deia/telemetry/**");
        assertThat(confirm("mute", "noisy").exit()).isZero();

        assertThat(confirm("unlock", "do-not-alter", ".deia/telemetry/**").exit()).isZero();

        assertThat(audit().out()).contains("0 violations");
        assertThat(session.rsm("log", "--type", "person_asserted").out().lines()).hasSize(2);
    }
}
