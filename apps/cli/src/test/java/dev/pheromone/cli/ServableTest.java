package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.resident.Servable;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Every option of a verb that a resident answers was looked at: a new one that asks, stays, or
/// reads a file of the caller's must not come in unnoticed.
class ServableTest {

    /// Options that neither ask, nor stay, nor name a file.
    private static final Set<String> HARMLESS =
            Set.of(
                    "actor",
                    "after",
                    "all",
                    "by-sender",
                    "cc",
                    "chart",
                    "choice",
                    "comment",
                    "consent",
                    "corrects",
                    "correlation-id",
                    "create",
                    "deadline",
                    "default",
                    "default-permits",
                    "drop",
                    "dry-run",
                    "erase",
                    "free",
                    "from",
                    "id",
                    "in",
                    "inbox",
                    "lane",
                    "lease",
                    "limit",
                    "line",
                    "list",
                    "peek",
                    "priority",
                    "raw",
                    "read",
                    "ref",
                    "reply",
                    "reply-to",
                    "scope",
                    "select",
                    "since",
                    "state",
                    "status",
                    "tag",
                    "tail",
                    "to",
                    "topic",
                    "ttl",
                    "type",
                    "until",
                    "why",
                    "write");

    @Test
    void noOptionIsUnknown() {
        Set<String> unknown = new TreeSet<>();
        for (String verb : Servable.VERBS) {
            Spec spec = Verbs.specs(List.of(verb)).getFirst();
            for (Opt opt : spec.opts()) {
                if (!opt.isPath()
                        && !Servable.STAYING.contains(opt.name())
                        && !Servable.SIGNING.contains(opt.name())
                        && !HARMLESS.contains(opt.name())) {
                    unknown.add(verb + " --" + opt.name());
                }
            }
        }
        assertThat(unknown).isEmpty();
    }
}
