// The event log in words, live.

import {a, button, div, Fragment, h, input, label, li, meter, ol, option, p, section, select, span, useEffect, useRef, useState} from "./dom.js";
import {isFailure, isRoutine, refOf, TYPES, words} from "./events.js";
import {look as ask, query, useLook} from "./hive.js";
import {Ago, Empty, Foreign, Frame, MailLink, Trouble} from "./parts.js";
import {onEvents} from "./stream.js";
import {length, line} from "./text.js";

const FIRST = 200;
const KEPT_MAX = 3_000;

const keyOf = (event) => event.cursor ?? [event.ts, event.type, event.actor, JSON.stringify(event.data)].join(" ");

const allows = (now, event) =>
    (!now.type || event.type === now.type)
    && (!now.actor || event.actor === now.actor)
    && (!now.lane || event.lane === now.lane)
    && (!now.ref || JSON.stringify(event.data ?? {}).toUpperCase().includes(now.ref.toUpperCase()));

// Runs of routine by one actor are one line; failures never are.
const folded = (events, isWhole) => {
    const lines = [];
    for (const event of events) {
        const before = lines.at(-1);
        if (!isWhole && isRoutine(event) && before?.isRoutine && before.events[0].actor === event.actor) {
            before.events.push(event);
        } else {
            lines.push({events: [event], isRoutine: isRoutine(event)});
        }
    }
    return lines;
};

const Event = ({of: event}) =>
    h(Fragment, null,
        a({href: "#/log" + query({until: new Date(Date.parse(event.ts) + 1).toISOString()}), title: event.ts, class: "moment"}, h(Ago, {at: event.ts})),
        " ", h(Foreign, {text: event.actor, longest: 40, class: "name"}), " ",
        span({dir: "auto"}, words(event)),
        " ", refOf(event) ? h(MailLink, {id: refOf(event)}) : null);

const Line = ({of: {events, isRoutine: isDull}}) => {
    const [isOpen, open] = useState(false);
    const latest = events.at(-1);
    return li({class: isFailure(latest) ? "failure" : isDull ? "routine" : undefined},
        h(Event, {of: latest}),
        events.length > 1
            ? button({type: "button", class: "quiet", "aria-expanded": String(isOpen), onClick: () => open(!isOpen)},
                isOpen ? "fold" : `and ${events.length - 1} × routine before it`)
            : null,
        isOpen ? ol(events.slice(0, -1).reverse().map((event) => li({key: keyOf(event)}, h(Event, {of: event})))) : null);
};

const Signals = () => {
    const {data} = useLook("signals");
    const items = data?.items ?? [];
    const strongest = Math.max(1, ...items.map((item) => item.strength));
    return items.length === 0 ? null : section({"aria-label": "Signals", class: "signals"},
        h("h2", null, "Signals in the air"),
        items.slice(0, 30).map((item) =>
            div({class: "signal", key: item.lane + item.topic},
                meter({min: 0, max: strongest, value: item.strength, title: `strength ${item.strength}`}),
                h(Foreign, {text: item.topic, longest: 120}),
                span({class: "facts"}, line(item.lane, 40), item.drops > 1 ? ` · ${item.drops} drops` : "", " · gone in ", length(item.expires_in_s)))));
};

