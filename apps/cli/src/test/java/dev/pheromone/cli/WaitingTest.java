package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.frame.Terminal;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Commands that wait for what another process does; here two threads, under the real clock.
@Timeout(60)
class WaitingTest {

    @TempDir Path folder;

    private final AnswerSchemas schemas = new AnswerSchemas();

    WaitingTest() throws IOException {}

    @BeforeEach
    void makeHive() {
        assertThat(as("you").run("init")).isZero();
        assertThat(as("claude").run("send", "--to", "docs", "so that claude has an inbox"))
                .isZero();
    }

    /// One actor at work, under the real clock.
    private final class Desk {
        private final String actor;
        final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Desk(String actor) {
            this.actor = actor;
        }

        int run(String... words) {
            return new Rsm(
                            new Surroundings(
                                    Map.of("RSM_ACTOR", actor),
                                    folder,
                                    folder,
                                    "you",
                                    java.io.InputStream.nullInputStream(),
                                    out,
                                    OutputStream.nullOutputStream(),
                                    InstantSource.system(),
                                    Terminal.NONE,
                                    null))
                    .run(List.of(words));
        }

        CompletableFuture<Integer> start(String... words) {
            return CompletableFuture.supplyAsync(() -> run(words));
        }

        String printed() {
            return out.toString(StandardCharsets.UTF_8);
        }
    }

    private Desk as(String actor) {
        return new Desk(actor);
    }

    private static int exit(CompletableFuture<Integer> run) throws Exception {
        return run.get(30, TimeUnit.SECONDS);
    }

    @Test
    void selectWakesWhenSomethingComes() throws Exception {
        Desk claude = as("claude");
        CompletableFuture<Integer> select =
                claude.start("select", "code", "--wait", "30s", "--json");
        assertThat(as("you").run("send", "--to", "code", "wake up")).isZero();
        assertThat(exit(select)).isZero();
        assertThat(AnswerSchemas.field(claude.printed(), "topic")).isEqualTo("wake up");
    }

    @Test
    void selectGivesUpWhenTheWaitRunsOut() {
        Desk claude = as("claude");
        assertThat(claude.run("select", "code", "--wait", "1s", "--json")).isEqualTo(4);
        assertThat(claude.printed()).contains("nothing to take at queen://code within 1s");
    }

    @Test
    void aSenderWaitsUntilItsMailIsTaken() throws Exception {
        Desk you = as("you");
        CompletableFuture<Integer> sent =
                you.start(
                        "send", "--to", "code", "--wait-for", "taken=30s", "--json", "please look");
        assertThat(sent).isNotDone();
        Desk claude = as("claude");
        assertThat(claude.run("select", "code", "--wait", "30s", "-q")).isZero();
        assertThat(exit(sent)).isZero();
        assertThat(schemas.problems("send", you.printed())).isEmpty();
        assertThat(you.printed()).contains("\"leg\":\"taken\"");
    }

    @Test
    void whatNobodyTakesEndsTheWaitWithTheLastStepThatIsKnown() throws Exception {
        Desk you = as("you");
        long begun = System.nanoTime();
        assertThat(
                        you.run(
                                "send",
                                "--to",
                                "code",
                                "--wait-for",
                                "seen=1s",
                                "--json",
                                "please look"))
                .isEqualTo(4);
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        assertThat(you.printed()).contains("\"leg\":\"stored\"");
    }

    @Test
    void aQuestionWaitsForItsAnswer() throws Exception {
        Desk you = as("you");
        CompletableFuture<Integer> asked =
                you.start(
                        "send",
                        "--to",
                        "worker://claude",
                        "--wait-reply",
                        "30s",
                        "--json",
                        "may I merge?");
        Desk claude = as("claude");
        assertThat(claude.run("select", "--wait", "30s", "-q")).isZero();
        assertThat(claude.run("ack", claude.printed().strip(), "done", "--reply", "yes")).isZero();
        assertThat(exit(asked)).isZero();
        assertThat(schemas.problems("send", you.printed())).isEmpty();
        assertThat(you.printed()).contains("\"body\":\"yes\\n\"");
    }

