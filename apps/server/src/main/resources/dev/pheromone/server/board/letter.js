// One letter: its text, who wrote it, and how far each copy came, by evidence.

import {a, article, button, code, dd, div, dl, dt, Fragment, h, h2, li, ol, p, section, span, useState} from "./dom.js";
import * as deeds from "./deeds.js";
import {words} from "./events.js";
import {useLook} from "./hive.js";
import {Ago, Body, Chip, copy, Deadline, Foreign, Frame, From, MailLink, Priority} from "./parts.js";
import {addressOf, line, moment, plain, shortId, typed} from "./text.js";

const LEGS = {
    stored: "stored", announced: "announced", handed_over: "handed over", seen: "seen", taken: "taken", done: "done",
};

const Leg = ({leg}) =>
    li({class: leg.evidence ? "reached" : "open"},
        span({class: "mark", "aria-hidden": "true"}, leg.evidence ? "●" : "○"),
        span({class: "leg"}, LEGS[leg.leg] ?? leg.leg),
        span({class: "proof"},
            leg.evidence
                ? h(Fragment, null, h(Ago, {at: leg.at}), " · ", line(leg.actor, 60), " · ", code(line(leg.by, 60)))
                : "no evidence"));

const Copies = ({trace}) => section({"aria-label": "How far it came"},
    h2("How far it came"),
    (trace.copies ?? []).map((one) =>
        div({class: "copy", key: one.inbox + one.path},
            p(h(Chip, {kind: "state " + one.state}, one.state), " in ", code(typed(addressOf(one.inbox)))),
            ol({class: "legs"}, one.legs.map((leg) => h(Leg, {leg, key: leg.leg}))),
            p({class: "path"}, code(line(one.path, 200))))));

const History = ({trace}) => {
    const [isWhole, whole] = useState(false);
    const items = [...(trace.items ?? [])].reverse();
    const shown = isWhole ? items : items.slice(0, 12);
    return section({"aria-label": "What happened"},
        h2("What happened, the latest first"),
        trace.gaps ? p({class: "stale"}, "The files prove steps that the log does not tell of; they are marked.") : null,
        ol({class: "history"}, shown.map((item, i) =>
            li({key: i, class: item.source === "event" ? undefined : "gap"},
                h(Ago, {at: item.at}), " ",
                h(Foreign, {text: item.actor, longest: 60}), " ",
                span({dir: "auto"}, words({type: item.what, data: item.data})),
                item.source === "event" ? null : h(Chip, {kind: "fair", title: "no event tells of it"}, item.source)))),
        items.length > shown.length
            ? button({type: "button", class: "quiet", onClick: () => whole(true)}, `all ${items.length}`) : null);
};

const Head = ({data, question}) => {
    const proof = {
        from: "From", to: "To", lane: "Lane", sent: "Sent", ends: "Valid until", attempt: "Attempt", scope: "About",
    };
    const rows = [
        [proof.from, h(From, {from: data.from, signature: data.signature})],
        [proof.to, h(Foreign, {text: (data.to ?? []).map(typed).join(", ")})],
        [proof.lane, line(data.lane, 60)],
        [proof.sent, h(Fragment, null, moment(data.ts), " (", h(Ago, {at: data.ts}), ")")],
        [proof.ends, h(Ago, {at: data.expires_at})],
        ["Who may see it", line(data.consent, 30)],
        data.attempt ? [proof.attempt, String(data.attempt)] : null,
        data.scope ? [proof.scope, h(Foreign, {text: data.scope})] : null,
        data.tags?.length ? ["Tags", h(Foreign, {text: data.tags.join(", ")})] : null,
        data.correlation_id ? ["In answer to", h(MailLink, {id: data.correlation_id})] : null,
        data.attachments?.length
            ? ["With it", h(Fragment, null, data.attachments.map((one, i) => div({key: i}, code(line(one.path ?? JSON.stringify(one), 160)))))] : null,
        question ? ["Question", h(Fragment, null, h(Chip, {kind: "state " + question.state}, question.state), " ",
            question.state === "open" ? h(Deadline, {at: question.ends_at}) : line(question.answer ?? "", 160),
            question.by ? ` by ${line(question.by, 60)} (${line(question.proof, 40)}${question.by_board ? ", by board" : ""})` : null)] : null,
    ];
    return dl({class: "head"}, rows.filter(Boolean).map(([name, value]) => h(Fragment, {key: name}, dt(name), dd(value))));
};

export const Letter = ({id, me}) => {
    const letter = useLook("letter", {id});
    const trace = useLook("trace", {id});
    const [said, say] = useState("Copy id");
    const data = letter.data;
    const question = trace.data?.question ?? null;
    const isOpen = question?.state === "open";
    const mine = (data?.to ?? []).includes(me?.address);
    const states = (trace.data?.copies ?? []).map((one) => one.state);
    const ended = states.find((state) => state === "dead" || state === "expired");
    const copied = async () => {
        say((await copy(data.id)) ? "copied" : data.id);
        setTimeout(() => say("Copy id"), 2_000);
    };
    return h(Frame, {title: data ? line(data.topic || "(no topic)", 200) : "Letter " + shortId(id), look: letter},
        data ? article({class: "letter"},
            p({class: "signs"}, h(Priority, {of: data.priority}), " ", h(Chip, {kind: "state " + data.state}, data.state), " ", code(shortId(data.id)),
                data.hash_ok === false ? h(Chip, {kind: "bad"}, "changed since it was sent") : null),
            h(Head, {data, question}),
            section({"aria-label": "Text", class: "text"}, h(Body, {text: data.body})),
            div({class: "choices"},
                isOpen && (data.choices ?? []).map((choice, i) =>
                    button({
                        type: "button", class: "choice", key: choice, "data-key": String(i + 1),
                        onClick: () => deeds.answer(data.id, data.topic, data.from, choice),
                    }, line(choice, 80))),
                isOpen && !(data.choices ?? []).length
                    ? button({type: "button", class: "main", "data-key": "r", onClick: () => deeds.answer(data.id, data.topic, data.from)}, "Answer") : null,
                button({type: "button", "data-key": isOpen ? undefined : "r", onClick: () => deeds.reply(data.id, data.topic, data.from, isOpen)}, isOpen ? "Comment" : "Reply"),
                mine && states.includes("waiting")
                    ? button({type: "button", "data-key": "d", onClick: () => deeds.finish(data.id, data.topic)}, "Done") : null,
                ended ? button({type: "button", class: "main", "data-key": "t", onClick: () => deeds.retry(data.id, data.topic)}, "Send again") : null,
                button({type: "button", onClick: () => deeds.compose("", plain(data.body))}, "Resend as new"),
                button({type: "button", class: "quiet", onClick: copied, "aria-live": "polite"}, said),
                a({href: "#/log?ref=" + encodeURIComponent(data.id), class: "button quiet"}, "In the log")),
            trace.data ? h(Fragment, null, h(Copies, {trace: trace.data}), h(History, {trace: trace.data})) : null)
            : null);
};
