package dev.pheromone.hive;

import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import java.util.ArrayList;
import java.util.List;

/// A report as JSON: each promise with what was found and what was expected, as `rsm slo --json`
/// and the server answer it.
public final class ServiceReportJson {

    private ServiceReportJson() {}

    /// The report as programs read it.
    public static Json.Obj write(ServiceReport report) {
        List<Json> items = new ArrayList<>();
        for (ServiceLevel level : report.levels()) {
            items.add(write(level));
        }
        return Json.obj()
                .put("items", Json.arr(items))
                .put("count", items.size())
                .put("more", false)
                .put("cursor", Json.Null.NULL)
                .put("since_at", IsoTime.format(report.since()))
                .put("until_at", IsoTime.format(report.until()))
                .put("missed", report.missed())
                .put("open", report.open())
                .put("withheld", report.withheld())
                .put("unreadable", report.unreadable());
    }

    private static Json.Obj write(ServiceLevel level) {
        Double value = level.value();
        return Json.obj()
                .put("metric", level.metric().toString())
                .put("value", value == null ? Json.Null.NULL : Json.of(value))
                .put("target", level.metric().target())
                .put("bound", level.metric().isCeiling() ? "at_most" : "at_least")
                .put("unit", unit(level))
                .put("samples", level.samples())
                .put("ok", ok(level));
    }

    private static String unit(ServiceLevel level) {
        return switch (level.metric().unit()) {
            case SECONDS -> "s";
            case RATIO -> "ratio";
            case COUNT -> "count";
        };
    }

    /// Null where there is nothing to tell by.
    private static Json ok(ServiceLevel level) {
        return switch (level.result()) {
            case MET -> Json.of(true);
            case MISSED -> Json.of(false);
            case NO_DATA -> Json.Null.NULL;
        };
    }
}
