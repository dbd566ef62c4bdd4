package dev.pheromone.cli.home;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HivePlace;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.look.LogMarks;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.file.setup.HiveSetup;
import dev.pheromone.file.setup.HiveSetup.OnUnfitVolume;
import dev.pheromone.file.setup.SetupRefusedException;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.OwnAddress;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.nio.file.Path;

/// `rsm init`: makes a hive, or completes one.
public final class InitCommand implements Command {

    @Override
    public Spec spec() {
        return Spec.of("init", Group.OPERATORS, "makes a hive here")
                .optional("DIR", "the folder, usually a repository; else this one")
                .opt(
                        Opt.flag(
                                "force",
                                "even on a network disk or in a synced folder, where mail may get"
                                        + " lost"))
                .note(
                        "It makes .deia and .embargo, and touches no file of yours: both tell git"
                                + " themselves what to keep. What is there already stays.")
                .example("rsm init", "makes a hive in this folder")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        String typed = call.args().operand(0);
        Path named = call.namedRoot();
        Path folder =
                typed != null
                        ? call.userFiles().resolve(typed)
                        : named != null ? named : call.surroundings().cwd();
        new HivePlace(call).require(call.surroundings().cwd().resolve(folder).normalize());
        OnUnfitVolume choice =
                call.args().has("force") ? OnUnfitVolume.ACCEPT : OnUnfitVolume.REFUSE;
        try {
            HiveSetup.Done done = HiveSetup.init(folder, OwnAddress.of(call, _ -> false), choice);
            if (done.made().contains(HiveLayout.HIVE_FOLDER + "/")) {
                // A mark of an earlier hive in this place says nothing about the log of this one.
                new LogMarks(call, done.layout(), OpenHive.guard(call, done.layout())).forget();
            }
            for (Finding finding : done.findings()) {
                if (finding.severity() == Finding.Severity.NOTE) {
                    continue;
                }
                call.warn(DoctorCommand.text(finding));
            }
            return new Made(done);
        } catch (SetupRefusedException e) {
            throw new CliException(ErrorCode.UNFIT_PLACE, String.valueOf(e.getMessage()), e)
                    .hint(e.hint());
        }
    }

    private record Made(HiveSetup.Done done) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj()
                    .put("root", done.layout().root().toString())
                    .putTexts("made", done.made());
        }

        @Override
        public void show(Screen screen) {
            String root = SafeText.line(done.layout().root().toString());
            screen.line(
                    done.made().isEmpty()
                            ? "the hive in " + root + " is complete already"
                            : "made a hive in " + root);
            screen.line("next:  rsm send --to code \"please review the parser\"");
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.line(done.layout().root().toString());
        }
    }
}
