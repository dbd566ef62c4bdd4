package dev.pheromone.cli;

import java.nio.charset.StandardCharsets;
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
        System.exit(run(args));
    }

    private static int run(String[] args) {
        Surroundings surroundings = surroundings();
        String encoding = System.getProperty("sun.jnu.encoding", "UTF-8");
        for (String arg : args) {
            if (arg.indexOf(REPLACEMENT) >= 0 && !encoding.equalsIgnoreCase("UTF-8")) {
                return refuseGarbled(arg, encoding);
            }
        }
        return new Rsm(surroundings).run(List.of(args));
    }

    private static Surroundings surroundings() {
        String launcher = System.getProperty("rsm.launcher");
        return new Surroundings(
                System.getenv(),
                Path.of("").toAbsolutePath(),
                Path.of(System.getProperty("user.home", "/")),
                System.getProperty("user.name", ""),
                UserFiles.standardInput(),
                UserFiles.standardOutput(),
                UserFiles.standardError(),
                InstantSource.system(),
                terminal(System.getProperty("rsm.terminal", "")),
                launcher == null ? null : Path.of(launcher));
    }

    private static Terminal terminal(String streams) {
        return new Terminal(streams.indexOf('0') >= 0, streams.indexOf('1') >= 0);
    }

    /// Says that the platform already lost what was typed: in a locale that is not UTF-8 Java puts
    /// question marks for all other characters, and mail must never be sent so.
    private static int refuseGarbled(String arg, String encoding) {
        String message =
                "rsm: error: argument \""
                        + arg.replace(REPLACEMENT, '?')
                        + "\" is not readable in encoding "
                        + encoding
                        + ", expected UTF-8\nrsm: hint: export LC_ALL=C.UTF-8\n";
        System.err.write(message.getBytes(StandardCharsets.UTF_8), 0, message.length());
        System.err.flush();
        return Exit.USAGE.code();
    }
}