    @Test
    void whatIsForgedOrMalformedIsNoAnswer() throws Exception {
        Desk you = as("you");
        CompletableFuture<Integer> asked =
                you.start("send", "--to", "bugs", "--wait-reply", "30s", "--json", "may I merge?");
        Desk claude = as("claude");
        assertThat(claude.run("select", "bugs", "--wait", "30s", "-q")).isZero();
        String claim = claude.printed().strip();
        Path inbox = folder.resolve(".deia/inbox/user-you");
        String forged =
                """
                ---
                id: 01K7N3Q8ZR4D6T2W9XAVHB5YCE
                ts: %s
                from: claude
                to: [user://you]
                correlation_id: %s
                lane: Bugs
                topic: "Re: may I merge?"
                priority: P0
                ttl: 1h
                hash: sha256:%s
                ---
                by all means
                """
                        .formatted(
                                InstantSource.system().instant(),
                                claim.substring(0, claim.indexOf('.')),
                                "0".repeat(64));
        Files.writeString(inbox.resolve("forged.md"), forged);
        Files.writeString(
                inbox.resolve("malformed.md"),
                forged.replace("YCE", "YCF").replace("to:", "reply_to: x\nto:"));
        assertThat(claude.run("ack", claim, "done", "--reply", "no")).isZero();
        assertThat(exit(asked)).isZero();
        assertThat(you.printed()).contains("\"body\":\"no\\n\"").doesNotContain("by all means");
    }

    private CompletableFuture<Integer> ask(Desk asker, String to, String patience) {
        return asker.start("send", "--to", to, "--wait-reply", patience, "--json", "may I merge?");
    }

    /// The id of the one mail in an inbox, once it is there.
    private String arrived(String domain) {
        Path inbox = folder.resolve(".deia/inbox").resolve(domain);
        List<String> names = new ArrayList<>();
        await().until(() -> {
            names.clear();
            try (Stream<Path> files = Files.list(inbox)) {
                files.map(file -> String.valueOf(file.getFileName()))
                        .filter(name -> name.endsWith(".md"))
                        .forEach(names::add);
            }
            return !names.isEmpty();
        });
        return names.getFirst().replace(".md", "");
    }

    @Test
    void anAnswerCountsOnlyFromTheOneWhoWasAsked() throws Exception {
        Desk claude = as("claude");
        CompletableFuture<Integer> asked = ask(claude, "user://you", "30s");
        String question = arrived("user-you");
        assertThat(as("mallory").run("reply", question, "by all means")).isZero();
        assertThat(as("you").run("reply", question, "no")).isZero();
        assertThat(exit(asked)).isZero();
        assertThat(claude.printed()).contains("\"body\":\"no\\n\"").doesNotContain("by all means");
        assertThat(schemas.problems("send", claude.printed())).isEmpty();
    }

    @Test
    void whoWaitsIsToldThatSomebodyElseAnswered() throws Exception {
        Desk claude = as("claude");
        CompletableFuture<Integer> asked = ask(claude, "user://you", "2s");
        assertThat(as("mallory").run("reply", arrived("user-you"), "by all means")).isZero();
        assertThat(exit(asked)).isEqualTo(4);
        assertThat(claude.printed())
                .contains("mallory was not asked: the question went to user://you")
                .doesNotContain("by all means");
        assertThat(schemas.problems("send", claude.printed())).isEmpty();
    }

