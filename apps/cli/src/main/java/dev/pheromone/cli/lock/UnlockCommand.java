package dev.pheromone.cli.lock;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.ShellWords;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.Command;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.PersonsWord;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.frame.TypedHive;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.session.HiveLocks;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.hive.Authority;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.mail.Embargo;
import dev.pheromone.session.passkey.Deed;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;

/// `rsm unlock`: lifts a lock, for people.
public final class UnlockCommand implements Command {

    @Override
    public Spec spec() {
        return Spec.of("unlock", Group.GOVERNANCE, "lifts a lock; for people")
                .usage("rsm unlock hive [--by NAME]")
                .usage("rsm unlock dnr|do-not-alter|do-not-erase PATTERN [--by NAME]")
                .required(
                        "WHAT",
                        "hive, or how the files are locked: dnr, do-not-alter, do-not-erase",
                        LockWhat.LIFTABLE)
                .optional("PATTERN", "the pattern of the lock, as rsm lock shows it")
                .opt(Opt.value("by", "NAME", "who lifts it, if there is no terminal to ask at"))
                .opt(Opt.flag("release", "also deliver what waits in the embargo"))
                .note(
                        "It asks for confirmation at the terminal, or for a person's key if the"
                                + " hive trusts one. In an agent's session it is refused. The lock"
                                + " itself is kept in .embargo/archive/locks.")
                .example("rsm unlock hive", "lets everybody continue")
                .example("rsm unlock hive --release", "also delivers what was sent meanwhile")
                .example("rsm unlock dnr \"**/*.pem\" --by you", "from a script of yours")
                .build();
    }

    @Override
    public Answer run(Invocation call) throws IOException {
        HiveLocks locks = new HiveLocks(call, TypedHive.find(call));
        LockWhat what = LockWhat.parse(String.valueOf(call.args().operand(0)));
        if (what.kind() != null) {
            return unlockPattern(call, locks, what.kind());
        }
        what.refusePattern(call);
        return unlockHive(call, locks);
    }

    private static Answer unlockHive(Invocation call, HiveLocks locks) throws IOException {
        if (!locks.isHiveLocked()) {
            return releaseOnly(call, locks);
        }
        String reason = locks.smith().hiveReason();
        List<String> kept = toRelease(call);
        Authority.Person person =
                PersonsWord.ask(
                        call,
                        locks.authority(),
                        unlocking(call, HiveLocks.HIVE, HiveLayout.HIVE_FOLDER, reason, kept),
                        "unlock");
        HiveLocks.Lifted lifted = locks.unlockHive(reason, person);
        return new Lifted(lifted, person, comeHome(call, person, kept), waiting(call));
    }

    /// @param reason why it was locked: what is locked for another one is another lock
    /// @param kept what is released too, if that was asked for
    private static Deed unlocking(
            Invocation call, String kind, String pattern, String reason, List<String> kept) {
        boolean isHive = kind.equals(HiveLocks.HIVE);
        Deed deed =
                Deed.of(
                                Deed.UNLOCK,
                                isHive ? kind : kind + " " + pattern,
                                isHive
                                        ? "lifting the lock of the hive"
                                        : "lifting the lock " + kind + " on " + pattern)
                        .with("kind", kind)
                        .with("pattern", pattern)
                        .with("reason", reason);
        return call.args().has("release") ? deed.withAll("mail", kept) : deed;
    }

    /// The contents of what is to be released, as they are before a person is asked.
    private static List<String> toRelease(Invocation call) throws IOException {
        if (!call.args().has("release")) {
            return List.of();
        }
        try (OpenHive hive = TypedHive.open(call)) {
            return EmbargoCommand.contents(hive.transport().embargo().mail());
        }
    }

