package dev.pheromone.cli;

import dev.pheromone.guard.Access;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// A lock, how it is set from outside, and what nobody may do where while it is in force.
enum LockedPlace {
    /// No lock at all: shows that the commands do touch what the locks cover.
    FREE(null, Access.READ, "none"),

    HIVE_BY_RSM(null, Access.READ, ".deia"),
    HIVE_BY_TOUCH(null, Access.READ, ".deia"),
    OUTSIDE_GUARD(null, Access.READ, ".deia"),
    UNAPPROVED_GUARD(null, Access.READ, ".deia"),
    BROKEN_LIST("{", Access.READ, ""),

    DNR_INBOX(".deia/inbox/code", Access.READ, ".deia/inbox/code"),
    DNR_LOG(".deia/telemetry/**", Access.READ, ".deia/telemetry"),
    DNR_ARCHIVE(".deia/archive", Access.READ, ".deia/archive"),
    DNR_ACTIVE(".deia/active/code", Access.READ, ".deia/active/code"),
    DNR_SEEN(".deia/seen", Access.READ, ".deia/seen"),
    DNR_STATUS(".deia/status/**", Access.READ, ".deia/status"),
    DNR_TRUST(".deia/trust.yaml", Access.READ, ".deia/trust.yaml"),
    DNR_CONFIGURATION(".deia/hive.yaml", Access.READ, ".deia/hive.yaml"),
    DNR_USER_FILE("secret.txt", Access.READ, "secret.txt"),

    DO_NOT_ALTER_INBOX(".deia/inbox/code", Access.WRITE, ".deia/inbox/code"),
    DO_NOT_ALTER_LOG(".deia/telemetry", Access.WRITE, ".deia/telemetry"),
    DO_NOT_ALTER_ACTIVE(".deia/active", Access.WRITE, ".deia/active"),
    DO_NOT_ERASE_INBOX(".deia/inbox/code", Access.ERASE, ".deia/inbox/code"),
    DO_NOT_ERASE_ACTIVE(".deia/active", Access.ERASE, ".deia/active");

    private static final String HIVE = ".deia/";
    private static final String MIRROR = ".embargo/";
    private static final String HIVE_LOCK = ".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock";

    /// What an entry in a list covers; `{` for a list that nobody can read; null for no list.
    private final @Nullable String pattern;

    /// The least that is forbidden.
    private final Access forbidden;

    /// Where: this, and what is below it; empty for everywhere.
    private final String place;

    LockedPlace(@Nullable String pattern, Access forbidden, String place) {
        this.pattern = pattern;
        this.forbidden = forbidden;
        this.place = place;
    }

    /// Whether it is tried each time; the others take a while.
    boolean isEssential() {
        return switch (this) {
            case UNAPPROVED_GUARD, DNR_LOG, DNR_ARCHIVE -> false;
            case DNR_ACTIVE, DNR_SEEN, DNR_STATUS, DNR_TRUST, DNR_CONFIGURATION -> false;
            case DNR_USER_FILE, DO_NOT_ALTER_INBOX, DO_NOT_ERASE_INBOX -> false;
            case DO_NOT_ALTER_LOG, DO_NOT_ALTER_ACTIVE, DO_NOT_ERASE_ACTIVE -> false;
            default -> true;
        };
    }

    boolean isByHiveLock() {
        return this == HIVE_BY_RSM || this == HIVE_BY_TOUCH;
    }

    /// Sets the lock, unless it is in force.
    ///
    /// @param rsm runs a command line
    void set(Path root, Consumer<String> rsm) throws IOException {
        switch (this) {
            case FREE -> {}
            case HIVE_BY_RSM -> {
                if (!Files.exists(root.resolve(HIVE_LOCK))) {
                    rsm.accept("lock hive --reason freeze");
                }
            }
            case HIVE_BY_TOUCH -> {
                if (!Files.exists(root.resolve(HIVE_LOCK))) {
                    Files.createFile(root.resolve(HIVE_LOCK));
                }
            }
            case OUTSIDE_GUARD -> {
                if (isGuardWritten(root)) {
                    rsm.accept("lock trust-guard --by you");
                }
            }
            case UNAPPROVED_GUARD -> {
                boolean _ = isGuardWritten(root);
            }
            default -> writeList(root);
        }
    }