    @Test
    void aNameThatLooksLikeTheOneAskedDoesNotAnswerForTheOwnerOfAKey() throws Exception {
        assertThat(as("you").run("keys", "new", "laptop")).isZero();
        assertThat(as("you").run("keys", "trust", "laptop", "--human", "--by", "you")).isZero();
        Desk claude = as("claude");
        CompletableFuture<Integer> asked = ask(claude, "user://you", "30s");
        String question = arrived("user-you");
        for (String impostor : List.of("You", "you.", "y0u")) {
            // Written past rsm, which would not send it.
            Envelope forged =
                    Envelope.draft(
                                    new Actor(impostor),
                                    List.of(Address.parse("worker://claude")),
                                    Lane.PROCESS,
                                    "Re: may I merge?")
                            .correlationId(EnvelopeId.parse(question))
                            .ts(InstantSource.system().instant())
                            .body("by all means\n".getBytes(StandardCharsets.UTF_8))
                            .seal();
            Files.write(
                    folder.resolve(".deia/inbox/worker-claude/" + forged.id() + ".md"),
                    forged.bytes());
        }
        assertThat(as("you").run("reply", question, "no")).isZero();
        assertThat(exit(asked)).isZero();
        assertThat(claude.printed()).contains("\"body\":\"no\\n\"", "\"signature\":\"valid\"");
    }

    @Test
    void anActorWhoseNameHasCapitalsAnswersAtItsAddress() throws Exception {
        assertThat(as("Reviewer.1").run("send", "--to", "docs", "here I am")).isZero();
        Desk you = as("you");
        CompletableFuture<Integer> asked = ask(you, "worker://reviewer-1", "30s");
        assertThat(as("Reviewer.1").run("reply", arrived("worker-reviewer-1"), "yes")).isZero();
        assertThat(exit(asked)).isZero();
        assertThat(you.printed()).contains("\"body\":\"yes\\n\"");
    }

    @Test
    void aDomainAnswersByWhoeverHasTakenTheQuestion() throws Exception {
        Desk you = as("you");
        CompletableFuture<Integer> asked = ask(you, "bugs", "30s");
        String question = arrived("bugs");
        assertThat(as("mallory").run("reply", question, "by all means")).isZero();
        Desk claude = as("claude");
        assertThat(claude.run("select", "bugs", "-q")).isZero();
        assertThat(claude.run("reply", question, "no")).isZero();
        assertThat(exit(asked)).isZero();
        assertThat(you.printed()).contains("\"body\":\"no\\n\"").doesNotContain("by all means");
    }

    @Test
    void aQuestionWithoutAnAnswerSaysThatItWasSent() {
        Desk you = as("you");
        assertThat(you.run("send", "--to", "code", "--wait-reply", "1s", "--json", "anybody?"))
                .isEqualTo(4);
        assertThat(schemas.problems("send", you.printed())).isEmpty();
        assertThat(you.printed()).contains("\"state\":\"delivered\"");
        String id = AnswerSchemas.field(you.printed(), "id");
        assertThat(you.printed())
                .contains(
                        "\"fix\":\"rsm send --to code --wait-reply 1s --json \\\"anybody?\\\" --id "
                                + id);
    }

    private CompletableFuture<Integer> question(Desk asker, String to, String... more) {
        List<String> words =
                new ArrayList<>(
                        List.of(
                                "ask",
                                to,
                                "--choice",
                                "yes",
                                "--choice",
                                "no",
                                "may I?",
                                "--json"));
        words.addAll(List.of(more));
        return asker.start(words.toArray(String[]::new));
    }

    @Test
    void theAnswerEndsTheQuestionAndIsDoneOnceItsAskerHasIt() throws Exception {
        Desk claude = as("claude");
        CompletableFuture<Integer> asked = question(claude, "user://you", "--wait", "30s");
        String question = arrived("user-you");
        assertThat(as("you").run("reply", question, "No", "--json")).isZero();
        assertThat(exit(asked)).isZero();
        assertThat(schemas.problems("ask", claude.printed())).isEmpty();
        assertThat(claude.printed())
                .contains(
                        "\"state\":\"answered\"",
                        "\"answer\":\"no\"",
                        "\"by\":\"you\"",
                        "\"proof\":\"unproven\"");
        Desk inbox = as("claude");
        assertThat(inbox.run("inbox", "--json")).isZero();
        assertThat(inbox.printed()).contains("\"count\":0");
        Desk again = as("claude");
        assertThat(again.run("ask", "--status", question, "--wait", "1s", "-q")).isZero();
        assertThat(again.printed()).isEqualTo("no\n");
    }

