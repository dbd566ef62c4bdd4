// What needs you: one list over all agents, the most pressing first.

import {article, button, code, div, Fragment, h, header, p, span, useState} from "./dom.js";
import * as deeds from "./deeds.js";
import {kept, useLook, useNow} from "./hive.js";
import {Ago, Body, Chip, Command, Deadline, Empty, Foreign, Frame, MailLink, Priority, Steady, tellDone, Trouble} from "./parts.js";
import {addressOf, count, line, shortId, typed} from "./text.js";

const KINDS = {
    question: "is waiting for your answer",
    urgent: "urgent mail for you",
    dead: "failed for good",
    embargo: "waits in the embargo",
    throttled: "takes no more mail",
    refused: "sends too much",
    silent: "gives no sign of life",
    approval: "waits for your word",
    override: "counts for nothing as it is",
    breach: "was done past a lock",
};

const LATER = "rsm.board.later";
const AN_HOUR_MS = 3_600_000;

// What is put off comes back by itself, and at once where its time is nearly over.
const isLater = (item, later, now) =>
    (later[keyOf(item)] ?? 0) > now && !(item.ends_at && Date.parse(item.ends_at) - now < AN_HOUR_MS / 4);

export const keyOf = (item) => [item.kind, item.id ?? "", item.from ?? "", item.inbox ?? "", item.path ?? ""].join(" ");

// The body of mail, where it is asked for.
const Context = ({id}) => {
    const {data, problem} = useLook("letter", {id}, {isLive: false});
    return problem ? h(Trouble, {problem}) : data ? h(Body, {text: data.body}) : p({class: "waiting"}, "…");
};

// What can be done, and the mail itself where it is asked for.
const Choices = ({id, children}) => {
    const [isOpen, open] = useState(false);
    return h(Fragment, null,
        div({class: "choices"},
            children,
            id ? button({type: "button", class: "quiet", "aria-expanded": String(isOpen), onClick: () => open(!isOpen)},
                isOpen ? "less" : "read") : null),
        isOpen ? h(Context, {id}) : null);
};

const act = (text, onClick, more = {}) => button({type: "button", onClick, ...more}, text);

const Question = ({item}) =>
    h(Choices, {id: item.id},
        (item.choices ?? []).map((choice, i) =>
            act(line(choice, 80), () => deeds.answer(item.id, item.topic, item.from, choice), {
                key: choice, class: "choice", "data-key": i < 9 ? String(i + 1) : undefined,
                "aria-keyshortcuts": i < 9 ? String(i + 1) : undefined,
            })),
        (item.choices ?? []).length === 0
            ? act("Answer", () => deeds.answer(item.id, item.topic, item.from), {class: "main", "data-key": "r"})
            : act("Comment", () => deeds.reply(item.id, item.topic, item.from, true), {class: "quiet", "data-key": "r"}));

// What a lock has to do with is seen there.
const LOCKED = ({item}) => h(Fragment, null,
    p({class: "why"}, line(item.reason, 300)),
    div({class: "choices"}, act("See the locks", () => {
        location.hash = "#/locks";
    }, {class: "main"})));

const PARTS = {
    question: Question,
    urgent: ({item}) => h(Choices, {id: item.id},
            act("Reply", () => deeds.reply(item.id, item.topic, item.from), {class: "main", "data-key": "r"}),
            act("Done", () => deeds.finish(item.id, item.topic), {"data-key": "d"})),
    dead: ({item}) => h(Fragment, null,
        p({class: "why"}, line(item.reason, 300)),
        h(Choices, {id: item.id},
            item.id ? act("Send again", () => deeds.retry(item.id, item.topic ?? ""), {class: "main", "data-key": "t"}) : null,
            item.id ? act("Write to the sender", () => deeds.compose("worker://" + item.from, `About “${line(item.topic, 100)}”, which failed\n\n`), {class: "quiet"}) : null)),
    embargo: ({item}) => div({class: "choices"},
        act("Look and release ▲", () => {
            location.hash = "#/locks";
        }, {class: "main"})),
    throttled: ({item}) => div({class: "choices"},
        act("See what waits", () => {
            location.hash = "#/mail?address=" + encodeURIComponent(addressOf(item.inbox));
        }, {class: "main"})),
    refused: ({item}) => h(Fragment, null,
        p({class: "why"}, line(item.reason, 300)),
        div({class: "choices"},
            act("Mute ▲", () => deeds.mute(item.from), {class: "main", "data-key": "u"}),
            act("Write to it", () => deeds.compose("worker://" + item.from), {class: "quiet"}))),
    approval: ({item}) => div({class: "choices"},
        act("See what waits", () => {
            location.hash = "#/mail?address=" + encodeURIComponent(addressOf(item.inbox));
        }, {class: "main"})),
    override: LOCKED,
    breach: LOCKED,
    silent: ({item}) => h(Fragment, null,
        p({class: "why"}, line(item.reason, 300)),
        div({class: "choices"},
            /^rsm wake/.test(item.command ?? "") ? act("Ring", () => deeds.wake(item.from), {class: "main"}) : null,
            act("See the agents", () => {
                location.hash = "#/agents";
            }, {class: "quiet"}))),
};

