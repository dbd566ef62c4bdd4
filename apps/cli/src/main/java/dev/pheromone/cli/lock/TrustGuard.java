package dev.pheromone.cli.lock;

import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.PersonsWord;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.lock.Locksmith;
import dev.pheromone.session.caller.ApprovedGuards;
import dev.pheromone.session.hive.Authority;
import dev.pheromone.session.passkey.Deed;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The approval of a hive's own guard programs. They came with a repository and are foreign code:
/// what is approved is the content that a person has seen, not the name.
final class TrustGuard {

    private final Invocation call;
    private final HiveLayout layout;
    private final LockFiles guard;
    private final Locksmith smith;

    TrustGuard(Invocation call, HiveLayout layout, LockFiles guard, Locksmith smith) {
        this.call = call;
        this.layout = layout;
        this.guard = guard;
        this.smith = smith;
    }

    Answer run() throws IOException {
        List<Locksmith.Tool> tools = smith.tools();
        if (tools.isEmpty()) {
            throw new CliException(
                            ErrorCode.NO_SUCH_FILE,
                            "this hive has no guard program, expected .deia/tools/policy_guard.*")
                    .hint("without one the hive's own locks decide");
        }
        ApprovedGuards approvals = new ApprovedGuards(call);
        Set<ContentHash> approved = approvals.get();
        List<Locksmith.Tool> open = new ArrayList<>();
        for (Locksmith.Tool tool : tools) {
            if (!approved.contains(tool.hash())) {
                open.add(tool);
                call.note("not approved: " + tool.file() + " " + tool.hash());
            }
        }
        if (open.isEmpty()) {
            return new Approval(tools, open, null);
        }
        Authority.Person person =
                PersonsWord.ask(
                        call,
                        Authority.underLock(call, layout, guard),
                        Deed.of(
                                        "trust-guard",
                                        ".deia/tools",
                                        "letting rsm run what is in .deia/tools")
                                .withAll(
                                        "tools",
                                        open.stream().map(tool -> tool.hash().toString()).toList()),
                        "trust");
        for (Locksmith.Tool tool : open) {
            approvals.add(
                    tool.hash(),
                    "%s in %s, approved by %s (%s) at %s"
                            .formatted(
                                    tool.file(),
                                    layout.root(),
                                    person.name(),
                                    person.proof(),
                                    IsoTime.format(call.now())));
        }
        return new Approval(tools, open, person);
    }

    /// @param added those that were not approved before
    private record Approval(
            List<Locksmith.Tool> tools,
            List<Locksmith.Tool> added,
            Authority.@Nullable Person person)
            implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> guards = new ArrayList<>();
            for (Locksmith.Tool tool : tools) {
                guards.add(
                        Json.obj()
                                .put("path", tool.file())
                                .put("hash", tool.hash().toString())
                                .put("new", added.contains(tool)));
            }
            Json.Obj json = Json.obj().put("guards", Json.arr(guards));
            return person == null
                    ? json
                    : json.put("by", person.name()).put("proof", person.proof());
        }

        @Override
        public void show(Screen screen) {
            for (Locksmith.Tool tool : tools) {
                screen.line(
                        SafeText.line(tool.file())
                                + " "
                                + tool.hash()
                                + (added.contains(tool)
                                        ? ": approved on this machine, as long as it stays as it is"
                                        : ": was approved before"));
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            for (Locksmith.Tool tool : added) {
                screen.line(tool.hash().toString());
            }
        }
    }
}