    @Test
    void aSignedAnswerIsProvenAndNobodyElseAnswersInItsName() throws Exception {
        assertThat(as("you").run("keys", "new", "laptop")).isZero();
        assertThat(as("you").run("keys", "trust", "laptop", "--human", "--by", "you")).isZero();
        Desk claude = as("claude");
        CompletableFuture<Integer> asked = question(claude, "user://you", "--wait", "30s");
        String question = arrived("user-you");
        // Written past rsm, which would sign it.
        Envelope forged =
                Envelope.draft(
                                new Actor("you"),
                                List.of(Address.parse("worker://claude")),
                                Lane.PROCESS,
                                "Re: may I?")
                        .correlationId(EnvelopeId.parse(question))
                        .answer("yes")
                        .ts(InstantSource.system().instant())
                        .body("yes\n")
                        .seal();
        Files.write(
                folder.resolve(".deia/inbox/worker-claude/" + forged.id() + ".md"), forged.bytes());
        assertThat(as("you").run("reply", question, "no")).isZero();
        assertThat(exit(asked)).isZero();
        assertThat(claude.printed())
                .contains(
                        "\"answer\":\"no\"",
                        "\"proof\":\"key\"",
                        "no signature, but you has key laptop");
    }

    @Test
    void whenTheDeadlineComesTheDefaultHoldsAndTheWaitEnds() throws Exception {
        Desk claude = as("claude");
        assertThat(
                        exit(
                                question(
                                        claude,
                                        "user://you",
                                        "--default",
                                        "no",
                                        "--deadline",
                                        "1s",
                                        "--wait",
                                        "30s")))
                .isZero();
        assertThat(claude.printed())
                .contains("\"state\":\"defaulted\"", "\"answer\":\"no\"")
                .doesNotContain("\"by\"");
        assertThat(schemas.problems("ask", claude.printed())).isEmpty();
        Desk late = as("you");
        assertThat(late.run("reply", AnswerSchemas.field(claude.printed(), "id"), "yes", "--json"))
                .isZero();
        assertThat(schemas.problems("reply", late.printed())).isEmpty();
        assertThat(late.printed())
                .contains(
                        "\"counts\":false",
                        "\"reason\":\"the question had ended by then\"",
                        "\"state\":\"defaulted\"");
    }

    @Test
    void aWaitThatRunsOutSaysHowToWaitOn() throws Exception {
        Desk claude = as("claude");
        assertThat(exit(question(claude, "user://you", "--wait", "1s"))).isEqualTo(4);
        assertThat(schemas.problems("ask", claude.printed())).isEmpty();
        String id = AnswerSchemas.field(claude.printed(), "id");
        assertThat(claude.printed())
                .contains(
                        "\"state\":\"open\"",
                        "\"fix\":\"rsm ask --status "
                                + EnvelopeId.parse(id).shortForm()
                                + " --wait 1s\"");
        assertThat(as("you").run("reply", id, "yes")).isZero();
        Desk again = as("claude");
        assertThat(again.run("ask", "--status", id, "--wait", "30s", "-q")).isZero();
        assertThat(again.printed()).isEqualTo("yes\n");
    }

    @Test
    void sendWithChoicesIsTheShortForm() throws Exception {
        Desk claude = as("claude");
        CompletableFuture<Integer> asked =
                claude.start(
                        "send",
                        "--to",
                        "user://you",
                        "--choice",
                        "yes",
                        "--choice",
                        "no",
                        "--wait-reply",
                        "30s",
                        "--json",
                        "may I?");
        String question = arrived("user-you");
        assertThat(as("mallory").run("reply", question, "yes")).isZero();
        assertThat(as("you").run("reply", question, "no")).isZero();
        assertThat(exit(asked)).isZero();
        assertThat(schemas.problems("send", claude.printed())).isEmpty();
        assertThat(claude.printed())
                .contains("\"answer\":\"no\"", "\"by\":\"you\"", "\"body\":\"no\\n\"")
                .contains("mallory was not asked");
    }