    /// Whether it was not there before.
    private static boolean isGuardWritten(Path root) throws IOException {
        Path guard = root.resolve(".deia/tools/policy_guard.sh");
        if (Files.exists(guard)) {
            return false;
        }
        Files.createDirectories(root.resolve(".deia/tools"));
        Files.writeString(guard, "exit 1\n");
        return true;
    }

    private void writeList(Path root) throws IOException {
        String folder =
                switch (forbidden) {
                    case READ -> "do-not-read";
                    case WRITE -> "do-not-alter";
                    case ERASE -> "do-not-erase";
                };
        Path list = root.resolve(".deia").resolve(folder).resolve("test.yaml");
        Files.createDirectories(root.resolve(".deia").resolve(folder));
        if (!Files.exists(list)) {
            Files.writeString(
                    list, "{".equals(pattern) ? "{\n" : "- path_pattern: " + pattern + "\n");
        }
    }

    /// Whether nobody may do this while the lock is in force.
    ///
    /// @param path relative to the hive's root
    boolean forbids(Touch.Kind kind, String path, String verb) {
        return covers(path) && kind.isForbiddenBy(forbidden) && !isAllowed(kind, path, verb);
    }

    private boolean covers(String path) {
        if (isAtOrBelow(place, path)) {
            return true;
        }
        // What may not be read in the hive may not be read in the embargo.
        return forbidden == Access.READ
                && pattern != null
                && path.startsWith(MIRROR)
                && isAtOrBelow(place, HIVE + path.substring(MIRROR.length()));
    }

    private static boolean isAtOrBelow(String place, String path) {
        return place.isEmpty() || path.equals(place) || path.startsWith(place + "/");
    }

    /// Whether the guard itself, or who finds the hive, or who sets or lifts the lock, must do this
    /// to find out or to do what it is there for.
    ///
    /// @param verb the command
    private boolean isAllowed(Touch.Kind kind, String path, String verb) {
        boolean setsLocks = verb.equals("lock") || verb.equals("unlock");
        boolean looks = kind == Touch.Kind.LOOK || kind == Touch.Kind.READ;
        return switch (path) {
            // Whether there is a hive; to lock it makes a name in it, and so does the first
            // override, which must be on disk.
            case ".deia", ".embargo" ->
                    kind == Touch.Kind.LOOK || ((setsLocks || verb.equals("override")) && looks);
            // Where the hive is, and whether names that differ in case are the same here.
            case "", ".git", ".DEIA" -> kind == Touch.Kind.LOOK;
            // Who may lift locks is known from here while the original may not be read.
            case ".embargo/trust.yaml" -> looks || setsLocks;
            case ".embargo/gate" -> true;
            // Where a doubt is told of.
            case ".embargo/telemetry", ".embargo/telemetry/rse.jsonl" -> this == BROKEN_LIST;
            case HIVE_LOCK -> looks || setsLocks;
            default ->
                    isByHiveLock()
                            ? mayAskForAnOverride(verb)
                                    && (looks || verb.equals("override"))
                                    && isAtOrBelow(".deia/overrides", path)
                            : (isGuards(path) && (looks || setsLocks))
                                    || (setsLocks && isLocksmiths(path))
                                    || (verb.equals("init") && isSyncMark(kind, path));
        };
    }

    /// Whether it writes, and a person may have let that pass in spite of a lock.
    private static boolean mayAskForAnOverride(String verb) {
        return Stream.of("check", "hook", "send", "ask", "reply", "embargo", "override")
                .anyMatch(verb::equals);
    }

    /// Locks are made aside, and kept when they are lifted.
    private static boolean isLocksmiths(String path) {
        return Stream.of(".lock-", ".lists-", "lists-", ".trust-", "archive/locks", "locked")
                .anyMatch(name -> path.startsWith(MIRROR + name));
    }

    /// A hive is not made in a folder that others synchronise, which has marks of theirs.
    private static boolean isSyncMark(Touch.Kind kind, String path) {
        return kind == Touch.Kind.LOOK && path.startsWith(".") && !path.contains("/");
    }

    /// Without the hive's lock the guard reads lists and overrides, and asks the outside guard.
    private static boolean isGuards(String path) {
        return Stream.of("do-not-read", "do-not-alter", "do-not-erase", "tools", "overrides")
                .anyMatch(folder -> isAtOrBelow(HIVE + folder, path));
    }
}