const title = (item) => ({
    approval: () => h(Fragment, null, "Expired mail stays at ", code(typed(addressOf(item.inbox)))),
    override: () => h(Fragment, null, "An override of ", h(Foreign, {text: item.path, longest: 160})),
    breach: () => h(Foreign, {text: item.path, longest: 160}),
    embargo: () => count(item.count, "mail") + " kept while something was locked",
    throttled: () => h(Fragment, null, code(typed(addressOf(item.inbox))), " has too much mail: ", line(item.cause, 80)),
    refused: () => h(Fragment, null, h(Foreign, {text: item.from}), ` was refused ${count(item.count, "time")} at ${line(item.inbox, 60)}`),
    silent: () => h(Foreign, {text: item.from}),
})[item.kind]?.() ?? h(MailLink, {id: item.id, class: "topic"}, h(Foreign, {text: item.topic || "(no topic)", longest: 160}));

const Need = ({item, isGone, defer}) =>
    "count" in item && !PARTS[item.kind] || item.kind !== "embargo" && item.kind !== "refused" && item.count && !item.id
        ? article({class: "need"}, p(`${count(item.count, "more", "more")} of the kind “${item.kind}”`), h(Command, {text: item.command}))
        : article({class: "need " + item.kind, tabIndex: 0, "data-row": keyOf(item), "data-open": item.id ? "#/letter/" + item.id : undefined},
            header({},
                h(Chip, {kind: "kind " + item.kind}, item.kind),
                h(Priority, {of: item.priority}),
                title(item)),
            p({class: "who"},
                item.from && !["refused", "silent"].includes(item.kind)
                    ? h(Fragment, null, h(Foreign, {text: item.from, longest: 60}), " · ") : null,
                isGone ? "taken care of meanwhile" : KINDS[item.kind] ?? item.kind,
                item.inbox && item.kind === "dead" ? " at " + line(item.inbox, 60) : null,
                " · ", h(Ago, {at: item.since_at}),
                item.ends_at ? h(Fragment, null, " · ", h(Deadline, {at: item.ends_at})) : null,
                item.id ? span({class: "id"}, " · ", code(shortId(item.id))) : null,
                isGone ? null : button({type: "button", class: "quiet", title: "comes back in an hour", onClick: () => defer(item)}, "later")),
            isGone || !PARTS[item.kind] ? null : h(PARTS[item.kind], {item}));

export const Needs = ({status}) => {
    const now = useNow();
    const [later, setLater] = useState(kept(LATER, {}));
    const all = status.data?.needs_you ?? [];
    const items = all.filter((item) => !isLater(item, later, now));
    const keep = (next) => {
        localStorage.setItem(LATER, JSON.stringify(next));
        setLater(next);
    };
    // Only what is still there is kept, so that it does not grow.
    const defer = (item) => {
        tellDone();
        keep(Object.fromEntries([
            ...all.map((one) => [keyOf(one), later[keyOf(one)] ?? 0]).filter(([, until]) => until > now),
            [keyOf(item), Date.now() + AN_HOUR_MS],
        ]));
    };
    return h(Frame, {title: "Needs you", look: status},
        items.length === 0 && all.length === 0
            ? h(Empty, {title: "Nothing needs you.", command: "rsm ask user://you \"Merge now?\" --choice yes --choice no"},
                "Questions to you, urgent mail, what failed for good and what waits for a person’s word come here by themselves. An agent asks you like this:")
            : h(Steady, {items, keyOf, label: "What needs you", class: "cards", row: (item, isGone) => h(Need, {item, isGone, defer})}),
        all.length > items.length
            ? p({class: "facts"}, `${all.length - items.length} put off for an hour. `,
                button({type: "button", class: "quiet", onClick: () => keep({})}, "show"))
            : null,
        h(Around, {status: status.data}));
};

// The hive in a line, each figure leading to what is behind it.
const Around = ({status}) => {
    if (!status) {
        return null;
    }
    const figures = [
        [status.waiting, "waiting", "#/mail"],
        [status.claims.length, "worked on", "#/mail?state=active"],
        [status.dead.length, "dead", "#/mail?state=dead"],
        [status.expired.length, "ran out of time", "#/mail?state=expired"],
        [status.kept, "in the embargo", "#/locks"],
        [status.locks.length, status.locks.length === 1 ? "lock" : "locks", "#/locks"],
        [(status.agents ?? []).length, (status.agents ?? []).length === 1 ? "agent" : "agents", "#/agents"],
    ];
    return p({class: "around"}, figures.map(([number, text, to]) =>
        h("a", {href: to, key: text, class: number === 0 ? "none" : undefined}, span({class: "number"}, number), " ", text)));
};
