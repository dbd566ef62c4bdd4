package dev.pheromone.cli.frame;

import dev.pheromone.cli.args.ArgsParser;
import dev.pheromone.cli.args.Opt;

import java.util.List;

/// The options that every command takes, before its name or after it.
public final class EverywhereOptions {

    public static final List<Opt> ALL =
            List.of(
                    Opt.value(
                            "root",
                            "DIR",
                            "the hive's folder; else RSM_ROOT, else the nearest one above here"),
                    Opt.value(
                            "actor",
                            "NAME",
                            "who you are; else RSM_ACTOR, else your agent's session, else you"),
                    Opt.flag("json", "print one JSON object, errors included"),
                    Opt.flag("quiet", "print only what a script needs").withLetter('q'),
                    Opt.flag("help", "this page").withLetter('h'));

    private static final List<Opt> ALONE = List.of(Opt.flag("version", "print the version"));

    private EverywhereOptions() {}

    public static ArgsParser parser() {
        return new ArgsParser(ALL, ALONE);
    }
}