export const Log = ({parameters: now}) => {
    const [events, set] = useState(null);
    const [problem, setProblem] = useState(null);
    const [isPaused, pause] = useState(Boolean(now.until));
    const [waiting, setWaiting] = useState(0);
    const [isWhole, whole] = useState(false);
    const [hasEarlier, setEarlier] = useState(true);
    const held = useRef([]);
    const paused = useRef(isPaused);
    paused.current = isPaused;
    const wish = {type: now.type, actor: now.actor, lane: now.lane, ref: now.ref};
    const key = JSON.stringify(now);
    const load = async (until) => {
        const answer = await ask("log", {...wish, tail: FIRST, until});
        return answer.items.filter((one) => one.type);
    };
    useEffect(() => {
        let isOver = false;
        held.current = [];
        setWaiting(0);
        set(null);
        pause(Boolean(now.until));
        load(now.until).then(
            (items) => {
                if (!isOver) {
                    const known = new Set(items.map(keyOf));
                    set([...items, ...held.current.filter((one) => !known.has(keyOf(one)))]);
                    held.current = [];
                    setEarlier(items.length >= FIRST);
                    setProblem(null);
                }
            },
            (e) => isOver || setProblem(e));
        const end = onEvents((batch) => {
            const fresh = batch.filter((one) => one.name === "message" && allows(now, one.data)).map((one) => one.data);
            if (fresh.length === 0 || isOver) {
                return;
            }
            if (paused.current) {
                held.current = [...held.current, ...fresh].slice(-KEPT_MAX);
                setWaiting(held.current.length);
            } else {
                set((before) => {
                    if (before === null) {
                        held.current.push(...fresh);
                        return before;
                    }
                    const known = new Set(before.slice(-400).map(keyOf));
                    return [...before, ...fresh.filter((one) => !known.has(keyOf(one)))].slice(-KEPT_MAX);
                });
            }
        });
        return () => {
            isOver = true;
            end();
        };
    }, [key]);
    const resume = () => {
        if (now.until) {
            location.hash = "#/log" + query({...now, until: ""});
            return;
        }
        set((before) => [...(before ?? []), ...held.current].slice(-KEPT_MAX));
        held.current = [];
        setWaiting(0);
        pause(false);
    };
    const earlier = async () => {
        try {
            const [first] = events;
            const found = await load(new Date(Date.parse(first.ts) + 1).toISOString());
            const known = new Set(events.map(keyOf));
            const before = found.filter((one) => !known.has(keyOf(one)));
            setEarlier(before.length > 0);
            pause(true);
            set([...before, ...events].slice(0, KEPT_MAX));
        } catch (e) {
            setProblem(e);
        }
    };
    const go = (name) => (event) => {
        location.hash = "#/log" + query({...now, [name]: event.target.value, until: ""});
    };
    const lines = folded(events ?? [], isWhole).reverse();
    return h(Frame, {
        title: "Log",
        aside: div({class: "buttons"},
            button({type: "button", "aria-pressed": String(isPaused), "data-key": " ", onClick: () => isPaused ? resume() : pause(true)},
                isPaused ? (waiting > 0 ? `Go on: ${waiting} new` : "Go on") : "Pause"),
            label({class: "flag"}, input({type: "checkbox", checked: isWhole, onChange: (event) => whole(event.target.checked)}), " every event")),
    },
    h(Trouble, {problem}),
    div({class: "filters"},
        label("What ", select({value: now.type ?? "", onChange: go("type")},
            option({value: ""}, "all"), TYPES.map((type) => option({key: type, value: type}, type.replace(/_/g, " "))))),
        label("Who ", input({value: now.actor ?? "", placeholder: "anybody", onChange: go("actor")})),
        label("About ", input({value: now.ref ?? "", placeholder: "an id", onChange: go("ref")})),
        now.until ? a({href: "#/log" + query({...now, until: ""}), class: "button quiet"}, "up to ", new Date(now.until).toLocaleString(), " ✕") : null),
    events === null ? (problem ? null : p({class: "waiting"}, "Asking the hive …"))
        : events.length === 0
            ? h(Empty, {title: "No event yet.", command: "rsm drop \"tests are slow\""}, "All that happens to mail is written here, and signals that anybody leaves:")
            : ol({class: "events", "aria-label": "Events, the latest first"}, lines.slice(0, 400).map((one) => h(Line, {of: one, key: keyOf(one.events[0])}))),
    events !== null && events.length > 0 && hasEarlier ? button({type: "button", class: "quiet", onClick: earlier}, "earlier") : null,
    h(Signals));
};
