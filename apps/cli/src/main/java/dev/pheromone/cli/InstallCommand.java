package dev.pheromone.cli;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.frame.UserFiles;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// `rsm install`: puts a link to the launcher where the shell finds it, and teaches the shells to
/// complete.
final class InstallCommand implements Command {

    @Override
    public Spec spec() {
        return Spec.of(
                        "install",
                        Group.OPERATORS,
                        "links rsm into your bin folder, with shell completion")
                .opt(Opt.value("dir", "DIR", "the folder for the link; else ~/.local/bin"))
                .note(
                        "It needs no rights and edits no file of yours. Completion works in new"
                            + " bash and fish shells; zsh needs the folder in its fpath. To undo"
                            + " it, remove the files that it names.")
                .example("./rsm install", "from a checkout: then rsm works in every folder")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        Surroundings surroundings = call.surroundings();
        Path launcher = surroundings.launcher();
        if (launcher == null) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "found no launcher to link to, expected to be started by ./rsm")
                    .hint("in a checkout of the project:")
                    .fix("./rsm install");
        }
        UserFiles files = call.userFiles();
        String typed = call.args().value("dir");
        Path folder =
                typed == null ? surroundings.home().resolve(".local/bin") : files.resolve(typed);
        Path link = folder.resolve("rsm");
        List<String> made = new ArrayList<>();
        if (!files.link(link, launcher)) {
            throw new CliException(
                            ErrorCode.CONFLICT,
                            link + " exists already, and is not a link to " + launcher)
                    .hint("move it away, or choose another folder with --dir");
        }
        made.add(link.toString());
        for (Completion completion : completions(surroundings)) {
            String script = CompletionCommand.script(completion.shell());
            if (files.writeMarked(completion.file(), script, CompletionCommand.MARK)) {
                made.add(completion.file().toString());
            } else {
                call.warn(completion.file() + " is not of rsm's making, and was left as it is");
            }
        }
        return new Installed(link, isOnPath(surroundings, folder), made);
    }

    /// Where a shell looks for its completions.
    private record Completion(String shell, Path file) {}

    private static List<Completion> completions(Surroundings surroundings) {
        Path data = base(surroundings, "XDG_DATA_HOME", ".local/share");
        Path config = base(surroundings, "XDG_CONFIG_HOME", ".config");
        return List.of(
                new Completion("bash", data.resolve("bash-completion/completions/rsm")),
                new Completion("zsh", data.resolve("zsh/site-functions/_rsm")),
                new Completion("fish", config.resolve("fish/completions/rsm.fish")));
    }

    private static Path base(Surroundings surroundings, String variable, String otherwise) {
        String value = surroundings.variable(variable);
        return value != null && Path.of(value).isAbsolute()
                ? Path.of(value)
                : surroundings.home().resolve(otherwise);
    }

    private static boolean isOnPath(Surroundings surroundings, Path folder) {
        String path = surroundings.variable("PATH");
        return path != null && List.of(path.split(":", -1)).contains(folder.toString());
    }

    private record Installed(Path link, boolean onPath, List<String> made) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj()
                    .put("link", link.toString())
                    .put("on_path", onPath)
                    .putTexts("made", made);
        }

        @Override
        public void show(Screen screen) {
            made.forEach(file -> screen.line("made " + SafeText.line(file)));
            if (!onPath) {
                screen.line(
                        "next:  export PATH=\""
                                + SafeText.line(String.valueOf(link.getParent()))
                                + ":$PATH\"   (your PATH does not have that folder)");
            }
        }
    }
}
