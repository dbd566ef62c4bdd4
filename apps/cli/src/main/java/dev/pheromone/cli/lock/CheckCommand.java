package dev.pheromone.cli.lock;

import dev.pheromone.cli.args.Args;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Guards;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.PathScopes;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;
import dev.pheromone.session.hive.ScopeCheck;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// `rsm check`: whether paths may be touched, said in the exit code. Agents' hooks ask it before
/// each step, so it opens nothing that the question does not need.
public final class CheckCommand implements Command {

    @Override
    public Spec spec() {
        return Spec.of(
                        "check",
                        Group.GOVERNANCE,
                        "says whether files may be touched: exit 0, or 3 if a lock forbids it")
                .oneOrMore("PATH", "a file or folder, there or not yet")
                .opt(Opt.flag("read", "read it, or list it; this is what is asked by default"))
                .opt(
                        Opt.flag(
                                "write",
                                "write to it; also warns if another has reserved it, or is at work"
                                        + " on it"))
                .opt(Opt.flag("erase", "delete, empty, overwrite it, or move it away"))
                .opt(
                        Opt.value(
                                "content",
                                "FILE",
                                "with --write: what is to be written there; - is standard input"))
                .note(
                        "Several paths: 3 if one of them is locked. A path outside of any hive is"
                                + " free.")
                .example("rsm check src/secret.txt", "may it be read?")
                .example("rsm check --write --json src/a.txt src/b.txt", "may both be written?")
                .example(
                        "rsm check --write --content new.yaml config.yaml",
                        "may this very content be written there?")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        Access access = access(call.args());
        String contentFile = call.args().value("content");
        if (contentFile != null && access != Access.WRITE) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "--content is what is to be written, expected --write with it")
                    .fix(call.line().plus("--write").toString());
        }
        if (call.args().operands().stream().anyMatch(String::isEmpty)) {
            throw new CliException(
                            ErrorCode.USAGE, "PATH: found an empty text, expected a file or folder")
                    .hint("for the folder that this was typed in:")
                    .fix("rsm check .");
        }
        Guards guards = new Guards(call);
        PathScopes scopes = access == Access.WRITE ? new PathScopes(call, call.identity()) : null;
        List<CheckAnswer.Item> items = new ArrayList<>();
        ContentHash content = null;
        if (contentFile != null) {
            CheckAnswer.Item source = locked(guards, contentFile, call);
            if (source != null) {
                return new CheckAnswer(List.of(source));
            }
            content = call.userFiles().hash(contentFile);
        }
        for (String typed : call.args().operands()) {
            items.add(check(guards, scopes, typed, access, content, call));
        }
        return new CheckAnswer(items);
    }

    private static Access access(Args args) {
        boolean write = args.has("write");
        boolean erase = args.has("erase");
        if ((write && erase) || (args.has("read") && (write || erase))) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "found several of --read, --write and --erase, expected one")
                    .hint("ask for each in a command of its own");
        }
        return write ? Access.WRITE : erase ? Access.ERASE : Access.READ;
    }

    /// The verdict on reading the new content from `typed`, if that is blocked.
    private static CheckAnswer.@Nullable Item locked(Guards guards, String typed, Invocation call)
            throws IOException {
        if (typed.equals("-")) {
            return null;
        }
        CheckAnswer.Item source = check(guards, null, typed, Access.READ, null, call);
        return source.isAllowed() ? null : source;
    }

    /// @param scopes what others are at work on, if that counts
    private static CheckAnswer.Item check(
            Guards guards,
            @Nullable PathScopes scopes,
            String typed,
            Access access,
            @Nullable ContentHash content,
            Invocation call)
            throws IOException {
        Path path = call.userFiles().asTyped(typed);
        Guards.Having found = guards.over(path);
        Verdict verdict = found.check(path, access, content);
        if (scopes != null && !(verdict instanceof Verdict.Blocked)) {
            ScopeCheck.Objection objection = scopes.of(found.hives(), path, false).orElse(null);
            scopes.warn();
            if (objection != null && objection.isBlocked()) {
                verdict = ScopeCheck.blocked(objection.hold());
            } else if (objection != null) {
                call.warn(typed + " " + ScopeCheck.told(objection.hold()));
            }
        }
        if (!found.isInHive()) {
            call.note("no hive here, and so no locks: " + typed);
        }
        return new CheckAnswer.Item(typed, access, verdict, found.isInHive());
    }
}
