package dev.pheromone.cli.agent;

import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.session.seat.Waking;

import java.nio.file.Path;
import java.util.List;

/// Which files a process has open, where the system shows that in `/proc`.
public final class OpenFiles implements Waking.Holders {

    private static final int FILES_MAX = 10_000;

    private final Invocation call;

    public OpenFiles(Invocation call) {
        this.call = call;
    }

    @Override
    public boolean mayHold(long pid, String file) {
        Path folder = Path.of("/proc", String.valueOf(pid), "fd");
        List<String> open = call.userFiles().names(folder, FILES_MAX);
        if (open.isEmpty()) {
            // It is another user's, or the system does not tell.
            return true;
        }
        Path wanted = call.userFiles().real(Path.of(file));
        for (String one : open) {
            if (call.userFiles().real(folder.resolve(one)).equals(wanted)) {
                return true;
            }
        }
        return false;
    }
}
