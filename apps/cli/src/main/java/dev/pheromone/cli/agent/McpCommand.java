package dev.pheromone.cli.agent;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Program;
import dev.pheromone.cli.frame.Stay;
import dev.pheromone.cli.frame.Streamed;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.mcp.StdioServer;
import dev.pheromone.mcp.hive.HiveTools;
import dev.pheromone.mcp.hive.WhoAsks;
import dev.pheromone.session.caller.ProblemException;

import java.io.IOException;

/// `rsm mcp`: the hive as tools, for the agent program that started this process.
public final class McpCommand implements Command {

    @Override
    public Spec spec() {
        return Spec.of("mcp", Group.AGENTS, "serves the hive's tools to an agent program (MCP)")
                .note(
                        "Agent programs start it by themselves and talk to it over standard input"
                            + " and output, a message a line; it ends when they close its input. It"
                            + " speaks the revisions 2026-07-28, 2025-11-25 and 2025-06-18.")
                .note(
                        "Tools act in the name of the agent's session that its hooks noted, else of"
                            + " RSM_ACTOR, else of the session that the environment shows, and"
                            + " never in a person's. What is for people, such as locks and keys, is"
                            + " no tool.")
                .example("rsm mcp", "what to enter as the command of an MCP server")
                .example("claude mcp add pheromone -- rsm mcp", "adds it to Claude Code")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        if (call.surroundings().terminal().input()) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "found a terminal, expected an agent program that sends messages")
                    .hint("docs/guide/mcp.md says how to add it to one");
        }
        Stay stay = call.surroundings().stay();
        long pid = stay == null ? ProcessHandle.current().pid() : stay.pid();
        WhoAsks who =
                new WhoAsks(
                        call.surroundings().env(), call.surroundings().user(), parent(pid), pid);
        HiveTools tools =
                HiveTools.near(
                        call, who, () -> find(call), call.surroundings().cwd(), Program.version());
        StdioServer server =
                new StdioServer(
                        tools,
                        call.surroundings().in(),
                        call.surroundings().out(),
                        call::note,
                        stay == null ? () -> {} : stay::look);
        if (stay != null) {
            stay.begin(new InResident(server, tools, who));
        }
        server.run();
        return new Streamed();
    }

    /// The server as a guest of the resident process, which signs nothing.
    private record InResident(StdioServer server, HiveTools tools, WhoAsks who)
            implements Stay.Guest {

        @Override
        public boolean mayGoOn() throws IOException {
            return !tools.isSigned();
        }

        @Override
        public boolean isAtRest() {
            return server.isAtRest();
        }

        @Override
        public String memory() {
            return who.memory();
        }
    }

    private static HiveLayout find(Invocation call) throws IOException {
        try {
            return TypedHive.find(call);
        } catch (CliException e) {
            ProblemException none =
                    new ProblemException(
                            ProblemException.Code.NO_HIVE, String.valueOf(e.getMessage()), e);
            String hint = e.hintLine();
            throw hint == null ? none : none.hint(hint);
        }
    }

    /// Names the process that started the one of this number: numbers are given again some day, a
    /// start is not.
    private static String parent(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(ProcessHandle::parent)
                .map(handle ->
                        handle.pid()
                                + "@"
                                + handle.info().startInstant().map(Object::toString).orElse(""))
                .orElse("");
    }
}
