package dev.pheromone.cli.mail;

import dev.pheromone.address.Actor;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.session.Session;
import dev.pheromone.session.mail.Sent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Wakes idle sessions after mail was sent, by processes of their own: that takes seconds, and the
/// sender need not wait for it. Mail that nobody was told of waits all the same.
final class WakeCalls {

    private final Invocation call;

    WakeCalls(Invocation call) {
        this.call = call;
    }

    void after(Session session, Sent sent) {
        Path launcher = call.surroundings().launcher();
        if (launcher == null) {
            return;
        }
        try {
            for (Actor actor : session.toWake(sent)) {
                start(launcher, actor);
            }
        } catch (IOException | RuntimeException e) {
            // The mail is sent, and that is what counts.
        }
    }

    private void start(Path launcher, Actor actor) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(
                        List.of(
                                launcher.toString(),
                                "--root",
                                TypedHive.find(call).root().toString(),
                                "wake",
                                actor.name(),
                                "--quiet"));
        builder.environment().clear();
        builder.environment().putAll(call.surroundings().env());
        Process process =
                builder.directory(call.userFiles().asFolder(call.surroundings().cwd()))
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        process.getOutputStream().close();
    }
}
