package dev.pheromone.cli.look;

import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.file.log.LogMark;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.text.MalformedJsonException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The mark of a hive's event log, kept in the user's configuration folder: an agent that may write
/// in the repository alone can't rewrite the log and the mark together.
public final class LogMarks {

    private static final int BYTES_MAX = 4096;

    /// Enough of a hash to tell the hives of one user apart.
    private static final int NAME_LENGTH = 32;

    private final Invocation call;
    private final HiveLayout layout;
    private final PolicyGuard guard;

    public LogMarks(Invocation call, HiveLayout layout, PolicyGuard guard) {
        this.call = call;
        this.layout = layout;
        this.guard = guard;
    }

    private Path file() {
        byte[] root = layout.root().toString().getBytes(StandardCharsets.UTF_8);
        return call.userFiles()
                .configFolder()
                .resolve("logs")
                .resolve(ContentHash.of(root).hex().substring(0, NAME_LENGTH) + ".json");
    }

    /// What is wrong with the log since it was marked. If nothing is, it is marked as it is now.
    public List<Finding> check() throws IOException {
        Optional<LogMark> mark = find();
        Optional<Finding> finding =
                mark.isPresent() ? mark.get().compare(layout, guard) : Optional.empty();
        if (finding.isEmpty()) {
            keep();
        }
        return finding.stream().toList();
    }

    /// Marks the log as it is now, unless it is not what it was.
    private void keep() throws IOException {
        try {
            Optional<LogMark> mark = LogMark.take(layout, guard, call.now());
            if (mark.isPresent()) {
                call.userFiles().replaceText(file(), mark.get() + "\n");
            }
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            // Nobody may write here, say. Then a rewritten log is found by what files prove alone.
        }
    }

    /// From now on nothing is known of the log.
    public void forget() throws IOException {
        Path file = file();
        String text = call.userFiles().textIfThere(file, BYTES_MAX);
        if (!text.isEmpty()) {
            call.userFiles().remove(file, "");
        }
    }

    private Optional<LogMark> find() throws IOException {
        String text = call.userFiles().textIfThere(file(), BYTES_MAX);
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(LogMark.parse(text));
        } catch (MalformedJsonException | IllegalArgumentException e) {
            call.warn(file() + ": not a mark of the event log, and replaced by a new one");
            return Optional.empty();
        }
    }
}