    @Test
    void whatBecameOfAQuestionIsToldOnceHoweverManyLook() throws Exception {
        Desk claude = as("claude");
        assertThat(exit(question(claude, "user://you"))).isZero();
        String id = AnswerSchemas.field(claude.printed(), "id");
        // Past rsm, so that nobody has told of the answer when all look at once.
        Envelope answer =
                Envelope.draft(
                                new Actor("you"),
                                List.of(Address.parse("worker://claude")),
                                Lane.PROCESS,
                                "Re: may I?")
                        .correlationId(EnvelopeId.parse(id))
                        .answer("yes")
                        .ts(InstantSource.system().instant())
                        .body("yes\n")
                        .seal();
        Files.write(
                folder.resolve(".deia/inbox/worker-claude/" + answer.id() + ".md"), answer.bytes());
        List<CompletableFuture<Integer>> looks = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            looks.add(as("claude").start("ask", "--status", id, "-q"));
        }
        for (CompletableFuture<Integer> look : looks) {
            assertThat(exit(look)).isZero();
        }
        String log = Files.readString(folder.resolve(".deia/telemetry/rse.jsonl"));
        assertThat(log.lines().filter(line -> line.contains("question_asked"))).hasSize(1);
        assertThat(log.lines().filter(line -> line.contains("question_answered"))).hasSize(1);
    }

    @Test
    void watchShowsWhatArrivesAndTakesNothing() throws Exception {
        Desk watcher = as("bob");
        CompletableFuture<Integer> watch =
                watcher.start("watch", "--once", "--after", "0", "--json", "code", "bugs");
        assertThat(as("you").run("send", "--to", "bugs", "a bug")).isZero();
        assertThat(exit(watch)).isZero();
        assertThat(schemas.problems("watch", watcher.printed())).isEmpty();
        assertThat(AnswerSchemas.field(watcher.printed(), "topic")).isEqualTo("a bug");
        assertThat(as("claude").run("select", "bugs")).isZero();
    }

    @Test
    void aWatchThatEndedLooksAtNothingAnyMore() throws IOException {
        for (int round = 0; round < 20; round++) {
            Path hive = Files.createDirectory(folder.resolve("round-" + round));
            assertThat(as("you").run("--root", hive.toString(), "init")).isZero();
            assertThat(as("you").run("--root", hive.toString(), "send", "--to", "bugs", "a bug"))
                    .isZero();
            assertThat(
                            as("bob")
                                    .run(
                                            "--root",
                                            hive.toString(),
                                            "watch",
                                            "--once",
                                            "--after",
                                            "0",
                                            "bugs",
                                            "code",
                                            "docs",
                                            "ops"))
                    .isZero();
            removeAtOnce(hive);
        }
    }

    /// In one go: fails if anybody makes a file while this goes on.
    private static void removeAtOnce(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
        assertThat(folder).doesNotExist();
    }

    @Test
    void watchRunsACommandForEach() throws Exception {
        Path told = folder.resolve("told");
        CompletableFuture<Integer> watch =
                as("bob")
                        .start(
                                "watch",
                                "code",
                                "--once",
                                "--after",
                                "0",
                                "--exec",
                                "echo \"$RSM_TOPIC from $RSM_FROM\" > '" + told + "'");
        assertThat(as("you").run("send", "--to", "code", "please look")).isZero();
        assertThat(exit(watch)).isZero();
        assertThat(told).hasContent("please look from you");
    }

    @Test
    void aFollowedLogGoesOn() {
        Desk reader = as("bob");
        Thread follow =
                Thread.ofPlatform()
                        .start(() ->
                                reader.run(
                                        "log", "--follow", "--json", "--type", "pheromone_drop"));
        assertThat(as("you").run("drop", "main is red")).isZero();
        await().atMost(30, TimeUnit.SECONDS).until(() -> reader.printed().contains("main is red"));
        follow.interrupt();
        await().atMost(30, TimeUnit.SECONDS).until(() -> !follow.isAlive());
        assertThat(schemas.problems("log", reader.printed())).isEmpty();
    }
}
