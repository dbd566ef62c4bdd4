package dev.pheromone.cli.lock;

import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.Ages;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.LockEntry;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.lock.Locksmith;
import dev.pheromone.session.ApprovedGuards;
import dev.pheromone.session.OpenHive;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// What is locked now: the hive as a whole, what lists cover, and the guard programs that have a
/// say.
public record LockListing(List<Item> items) implements Answer {

    private static final String OUTSIDE_GUARD = "outside-guard";

    /// One lock.
    ///
    /// @param hash the content that is locked wherever it lies, or that of a guard program
    /// @param approved whether a guard program may run; null for other locks
    public record Item(
            String kind,
            String pattern,
            @Nullable String hash,
            String reason,
            @Nullable Instant expires,
            String declaredIn,
            @Nullable Boolean approved) {

        Json.Obj json() {
            Json.Obj json =
                    Json.obj()
                            .put("kind", kind)
                            .put("pattern", pattern)
                            .put("hash", hash == null ? Json.Null.NULL : Json.of(hash))
                            .put("reason", reason)
                            .put(
                                    "expires_at",
                                    expires == null ? Json.Null.NULL : LockAnswer.time(expires))
                            .put("declared_in", declaredIn);
            return approved == null ? json : json.put("approved", approved);
        }

        private String covers() {
            return pattern.isEmpty() ? String.valueOf(hash) : pattern;
        }
    }

    /// What is locked in an open hive.
    public static LockListing of(Invocation call, OpenHive hive) throws IOException {
        return of(call, hive.layout(), hive.guard(), new Locksmith(hive.layout(), hive.guard()));
    }

    static LockListing of(Invocation call, HiveLayout layout, LockFiles guard, Locksmith smith)
            throws IOException {
        List<Item> items = new ArrayList<>();
        if (smith.isHiveLocked()) {
            items.add(
                    new Item(
                            LockWhat.HIVE,
                            HiveLayout.HIVE_FOLDER,
                            null,
                            smith.hiveReason(),
                            null,
                            smith.hiveLock(),
                            null));
        }
        for (LockEntry entry : guard.entries()) {
            items.add(
                    new Item(
                            entry.kind().toString(),
                            entry.pattern(),
                            entry.hash() == null ? null : entry.hash().toString(),
                            entry.reason(),
                            entry.expires(),
                            entry.declaredIn(),
                            null));
        }
        try {
            List<Locksmith.Tool> tools = smith.tools();
            Set<ContentHash> approved = tools.isEmpty() ? Set.of() : new ApprovedGuards(call).get();
            for (Locksmith.Tool tool : tools) {
                boolean isApproved = approved.contains(tool.hash());
                items.add(
                        new Item(
                                OUTSIDE_GUARD,
                                HiveLayout.HIVE_FOLDER,
                                tool.hash().toString(),
                                isApproved ? "it is asked" : "not approved: it locks the hive",
                                null,
                                tool.file(),
                                isApproved));
            }
        } catch (WithheldException e) {
            // Under the hive's own lock they may not be looked at, and nobody asks them.
        }
        return new LockListing(items);
    }

    @Override
    public Json.Obj json() {
        return ListAnswer.whole(jsonItems());
    }

    @Override
    public void show(Screen screen) {
        if (items.isEmpty()) {
            screen.line("nothing is locked");
            return;
        }
        screen.table(table(screen.now()));
        for (Item item : items) {
            if (Boolean.FALSE.equals(item.approved())) {
                screen.line("to approve a guard program that you know:  rsm lock trust-guard");
                return;
            }
        }
    }

    public Table table(Instant now) {
        Table table = new Table("LOCK", "COVERS", "REASON", "ENDS", "DECLARED IN");
        for (Item item : items) {
            table.row(
                    item.kind(),
                    item.covers(),
                    item.reason().isEmpty() ? "-" : item.reason(),
                    item.expires() == null ? "-" : Ages.relative(item.expires(), now),
                    item.declaredIn());
        }
        return table;
    }

    public List<Json> jsonItems() {
        List<Json> all = new ArrayList<>();
        for (Item item : items) {
            all.add(item.json());
        }
        return all;
    }

    @Override
    public void showBriefly(Screen screen) {
        for (Item item : items) {
            screen.line(SafeText.line(item.kind() + " " + item.covers()));
        }
    }
}
