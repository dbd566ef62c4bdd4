package dev.pheromone.cli;

import dev.pheromone.cli.agent.AgentsCommand;
import dev.pheromone.cli.agent.HookCommand;
import dev.pheromone.cli.agent.McpCommand;
import dev.pheromone.cli.agent.PrimeCommand;
import dev.pheromone.cli.agent.SetupCommand;
import dev.pheromone.cli.agent.WakeCommand;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.home.AuditCommand;
import dev.pheromone.cli.home.DoctorCommand;
import dev.pheromone.cli.home.InitCommand;
import dev.pheromone.cli.keys.KeysCommand;
import dev.pheromone.cli.keys.RedactCommand;
import dev.pheromone.cli.keys.VerifyCommand;
import dev.pheromone.cli.lock.CheckCommand;
import dev.pheromone.cli.lock.EmbargoCommand;
import dev.pheromone.cli.lock.LockCommand;
import dev.pheromone.cli.lock.OverrideCommand;
import dev.pheromone.cli.lock.ReserveCommand;
import dev.pheromone.cli.lock.UnlockCommand;
import dev.pheromone.cli.look.ArchiveCommand;
import dev.pheromone.cli.look.DropCommand;
import dev.pheromone.cli.look.LogCommand;
import dev.pheromone.cli.look.SearchCommand;
import dev.pheromone.cli.look.SenseCommand;
import dev.pheromone.cli.look.SloCommand;
import dev.pheromone.cli.look.StatusCommand;
import dev.pheromone.cli.look.TraceCommand;
import dev.pheromone.cli.look.WatchCommand;
import dev.pheromone.cli.mail.AckCommand;
import dev.pheromone.cli.mail.AskCommand;
import dev.pheromone.cli.mail.InboxCommand;
import dev.pheromone.cli.mail.MuteCommand;
import dev.pheromone.cli.mail.ReadCommand;
import dev.pheromone.cli.mail.ReleaseCommand;
import dev.pheromone.cli.mail.ReplyCommand;
import dev.pheromone.cli.mail.RetryCommand;
import dev.pheromone.cli.mail.SelectCommand;
import dev.pheromone.cli.mail.SendCommand;
import dev.pheromone.cli.serve.BoardCommand;
import dev.pheromone.cli.serve.BridgeCommand;
import dev.pheromone.cli.serve.DownCommand;
import dev.pheromone.cli.serve.ServeCommand;
import dev.pheromone.cli.serve.UpCommand;
import dev.pheromone.cli.work.WorkCommand;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/// Every verb of `rsm`. A command line makes the one object it names, so that no other verb's
/// classes are loaded.
final class Verbs {

    /// All of them, in the order in which help lists them.
    static final List<String> NAMES =
            List.of(
                    "init",
                    "setup",
                    "hook",
                    "mcp",
                    "prime",
                    "describe",
                    "send",
                    "ask",
                    "reply",
                    "inbox",
                    "read",
                    "select",
                    "ack",
                    "release",
                    "retry",
                    "work",
                    "reserve",
                    "drop",
                    "sense",
                    "status",
                    "board",
                    "agents",
                    "wake",
                    "watch",
                    "log",
                    "trace",
                    "search",
                    "demo",
                    "check",
                    "lock",
                    "unlock",
                    "override",
                    "mute",
                    "verify",
                    "keys",
                    "redact",
                    "archive",
                    "embargo",
                    "audit",
                    "doctor",
                    "slo",
                    "up",
                    "down",
                    "serve",
                    "bridge",
                    "schema",
                    "completion",
                    "install",
                    "help");

    /// Those that plain `rsm` shows.
    static final List<String> FIRST =
            List.of(
                    "init", "setup", "send", "inbox", "read", "select", "ack", "reply", "lock",
                    "status");

    private Verbs() {}

    /// The command of this name, or null.
    static @Nullable Command named(String name) {
        return switch (name) {
            case "ack" -> new AckCommand();
            case "agents" -> new AgentsCommand();
            case "ask" -> new AskCommand();
            case "archive" -> new ArchiveCommand();
            case "audit" -> new AuditCommand();
            case "board" -> new BoardCommand();
            case "bridge" -> new BridgeCommand();
            case "check" -> new CheckCommand();
            case "completion" -> new CompletionCommand();
            case "demo" -> new DemoCommand();
            case "describe" -> new DescribeCommand();
            case "doctor" -> new DoctorCommand();
            case "down" -> new DownCommand();
            case "drop" -> new DropCommand();
            case "embargo" -> new EmbargoCommand();
            case "help" -> new HelpCommand();
            case "hook" -> new HookCommand();
            case "inbox" -> new InboxCommand();
            case "init" -> new InitCommand();
            case "install" -> new InstallCommand();
            case "keys" -> new KeysCommand();
            case "lock" -> new LockCommand();
            case "log" -> new LogCommand();
            case "mcp" -> new McpCommand();
            case "mute" -> new MuteCommand();
            case "override" -> new OverrideCommand();
            case "prime" -> new PrimeCommand();
            case "read" -> new ReadCommand();
            case "redact" -> new RedactCommand();
            case "release" -> new ReleaseCommand();
            case "reply" -> new ReplyCommand();
            case "reserve" -> new ReserveCommand();
            case "retry" -> new RetryCommand();
            case "schema" -> new SchemaCommand();
            case "search" -> new SearchCommand();
            case "select" -> new SelectCommand();
            case "send" -> new SendCommand();
            case "sense" -> new SenseCommand();
            case "serve" -> new ServeCommand();
            case "setup" -> new SetupCommand();
            case "slo" -> new SloCommand();
            case "status" -> new StatusCommand();
            case "trace" -> new TraceCommand();
            case "unlock" -> new UnlockCommand();
            case "up" -> new UpCommand();
            case "verify" -> new VerifyCommand();
            case "wake" -> new WakeCommand();
            case "watch" -> new WatchCommand();
            case "work" -> new WorkCommand();
            default -> null;
        };
    }

    /// The declarations of `names`.
    static List<Spec> specs(List<String> names) {
        List<Spec> specs = new ArrayList<>();
        for (String name : names) {
            Command command = named(name);
            if (command == null) {
                throw new IllegalArgumentException("no verb \"" + name + "\"");
            }
            specs.add(command.spec());
        }
        return specs;
    }
}
