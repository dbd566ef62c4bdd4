package dev.pheromone.cli;

import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.frame.Terminal;
import dev.pheromone.cli.frame.UserFiles;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

/// The entry point of `rsm`: the only class that asks the running machine, and that ends the
/// process.
///
/// The launcher sets two properties: `rsm.terminal`, the numbers of those standard streams that are
/// terminals (`01`), because Java can't ask for each of them; and `rsm.launcher`, its own path.
public final class Main {

    private static final char REPLACEMENT = '\ufffd';

    private Main() {}

    public static void main(String[] args) {
        int exit = run(args, surroundings());
        // Not an orderly exit: everything is written and closed, no hooks wait to be run, and the
        // orderly way first loads a logger to say that it exits.
        Runtime.getRuntime().halt(exit);
    }

    /// Runs one command, and returns its exit code.
    static int run(String[] args, Surroundings surroundings) {
        Rsm rsm = new Rsm(surroundings);
        String encoding = System.getProperty("sun.jnu.encoding", "UTF-8");
        List<String> words = List.of(args);
        for (String word : words) {
            // In a locale that is not UTF-8 Java has already put this mark for every letter beyond
            // ASCII, and mail must never be sent so.
            if (word.indexOf(REPLACEMENT) >= 0 && !encoding.equalsIgnoreCase("UTF-8")) {
                return rsm.refuse(
                        new CliException(
                                        ErrorCode.USAGE,
                                        "argument \""
                                                + word.replace(REPLACEMENT, '?')
                                                + "\" is not readable in encoding "
                                                + encoding
                                                + ", expected UTF-8")
                                .fix("export LC_ALL=C.UTF-8"),
                        words);
            }
        }
        return rsm.run(words);
    }

    /// What this process finds around it.
    static Surroundings surroundings() {
        String home = System.getenv("HOME");
        String launcher = System.getProperty("rsm.launcher");
        String terminals = System.getProperty("rsm.terminal", "");
        return new Surroundings(
                System.getenv(),
                Path.of("").toAbsolutePath(),
                Path.of(
                        home == null || home.isEmpty()
                                ? System.getProperty("user.home", "/")
                                : home),
                System.getProperty("user.name", ""),
                UserFiles.standardInput(),
                UserFiles.standardOutput(),
                UserFiles.standardError(),
                InstantSource.system(),
                new Terminal(
                        terminals.indexOf('0') >= 0,
                        terminals.indexOf('1') >= 0,
                        terminals.indexOf('2') >= 0),
                launcher == null ? null : Path.of(launcher).toAbsolutePath().normalize());
    }
}
