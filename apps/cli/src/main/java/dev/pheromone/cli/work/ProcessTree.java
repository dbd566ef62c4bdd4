package dev.pheromone.cli.work;

import dev.pheromone.cli.frame.CommandFiles;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// All processes that one command started: its descendants, and, where the system shows the
/// environment of processes, whatever else carries the command's marks, such as what went into the
/// background and lost its parent.
final class ProcessTree {

    /// How often what was started meanwhile is looked for again.
    private static final int ROUNDS_MAX = 5;

    private static final Duration LOOK = Duration.ofMillis(20);

    /// How long the kernel may take to end what was killed.
    private static final Duration DEATH_MAX = Duration.ofSeconds(2);

    private final Optional<ProcessHandle> first;
    private final List<String> marks;
    private final Set<ProcessHandle> known = new LinkedHashSet<>();

    /// @param marks settings such as `RSM_CLAIM=…`, of which a process has all or is not ours
    ProcessTree(Optional<ProcessHandle> first, List<String> marks) {
        this.first = first;
        this.marks = List.copyOf(marks);
    }

    /// Asks all of them to end, and kills those that have not after `patience`. Returns whether
    /// there were any. To interrupt it is to have no patience.
    ///
    /// @param meanwhile done again and again while they end, such as reading what they print
    boolean end(Duration patience, Runnable meanwhile) {
        find();
        boolean any = !known.isEmpty();
        known.forEach(ProcessHandle::destroy);
        boolean interrupted = !awaitEnd(patience, meanwhile);
        for (int round = 0; round < ROUNDS_MAX; round++) {
            find();
            if (known.stream().noneMatch(ProcessHandle::isAlive)) {
                break;
            }
            known.forEach(ProcessHandle::destroyForcibly);
            interrupted |= !awaitEnd(DEATH_MAX.dividedBy(ROUNDS_MAX), meanwhile);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return any;
    }

    private void find() {
        first.ifPresent(process -> {
            // Before the process itself: without it they are nobody's descendants.
            process.descendants().forEach(known::add);
            known.add(process);
        });
        Set<ProcessHandle> spared = new LinkedHashSet<>();
        for (Optional<ProcessHandle> self = Optional.of(ProcessHandle.current());
                self.isPresent();
                self = self.get().parent()) {
            spared.add(self.get());
        }
        ProcessHandle.allProcesses()
                .filter(process -> !known.contains(process) && !spared.contains(process))
                .filter(process -> CommandFiles.environment(process).containsAll(marks))
                .forEach(known::add);
    }

    /// Whether the wait was not interrupted.
    private boolean awaitEnd(Duration patience, Runnable meanwhile) {
        long end = System.nanoTime() + patience.toNanos();
        while (System.nanoTime() < end && known.stream().anyMatch(ProcessHandle::isAlive)) {
            meanwhile.run();
            try {
                Thread.sleep(LOOK);
            } catch (InterruptedException e) {
                return false;
            }
        }
        return true;
    }
}
