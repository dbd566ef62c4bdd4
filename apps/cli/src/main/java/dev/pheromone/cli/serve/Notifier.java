package dev.pheromone.cli.serve;

import dev.pheromone.cli.args.ShellWords;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.PersonsWord;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.envelope.Header;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.mail.Notices;
import dev.pheromone.session.passkey.Deed;
import dev.pheromone.text.IsoTime;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Runs the command that tells people of their mail, where `hive.yaml` names one and a person on
/// this machine has let it.
final class Notifier {

    /// To show a line takes a moment; what takes longer keeps the hive from being kept in order.
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Invocation call;
    private final OpenHive hive;
    private final Notices notices;
    private boolean isRefused;
    private @Nullable String trouble;

    Notifier(Invocation call, OpenHive hive) {
        this.call = call;
        this.hive = hive;
        this.notices = new Notices(call, hive);
    }

    /// Lets the command run, if a person says so.
    void trust() throws IOException {
        if (notices.command().isEmpty()) {
            call.note("hive.yaml names no command in notify, and so there is none to trust");
        } else if (!notices.isApproved()) {
            call.note("hive.yaml wants to run: " + told());
            notices.approve(
                    PersonsWord.ask(
                            call,
                            hive,
                            Deed.of("notify", told(), "letting rsm run the command of notify"),
                            "trust"));
        }
    }

    private String told() {
        return SafeText.line(ShellWords.join(notices.command()));
    }

    /// Tells what there is to tell now.
    void round() throws IOException, InterruptedException {
        if (notices.command().isEmpty() || isRefused) {
            return;
        }
        if (!notices.isApproved()) {
            isRefused = true;
            call.note(
                    "nobody is told of mail: the command of notify in hive.yaml is not approved on"
                            + " this machine: "
                            + told()
                            + "; to let it run:  rsm up --trust-notify");
            return;
        }
        for (Notices.Notice notice : notices.due()) {
            tell(run(notice));
        }
        notices.done();
    }

    /// What went wrong; null if nothing did.
    private @Nullable String run(Notices.Notice notice) throws InterruptedException {
        List<String> words = notices.command();
        ProcessBuilder builder =
                new ProcessBuilder(words)
                        .directory(call.userFiles().asFolder(hive.layout().root()))
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD);
        Header first = notice.first();
        Map<String, String> env = builder.environment();
        env.put("RSM_TO", notice.to().toString());
        env.put("RSM_WHY", notice.stage().toString());
        env.put("RSM_COUNT", String.valueOf(notice.count()));
        env.put("RSM_ID", first.id().text());
        env.put("RSM_FROM", first.from().name());
        env.put("RSM_PRIORITY", first.priority().name());
        env.put("RSM_TOPIC", first.topic());
        env.put("RSM_EXPIRES_AT", IsoTime.format(first.expiresAt()));
        if (first.question()) {
            env.put("RSM_DEADLINE", IsoTime.format(notice.endsAt()));
        }
        env.put("RSM_ROOT", hive.layout().root().toString());
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                return "it took longer than " + PATIENCE.toSeconds() + " s";
            }
            return process.exitValue() == 0 ? null : "exit " + process.exitValue();
        } catch (IOException e) {
            return FileProblem.describe(e);
        }
    }

    /// A command that fails will fail again: that is told once.
    private void tell(@Nullable String problem) {
        if (problem != null && !problem.equals(trouble)) {
            call.note("notify: " + told() + ": " + SafeText.line(problem));
        }
        trouble = problem;
    }
}
