package dev.pheromone.mcp.hive;

import dev.pheromone.Claim;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.mcp.Call;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.session.hive.Take;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.time.Duration;

/// `take`: the most urgent mail, under a lease.
final class TakeTool implements Tool {

    static final String WAIT = "wait_s";

    /// Clients give up after a minute.
    static final int WAIT_S_MAX = 55;

    @Override
    public Told run(Session session, Arguments said, Setting setting, Call call)
            throws IOException {
        String id = said.text("id");
        Duration lease = said.duration("lease");
        Duration wait = Duration.ofSeconds(said.count(WAIT, 0, WAIT_S_MAX));
        Take take =
                id == null
                        ? session.select(
                                said.address("from"),
                                lease,
                                new Session.Patience(wait, call::isOver))
                        : session.take(id, said.address("from"), lease);
        return switch (take) {
            case Take.Taken(Claim claim, String name) ->
                    taken(claim, name, setting).orElse(() -> giveBack(session, claim));
            case Take.Withheld(var lock, var reason, var inbox) ->
                    throw HiveTools.withheld(lock, inbox + ": " + reason);
            case Take.Nothing nothing -> nothing(nothing);
        };
    }

    private static void giveBack(Session session, Claim claim) {
        try {
            Settlement _ = session.giveBack(claim, "the answer could not be given");
        } catch (IOException | RuntimeException e) {
            // Then the lease brings the mail back.
        }
    }

    private static Told taken(Claim claim, String name, Setting setting) {
        Shown shown =
                Shown.of(
                        new OpenedCopy(
                                claim.envelope(),
                                claim.signature(),
                                claim.inbox(),
                                State.ACTIVE,
                                claim.location()),
                        1);
        String text =
                shown.text()
                        + "yours as claim "
                        + name
                        + ", attempt "
                        + claim.attempt()
                        + "; the lease ends "
                        + Ages.relative(claim.leaseEndsAt(), setting.caller().now())
                        + "; end it with done\n";
        return Told.of(
                text,
                shown.json()
                        .put("claim", claim.token())
                        .put("attempt", claim.attempt())
                        .put("lease_ends_at", IsoTime.format(claim.leaseEndsAt())));
    }

    private static Told nothing(Take.Nothing nothing) {
        Json.Obj json =
                Json.obj()
                        .put("taken", false)
                        .put("inbox", nothing.inbox().toString())
                        .put("paused", nothing.paused());
        Integer active = nothing.active();
        String others =
                (nothing.paused() == 0 ? "" : "; " + nothing.paused() + " paused after a failure")
                        + (active == null || active == 0 ? "" : "; " + active + " being worked on");
        return Told.of("nothing to take at " + nothing.inbox() + others + "\n", json);
    }
}
