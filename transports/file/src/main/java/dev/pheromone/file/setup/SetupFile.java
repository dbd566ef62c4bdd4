package dev.pheromone.file.setup;

import dev.pheromone.HiveConfig;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.lock.EmbargoFolder;

import java.util.ArrayList;
import java.util.List;

/// A file that every new hive has.
///
/// @param folder its place below the root
public record SetupFile(String folder, String name, String content) {

    /// In the order in which they are made.
    public static final List<SetupFile> ALL = all();

    private static List<SetupFile> all() {
        List<SetupFile> files = new ArrayList<>();
        files.add(new SetupFile(HiveLayout.HIVE_FOLDER, ".gitignore", gitIgnore()));
        files.add(new SetupFile(HiveLayout.HIVE_FOLDER, ".gitattributes", "* -text\n"));
        for (EmbargoFolder.Part part : EmbargoFolder.PARTS) {
            files.add(new SetupFile(HiveLayout.MIRROR_FOLDER, part.name(), part.content()));
        }
        files.add(new SetupFile(HiveLayout.HIVE_FOLDER, "hive.yaml", hiveYaml()));
        return List.copyOf(files);
    }

    /// Mail and its traces belong to one machine; what people decide about a hive, to everybody.
    private static String gitIgnore() {
        return """
        # Mail, claims and the event log stay on this machine. The hive's rules are shared.
        /*
        !/.gitignore
        !/.gitattributes
        !/hive.yaml
        !/trust.yaml
        !/do-not-read/
        !/do-not-alter/
        !/do-not-erase/
        !/tools/
        """;
    }

    /// Comments and the format only: such a file is read without loading a YAML reader.
    private static String hiveYaml() {
        return "format: "
                + HiveConfig.FORMAT
                + """

                # All of it is optional. These are the defaults: remove a leading # to change one.
                #domains: {}                  # governance: {lanes: [Governance]}; a folder in inbox/ is a domain too
                #lanes: []                    # lanes beyond the seven
                #signatures: optional         # optional | required
                #archive: auto                # auto | approve: who moves expired mail away
                #ttl: {default: 1d, user: 7d}
                #decay: {half_life: ttl/4}    # or a duration
                #selection: {due_turn: 4}     # every which pick takes what is due next
                #backpressure: {depth: 1000, oldest_age: 10m}
                #sender: {waiting: 100, rate: 60/m, p0: 5/m}
                #lease: {select: 30m, work: 60s}
                #attempts: 5                  # so many failures, then an envelope is dead
                #scopes: warn                 # warn | block | off
                #transports: {}               # team: {url: "nats://...", token_file: ..., reach: team}
                #separate: false              # true: a linked git work tree has a hive of its own
                """;
    }
}
