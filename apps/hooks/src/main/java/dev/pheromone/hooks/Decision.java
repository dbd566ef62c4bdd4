package dev.pheromone.hooks;

import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;

import java.util.List;

/// Whether a tool call may go on. There is no third: what can't be told is blocked while a lock
/// exists.
public sealed interface Decision {

    /// Nothing stands against it.
    ///
    /// @param overridden what people have permitted in spite of a lock, and this call makes use of
    record Free(List<PermittedWrite> overridden) implements Decision {
        public Free {
            overridden = List.copyOf(overridden);
        }
    }

    /// The reason is one line, without control characters, for whoever made the call.
    ///
    /// @param lock what stands against it
    /// @param path what was to be touched, as far as it can be told
    record Blocked(String reason, Lock lock, String path) implements Decision {

        /// Blocked because nobody can tell what is locked.
        public static Blocked uncertain(String reason) {
            return Judge.blocked(reason, new Lock(LockKind.DNR, "**", "uncertain", ".deia"), "**");
        }
    }

    Decision FREE = new Free(List.of());
}
