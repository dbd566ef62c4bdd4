// How the hive keeps its promises, in figures and over time.

import {a, button, div, figure, h, img, p, section, span, table, tbody, td, th, thead, tr, useEffect, useState} from "./dom.js";
import {look as ask, query, useLook} from "./hive.js";
import {Chip, Empty, Frame, Tabs, Trouble} from "./parts.js";
import {count, line} from "./text.js";

const NAMES = {
    latency_p50: "Half of all mail is taken within",
    latency_p95: "95 of 100 are taken within",
    delivery: "Mail that arrives",
    duplicates: "Mail that has two effects",
    coverage: "Mail that somebody looks after",
    violations: "Changes of what is locked",
    recovery: "After a crash, back within",
    seen: "Mail that its model sees within 2 min",
};

const figureOf = (item, value) =>
    value === null ? "no data"
        : item.unit === "s" ? (value < 60 ? `${Number(value).toLocaleString("en", {maximumFractionDigits: 2})} s` : `${Math.round(value / 6) / 10} min`)
        : item.unit === "ratio" ? `${(value * 100).toLocaleString("en", {maximumFractionDigits: 2})} %`
        : String(value);

const CHARTS = {
    latency: "How long mail took, from sent to done", depth: "How much waits",
    throughput: "How much comes to its end", oldest: "How long the oldest waits",
};

// Each reads the log of its span: one after the other, so that the server is not busy with them all.
const Charts = ({since}) => {
    const [drawn, set] = useState(1);
    return div({class: "charts"}, Object.keys(CHARTS).map((of, i) =>
        h(Chart, {of, since, key: of, isTurn: i < drawn, done: () => set((before) => Math.max(before, i + 2))})));
};

const Chart = ({of, since, isTurn, done}) => {
    const [picture, set] = useState(null);
    const [problem, fail] = useState(null);
    useEffect(() => {
        if (!isTurn) {
            return undefined;
        }
        let isOver = false;
        ask("chart", {of, since})
            .then(
                (svg) => isOver || set("data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg)),
                (e) => isOver || fail(e))
            .then(() => isOver || done());
        return () => {
            isOver = true;
        };
    }, [of, since, isTurn]);
    return figure({class: "chart"},
        h("figcaption", null, CHARTS[of],
            picture ? a({href: picture, download: `${of}.svg`, class: "button quiet"}, "download") : null),
        problem ? h(Trouble, {problem}) : picture ? img({src: picture, alt: CHARTS[of] + ", over the last " + since}) : p({class: "waiting"}, "…"));
};

export const Promises = ({parameters}) => {
    const since = parameters.since ?? "24h";
    const look = useLook("slo", {since}, {isLive: false});
    const save = () => {
        const link = document.createElement("a");
        link.href = "data:application/json;charset=utf-8," + encodeURIComponent(JSON.stringify(look.data, null, 2));
        link.download = "promises.json";
        link.click();
    };
    return h(Frame, {
        title: "Promises", look,
        aside: h(Tabs, {of: ["1h", "24h", "7d", "30d"].map((each) => [each, each]), chosen: since, to: (each) => "#/promises" + query({since: each})}),
    },
    look.data ? section({"aria-label": "Service levels"},
        look.data.items.every((item) => item.value === null)
            ? h(Empty, {title: "No data yet."}, "Once mail is sent, taken and done here, this shows how well.") : null,
        div({class: "wide"}, table(
            thead(tr(th({scope: "col"}, "Promise"), th({scope: "col"}, "Is"), th({scope: "col"}, "Target"), th({scope: "col"}, "Samples"), th({scope: "col"}, ""))),
            tbody(look.data.items.map((item) =>
                tr({key: item.metric},
                    th({scope: "row"}, NAMES[item.metric] ?? "", " ", span({class: "facts"}, line(item.metric, 60))),
                    td(figureOf(item, item.value)),
                    td(item.bound === "at_most" ? "≤ " : "≥ ", figureOf(item, item.target)),
                    td(item.samples.toLocaleString("en")),
                    td(item.ok === null ? h(Chip, {}, "no data") : h(Chip, {kind: item.ok ? "good" : "bad"}, item.ok ? "kept" : "missed"))))))),
        p({class: "facts"},
            look.data.open ? count(look.data.open, "mail") + " still on the way; " : "",
            look.data.unreadable ? count(look.data.unreadable, "line") + " could not be read; " : "",
            button({type: "button", class: "quiet", onClick: save}, "download"))) : null,
    look.data ? h(Charts, {since, key: since}) : null);
};
