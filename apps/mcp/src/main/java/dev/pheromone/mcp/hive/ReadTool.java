package dev.pheromone.mcp.hive;

import dev.pheromone.mcp.Call;
import dev.pheromone.session.Session;

import java.io.IOException;

/// `read`: one envelope, without taking it.
final class ReadTool implements Tool {

    private static final int PAGES_MAX = 1_000;

    @Override
    public Told run(Session session, Arguments said, Setting setting, Call call)
            throws IOException {
        Shown shown =
                Shown.of(session.read(said.required("id"), null), said.count("page", 1, PAGES_MAX));
        return Told.of(shown.text(), shown.json());
    }
}
