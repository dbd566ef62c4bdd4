package dev.pheromone.cli.frame;

import dev.pheromone.session.hive.OpenHive;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/// A hive for commands that can do without one.
public final class OptionalHive implements AutoCloseable {

    private final @Nullable OpenHive hive;
    private final @Nullable CliException reason;

    private OptionalHive(@Nullable OpenHive hive, @Nullable CliException reason) {
        this.hive = hive;
        this.reason = reason;
    }

    public static OptionalHive of(Invocation call) throws IOException {
        try {
            return new OptionalHive(TypedHive.open(call), null);
        } catch (CliException e) {
            // A hive that was named must be there; and one that is locked or broken is not the same
            // as none.
            if (e.code() != ErrorCode.NO_HIVE || call.namedRoot() != null) {
                throw e;
            }
            return new OptionalHive(null, e);
        }
    }

    public boolean isThere() {
        return hive != null;
    }

    /// The hive; fails as opening it failed.
    public OpenHive required() {
        if (hive == null) {
            throw reason == null ? new IllegalStateException("no hive and no reason") : reason;
        }
        return hive;
    }

    @Override
    public void close() {
        if (hive != null) {
            hive.close();
        }
    }
}
