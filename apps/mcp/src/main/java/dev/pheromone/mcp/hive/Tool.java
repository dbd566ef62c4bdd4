package dev.pheromone.mcp.hive;

import dev.pheromone.mcp.Call;
import dev.pheromone.session.Session;

import java.io.IOException;

/// One tool: turns the arguments into one call of a session, and its result into what a model
/// reads.
interface Tool {

    Told run(Session session, Arguments said, Setting setting, Call call) throws IOException;
}
