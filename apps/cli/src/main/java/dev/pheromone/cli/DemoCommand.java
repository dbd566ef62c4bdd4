package dev.pheromone.cli;

import dev.pheromone.cli.args.CommandLine;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Exit;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.frame.Terminal;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.text.Json;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// `rsm demo`: a guided tour, with real commands in a hive of its own.
final class DemoCommand implements Command {

    private static final String NURSE = "claude-7f3a";
    private static final String FORAGER = "codex-19be";

    @Override
    public Spec spec() {
        return Spec.of(
                        "demo",
                        Group.HUMANS,
                        "shows in a few seconds what this is, in a temporary hive")
                .opt(Opt.flag("keep", "keep the hive, to look around in it"))
                .example(
                        "rsm demo",
                        "a signal, mail, two agents of which one dies, a freeze, and nothing is"
                                + " lost")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        Path folder = call.userFiles().temporaryFolder();
        try {
            Tour tour = new Tour(call, folder);
            tour.play();
            return new Toured(tour.commands, call.args().has("keep") ? folder.toString() : "");
        } finally {
            if (!call.args().has("keep")) {
                call.userFiles().removeTemporary(folder);
            }
        }
    }

    /// The tour while it is being played.
    private static final class Tour {
        private final Invocation call;
        private final Screen screen;
        private final Path folder;
        private final List<String> commands = new ArrayList<>();
        private Duration ahead = Duration.ZERO;

        Tour(Invocation call, Path folder) {
            this.call = call;
            this.screen = call.screen();
            this.folder = folder;
        }

        void play() {
            say("A hive is a folder of plain files in your repository. You make one:");
            run("you", "init");
            say("You leave a signal. It fades by itself; whoever cares, senses it:");
            run("you", "drop", "main is red", "--lane", "Bugs", "--priority", "P1");
            run(NURSE, "sense");
            say("You send mail to whoever works on code. When it says sent, it is on the disk:");
            run(
                    "you",
                    "send",
                    "--to",
                    "code",
                    "--priority",
                    "P1",
                    "please find out why main is red");
            run(NURSE, "inbox", "code");
            say("An agent takes it. It belongs to that agent now, until its lease ends:");
            run(NURSE, "select", "code", "--lease", "10m");
            say(
                    "Then the agent dies, without a word. When the lease is over, the mail is back,"
                            + " for a short pause:");
            ahead = ahead.plus(Duration.ofMinutes(11));
            run(Exit.NOTHING, FORAGER, "select", "code");
            say(
                    "A minute later a second agent gets it. Nothing was lost: it is the same"
                            + " envelope, in its second attempt:");
            ahead = ahead.plus(Duration.ofMinutes(1));
            String claim = claimIn(run(FORAGER, "select", "code"));
            say("It does the work, and answers:");
            run(
                    FORAGER,
                    "ack",
                    claim,
                    "done",
                    "--reply",
                    "a test used the local time zone; fixed in 4f2c1ab");
            say(
                    "You freeze the hive for a release. When this returns, nobody touches it any"
                            + " more:");
            run("you", "lock", "hive", "--reason", "release freeze");
            say("An agent that sends now is told to wait, and its mail is kept:");
            run(Exit.WITHHELD, NURSE, "send", "--to", "code", "the fix needs a test");
            say("You lift the freeze, and what waited goes to its place, once:");
            run("you", "unlock", "hive", "--release", "--by", "you");
            say("And every step was written down:");
            run("you", "trace", claim);
            say("The answer is in your inbox:");
            // The file is as young as it is: under our own clock it would look old.
            ahead = Duration.ZERO;
            run("you", "inbox");
        }

        private void say(String text) {
            commands.add("# " + text);
            if (!call.wantsJson()) {
                screen.blank();
                screen.line(screen.styled(Style.BOLD, text));
            }
        }

        private String run(String actor, String... words) {
            return run(Exit.DONE, actor, words);
        }

        /// Runs a command in the name of `actor`, shows both, and returns what it printed.
        private String run(Exit expected, String actor, String... words) {
            CommandLine line = new CommandLine(List.of(words));
            commands.add(line.toString());
            if (!call.wantsJson()) {
                screen.line(screen.styled(Style.DIM, actor + " $ ") + line);
                screen.flush();
            }
            ByteArrayOutputStream printed = new ByteArrayOutputStream();
            int exit = new Rsm(surroundings(actor, printed)).run(line.words());
            String text = printed.toString(StandardCharsets.UTF_8);
            if (!call.wantsJson()) {
                screen.text(text);
                screen.flush();
            }
            if (exit != expected.code()) {
                throw new CliException(
                        ErrorCode.INTERNAL,
                        "the tour ends here: " + line + " ended with exit " + exit);
            }
            return text;
        }

        /// The claim in what `select` told to type next.
        private static String claimIn(String text) {
            String before = "rsm ack ";
            int start = text.lastIndexOf(before) + before.length();
            return text.substring(start, text.indexOf(' ', start));
        }

        private Surroundings surroundings(String actor, ByteArrayOutputStream printed) {
            Surroundings real = call.surroundings();
            Map<String, String> env = new HashMap<>();
            env.put("RSM_ACTOR", actor);
            String columns = real.variable("COLUMNS");
            if (columns != null) {
                env.put("COLUMNS", columns);
            }
            InstantSource clock = () -> real.clock().instant().plus(ahead);
            return new Surroundings(
                    env,
                    folder,
                    folder,
                    "you",
                    real.in(),
                    printed,
                    printed,
                    clock,
                    Terminal.NONE,
                    null);
        }
    }

    private record Toured(List<String> commands, String folder) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj()
                    .putTexts("commands", commands)
                    .putIfPresent("folder", folder.isEmpty() ? null : folder);
        }

        @Override
        public void show(Screen screen) {
            screen.blank();
            screen.line(
                    folder.isEmpty()
                            ? "That is all. In your own repository:  rsm init"
                            : "That is all. The hive is in "
                                    + folder
                                    + "; look around with  rsm --root "
                                    + folder
                                    + " status");
        }
    }
}
