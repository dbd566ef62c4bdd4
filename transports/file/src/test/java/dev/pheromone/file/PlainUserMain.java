package dev.pheromone.file;

import dev.pheromone.address.Address;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.setup.HiveSetup;
import dev.pheromone.file.setup.SetupRefusedException;
import dev.pheromone.file.upkeep.Checkup;
import dev.pheromone.guard.PolicyGuard;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

/// What `PlainUser` runs: needs no class of a test library.
final class PlainUserMain {

    static final String STARTED = "started";

    private PlainUserMain() {}

    public static void main(String[] arguments) {
        System.out.println(STARTED);
        Path folder = Path.of(arguments[1]);
        try {
            switch (arguments[0]) {
                case "init" ->
                        HiveSetup.init(
                                        folder,
                                        Address.parse("user://ada"),
                                        HiveSetup.OnUnfitVolume.REFUSE)
                                .made()
                                .forEach(System.out::println);
                case "checkup" ->
                        Checkup.run(new HiveLayout(folder), PolicyGuard.open(), Instant.now())
                                .forEach(System.out::println);
                default -> throw new IllegalArgumentException(arguments[0]);
            }
        } catch (SetupRefusedException | IOException e) {
            System.out.println(e);
        }
    }
}
