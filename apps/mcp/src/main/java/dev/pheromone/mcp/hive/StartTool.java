package dev.pheromone.mcp.hive;

import dev.pheromone.address.Address;
import dev.pheromone.mcp.Call;
import dev.pheromone.session.HiveLocks;
import dev.pheromone.session.Session;
import dev.pheromone.session.Start;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.look.HiveState;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;
import dev.pheromone.text.ShownText;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// `hive_start`: who the caller is here, and what waits.
final class StartTool implements Tool {

    /// More locks than this are named by `check` when they matter.
    private static final int LOCKS_MAX = 10;

    @Override
    public Told run(Session session, Arguments said, Setting setting, Call call)
            throws IOException {
        Start start = session.start();
        Instant now = setting.caller().now();
        StringBuilder text = new StringBuilder();
        text.append("you are ")
                .append(start.actor().name())
                .append(", with mail at ")
                .append(start.address())
                .append('\n');
        List<Json> inboxes = new ArrayList<>();
        for (HiveState.Box box : start.boxes()) {
            boolean isOwn = box.domain().equals(start.address().domain());
            boolean isOthers = !isOwn && !(box.domain().address() instanceof Address.Queen);
            if (isOthers) {
                continue;
            }
            text.append(box.waiting())
                    .append(" waiting ")
                    .append(isOwn ? "for you" : "for whoever works on " + box.domain());
            Instant oldest = box.oldest();
            if (oldest != null) {
                text.append(", the oldest sent ").append(Ages.relative(oldest, now));
            }
            text.append(isOwn ? ": take\n" : ": take from " + box.domain() + "\n");
            inboxes.add(
                    Json.obj()
                            .put("inbox", box.domain().name())
                            .put("waiting", box.waiting())
                            .put("active", box.active())
                            .put("yours", isOwn));
        }
        if (inboxes.isEmpty()) {
            text.append("nothing waits\n");
        }
        List<Json> claims = new ArrayList<>();
        for (HiveState.Claimed claim : start.claims()) {
            text.append("you hold ")
                    .append(claim.name())
                    .append(", whose lease ends ")
                    .append(Ages.relative(claim.held().leaseEndsAt(), now))
                    .append('\n');
            claims.add(
                    Json.obj()
                            .put("claim", claim.name())
                            .put("lease_ends_at", IsoTime.format(claim.held().leaseEndsAt())));
        }
        List<Json> locks = new ArrayList<>();
        for (HiveLocks.Active lock : start.locks()) {
            if (locks.size() == LOCKS_MAX) {
                text.append("and ")
                        .append(start.locks().size() - LOCKS_MAX)
                        .append(" more locks; check says of a path whether it is locked\n");
                break;
            }
            text.append("locked (")
                    .append(lock.kind())
                    .append("): ")
                    .append(ShownText.line(lock.covers()))
                    .append('\n');
            locks.add(
                    Json.obj()
                            .put("kind", lock.kind())
                            .put("covers", ShownText.line(lock.covers())));
        }
        return Told.of(
                text.toString(),
                Json.obj()
                        .put("actor", start.actor().name())
                        .put("address", start.address().toString())
                        .put("inboxes", Json.arr(inboxes))
                        .put("claims", Json.arr(claims))
                        .put("locks", Json.arr(locks)));
    }
}
