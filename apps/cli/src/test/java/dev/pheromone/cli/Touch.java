package dev.pheromone.cli;

import dev.pheromone.guard.Access;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// One path in one system call, and what the call does to it.
///
/// @param kind what it amounts to
/// @param call the name of the system call
record Touch(Kind kind, String call, Path path) {

    /// What a call does to a path, by what a lock would have to forbid.
    enum Kind {
        /// Asks about the name: whether it is there, and its size and times.
        LOOK,
        READ,
        WRITE,
        ERASE;

        /// Whether `access` is what this does, or less.
        boolean isForbiddenBy(Access access) {
            return switch (access) {
                case READ -> true;
                case WRITE -> this == WRITE || this == ERASE;
                case ERASE -> this == ERASE;
            };
        }
    }

    private static final Set<String> LOOKS =
            Set.of(
                    "stat",
                    "lstat",
                    "fstat",
                    "newfstatat",
                    "statx",
                    "statfs",
                    "fstatfs",
                    "access",
                    "faccessat",
                    "faccessat2",
                    "readlink",
                    "readlinkat",
                    "getxattr",
                    "lgetxattr",
                    "fsync",
                    "fdatasync",
                    "fcntl",
                    "lseek",
                    "close",
                    "ioctl");
    private static final Set<String> WRITES =
            Set.of(
                    "write",
                    "pwrite64",
                    "writev",
                    "pwritev",
                    "pwritev2",
                    "mkdir",
                    "mkdirat",
                    "mknod",
                    "mknodat",
                    "chmod",
                    "fchmod",
                    "fchmodat",
                    "chown",
                    "fchown",
                    "lchown",
                    "fchownat",
                    "utime",
                    "utimes",
                    "futimesat",
                    "utimensat",
                    "setxattr",
                    "lsetxattr",
                    "fsetxattr",
                    "symlink",
                    "symlinkat",
                    "fallocate",
                    "copy_file_range");
    private static final Set<String> ERASES =
            Set.of("unlink", "unlinkat", "rmdir", "truncate", "ftruncate");

    private static final Pattern CALL = Pattern.compile("^(?:\\d+ +)?([a-z_0-9]+)\\((.*)$");
    private static final Pattern PLACE =
            Pattern.compile(
                    "(?<fd>AT_FDCWD|\\d+)<(?<opened>[^>]*)>|\"(?<named>(?:[^\"\\\\]|\\\\.)*)\"");

    /// The paths in one line of a trace; none in a line that shows no call.
    static List<Touch> parse(String line) {
        Matcher call = CALL.matcher(line);
        if (!call.matches()) {
            return List.of();
        }
        String name = call.group(1);
        String arguments = call.group(2);
        int result = arguments.lastIndexOf(") = ");
        List<Path> paths = paths(result < 0 ? arguments : arguments.substring(0, result), name);
        List<Touch> touches = new ArrayList<>();
        for (int i = 0; i < paths.size(); i++) {
            touches.add(new Touch(kind(name, i, arguments), name, paths.get(i)));
        }
        return touches;
    }

    /// The same, of a name that nothing had before: what a rename puts there replaces nothing.
    Touch ofNothing() {
        return call.startsWith("rename") && kind == Kind.ERASE
                ? new Touch(Kind.WRITE, call, path)
                : this;
    }

    private static List<Path> paths(String arguments, String name) {
        List<Path> paths = new ArrayList<>();
        Path base = null;
        Matcher place = PLACE.matcher(arguments);
        while (place.find()) {
            String named = place.group("named");
            if (named == null) {
                String opened = place.group("opened");
                boolean isBase = arguments.startsWith(", \"", place.end()) && name.endsWith("at");
                isBase |= place.group("fd").startsWith("AT_") || name.startsWith("statx");
                isBase |= name.equals("openat2") || name.equals("faccessat2");
                isBase |= name.equals("renameat2");
                if (isBase && !arguments.startsWith(", \"\"", place.end())) {
                    base = Path.of(opened);
                } else if (opened.startsWith("/")) {
                    paths.add(Path.of(opened).normalize());
                }
            } else if (!named.isEmpty()) {
                Path path = Path.of(named);
                paths.add((base == null ? path : base.resolve(path)).normalize());
                base = null;
            }
        }
        return paths;
    }

    private static Kind kind(String name, int index, String arguments) {
        if (name.startsWith("open") || name.equals("creat")) {
            return opening(name, arguments);
        }
        if (name.startsWith("rename")) {
            // What had the new name before is gone, unless there was no such.
            return Kind.ERASE;
        }
        if (name.startsWith("link")) {
            return index == 0 ? Kind.LOOK : Kind.WRITE;
        }
        if (ERASES.contains(name)) {
            return Kind.ERASE;
        }
        if (WRITES.contains(name)) {
            return Kind.WRITE;
        }
        // A call that nobody thought of counts as one that reads.
        return LOOKS.contains(name) ? Kind.LOOK : Kind.READ;
    }

    private static Kind opening(String name, String arguments) {
        if (arguments.contains("O_TRUNC") || name.equals("creat")) {
            return Kind.ERASE;
        }
        boolean writes =
                arguments.contains("O_WRONLY")
                        || arguments.contains("O_RDWR")
                        || arguments.contains("O_CREAT");
        return writes ? Kind.WRITE : arguments.contains("O_PATH") ? Kind.LOOK : Kind.READ;
    }
}