    /// Releases what an earlier unlocking left in the embargo, or died before it could release.
    private static Answer releaseOnly(Invocation call, HiveLocks locks) throws IOException {
        int waiting;
        try (OpenHive hive = TypedHive.open(call)) {
            waiting = hive.transport().embargo().mail().size();
        }
        CliException notLocked = new CliException(ErrorCode.NO_SUCH_LOCK, "the hive is not locked");
        if (waiting == 0) {
            throw notLocked.hint("what is:").fix("rsm lock");
        }
        if (!call.args().has("release")) {
            throw notLocked
                    .hint("%d in the embargo can be released:".formatted(waiting))
                    .fix("rsm embargo release");
        }
        List<String> kept = toRelease(call);
        Authority.Person person =
                PersonsWord.ask(call, locks.authority(), EmbargoCommand.releasing(kept), "release");
        HiveLocks.Lifted none =
                new HiveLocks.Lifted(HiveLocks.HIVE, HiveLayout.HIVE_FOLDER, List.of());
        return new Lifted(none, person, comeHome(call, person, kept), waiting(call));
    }

    /// Brings back what waited in the embargo: outcomes and events in any case, mail if it was
    /// asked for. What has come there since waits on.
    private static EmbargoCommand.@Nullable Released comeHome(
            Invocation call, Authority.Person person, List<String> kept) throws IOException {
        try (OpenHive hive = TypedHive.open(call)) {
            hive.transport().embargo().bringHome();
            return call.args().has("release")
                    ? new EmbargoCommand.Released(
                            new Embargo(call, hive)
                                    .release(
                                            EmbargoCommand.among(
                                                    hive.transport().embargo().mail(), kept)),
                            person)
                    : null;
        }
    }

    /// How many wait in the embargo; none where we can't look: the lock is lifted all the same.
    private static int waiting(Invocation call) throws IOException {
        try (OpenHive hive = TypedHive.open(call)) {
            return hive.transport().embargo().mail().size();
        } catch (WithheldException | CliException | ProblemException e) {
            return 0;
        }
    }

    private static Answer unlockPattern(Invocation call, HiveLocks locks, LockKind kind)
            throws IOException {
        String pattern = LockWhat.pattern(call, locks.layout());
        HiveLocks.OnPattern found =
                locks.find(kind, pattern).orElseThrow(() -> none(kind, pattern));
        List<String> kept = toRelease(call);
        Authority.Person person =
                PersonsWord.ask(
                        call,
                        locks.authority(),
                        unlocking(call, kind.toString(), pattern, found.reason(), kept),
                        "unlock");
        HiveLocks.Lifted lifted = locks.unlock(found, person);
        if (lifted.lists().isEmpty()) {
            throw none(kind, pattern);
        }
        return new Lifted(
                lifted,
                person,
                call.args().has("release") ? comeHome(call, person, kept) : null,
                waiting(call));
    }

    private static CliException none(LockKind kind, String pattern) {
        return new CliException(
                        ErrorCode.NO_SUCH_LOCK,
                        "no lock " + kind + " on " + ShellWords.quote(pattern))
                .hint("what is locked:")
                .fix("rsm lock");
    }

    /// @param lock its lists are none if it was gone already
    /// @param waiting how many wait in the embargo now
    private record Lifted(
            HiveLocks.Lifted lock,
            Authority.Person person,
            EmbargoCommand.@Nullable Released released,
            int waiting)
            implements Answer {

        @Override
        public @Nullable CliException failure() {
            return released == null ? null : released.failure();
        }

        @Override
        public Json.Obj json() {
            Json.Obj json =
                    Json.obj()
                            .put("kind", lock.kind())
                            .put("pattern", lock.pattern())
                            .putTexts("lifted", lock.lists())
                            .put("by", person.name())
                            .put("proof", person.proof())
                            .put("waiting", waiting);
            return released == null ? json : json.put("released", Json.arr(released.items()));
        }

        @Override
        public void show(Screen screen) {
            screen.line(
                    (lock.kind().equals(LockWhat.HIVE)
                                    ? lock.lists().isEmpty()
                                            ? "the hive was not locked; mail is released"
                                            : "the hive is unlocked"
                                    : "the lock "
                                            + lock.kind()
                                            + " on "
                                            + SafeText.line(lock.pattern())
                                            + " is lifted")
                            + " ("
                            + SafeText.line(person.told())
                            + ")");
            if (released != null) {
                released.show(screen);
            } else if (waiting > 0) {
                screen.line(EmbargoCommand.told(waiting));
            }
        }
    }
}
