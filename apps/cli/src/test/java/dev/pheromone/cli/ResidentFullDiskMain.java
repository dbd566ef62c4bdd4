package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.resident.Resident;
import dev.pheromone.disk.HiveLayout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// A process that fills the small volume on which a hive lies, while a resident answers for it:
/// `VOLUME FOLDER`.
final class ResidentFullDiskMain {

    private static final int[] PIECES = {64 * 1024, 4 * 1024, 512};

    private ResidentFullDiskMain() {}

    public static void main(String[] arguments) throws Exception {
        Path root = Files.createDirectory(Path.of(arguments[0]).resolve("repo"));
        Session session = new Session(root);
        session.env.put("RSM_ACTOR", "builder");
        try (ResidentClient client = new ResidentClient(Path.of(arguments[1]).resolve("bin"))) {
            client.useIn(session);
            assertThat(session.rsm("init").exit()).isZero();
            HiveLayout layout = new HiveLayout(root);
            Process up = client.startUp(session, layout);
            try {
                play(session, client, layout);
                assertThat(Resident.of(layout, session.surroundings())).isPresent();
            } finally {
                up.destroyForcibly().waitFor();
            }
        }
        System.out.println("the disk was full, and nothing was lost");
    }

    private static void play(Session session, ResidentClient client, HiveLayout layout)
            throws Exception {
        assertThat(client.run(session, List.of("send", "--to", "code", "before"), "").exit())
                .isZero();
        List<Path> ballast = fill(Files.createDirectory(layout.root().resolve("ballast")));
        String large = "x".repeat(60_000);
        for (int i = 0; i < 20; i++) {
            Session.Result full = client.run(session, List.of("send", "--to", "code", "-"), large);
            assertThat(full.exit()).as(full.out() + full.err()).isEqualTo(1);
            assertThat(full.err()).containsAnyOf("No space left", "disk full", "no room");
        }
        assertThat(waiting(layout)).isEqualTo(1);
        assertThat(client.run(session, List.of("check", "a.txt"), "").exit()).isZero();
        Session.Result inbox = client.run(session, List.of("inbox", "code", "--json"), "");
        assertThat(inbox.exit()).as(inbox.err()).isZero();
        assertThat(inbox.out()).contains("\"count\":1");
        for (Path piece : ballast) {
            Files.delete(piece);
        }
        Session.Result sent = client.run(session, List.of("send", "--to", "code", "-"), large);
        assertThat(sent.exit()).as(sent.err()).isZero();
        for (int i = 0; i < 2; i++) {
            Session.Result taken = client.run(session, List.of("select", "code", "--quiet"), "");
            assertThat(taken.exit()).as(taken.err()).isZero();
            assertThat(client.run(session, List.of("ack", taken.out().strip(), "done"), "").exit())
                    .isZero();
        }
    }

    private static List<Path> fill(Path folder) throws IOException {
        List<Path> pieces = new ArrayList<>();
        for (int size : PIECES) {
            while (true) {
                Path piece = folder.resolve("piece-" + pieces.size());
                try {
                    Files.write(piece, new byte[size]);
                    pieces.add(piece);
                } catch (IOException e) {
                    Files.deleteIfExists(piece);
                    break;
                }
            }
        }
        return pieces;
    }

    private static long waiting(HiveLayout layout) throws IOException {
        try (Stream<Path> files = Files.list(layout.hive().resolve("inbox/code"))) {
            return files.filter(file -> file.toString().endsWith(".md")).count();
        }
    }
}
