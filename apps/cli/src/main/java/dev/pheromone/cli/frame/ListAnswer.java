package dev.pheromone.cli.frame;

import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.util.List;

/// The shape that every list has in `--json`.
public final class ListAnswer {

    private ListAnswer() {}

    /// All there is.
    public static Json.Obj whole(List<? extends Json> items) {
        return page(items, null);
    }

    /// A part; `cursor` says where the next one begins, or is null after the last.
    static Json.Obj page(List<? extends Json> items, @Nullable String cursor) {
        return Json.obj()
                .put("items", Json.arr(items))
                .put("count", items.size())
                .put("more", cursor != null)
                .put("cursor", cursor == null ? Json.Null.NULL : Json.of(cursor));
    }
}
