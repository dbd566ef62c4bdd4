// What is locked, what that kept, and who has reserved what.

import {article, button, code, div, form, Fragment, h, h2, input, label, option, p, section, select, span, useState} from "./dom.js";
import * as deeds from "./deeds.js";
import {look as ask, useLook} from "./hive.js";
import {Ago, Chip, Command, Empty, Foreign, Frame, Trouble} from "./parts.js";
import {count, length, line, shortId, typed} from "./text.js";

const Lock = ({held, waits}) =>
    article({class: "lock", tabIndex: 0},
        div({class: "headline"},
            h(Chip, {kind: "state bad"}, line(held.kind, 30)),
            code(line(held.pattern ?? held.hash ?? "everything", 160)),
            button({type: "button", class: "quiet", onClick: () => deeds.unlock(held, waits)}, "lift ▲"),
            held.kind === "hive" ? null : button({type: "button", class: "quiet", onClick: () => deeds.permit(held.pattern)}, "permit one change ▲")),
        p(held.reason ? h(Foreign, {text: held.reason}) : "no reason was given"),
        p({class: "facts"}, held.expires_at ? span("ends ", h(Ago, {at: held.expires_at})) : span("ends when a person lifts it"), code(line(held.declared_in, 120))));

const May = () => {
    const [asked, set] = useState({path: "", access: "write"});
    const [answer, say] = useState(null);
    const run = async (event) => {
        event.preventDefault();
        try {
            say({items: (await ask("check", asked)).items});
        } catch (problem) {
            say(problem.said?.items ? {items: problem.said.items} : {problem});
        }
    };
    return section({"aria-label": "May it be touched?"},
        h2("May it be touched?"),
        form({class: "inline", onSubmit: run},
            label({for: "may-path"}, "Path"),
            input({id: "may-path", value: asked.path, required: true, placeholder: "src/main.c", onInput: (event) => set({...asked, path: event.target.value})}),
            label({for: "may-access"}, "to"),
            select({id: "may-access", value: asked.access, onChange: (event) => set({...asked, access: event.target.value})},
                ["read", "write", "erase"].map((each) => option({key: each}, each))),
            button({type: "submit"}, "Check")),
        div({"aria-live": "polite"},
            answer?.problem ? h(Trouble, {problem: answer.problem}) : null,
            (answer?.items ?? []).map((item) =>
                p({key: item.path}, h(Chip, {kind: item.allowed ? "good" : "bad"}, item.allowed ? "yes" : "no"), " ",
                    code(line(item.path, 160)), item.allowed ? "" : `: ${line(item.lock, 30)}, ${line(item.reason, 160)}`))));
};

const Embargo = ({items}) => section({"aria-label": "Embargo"},
    h2("In the embargo"),
    items.length === 0
        ? p({class: "why"}, "Mail that is sent while something is locked waits here until a person releases it.")
        : h(Fragment, null,
            div({class: "choices"}, button({type: "button", onClick: () => deeds.release(items, true)}, `Release all ${items.length} ▲`)),
            items.slice(0, 200).map((item) =>
                article({class: "mail", key: item.path, tabIndex: 0},
                    span({class: "topic"}, h(Foreign, {text: item.topic ?? item.path, longest: 140})),
                    span({class: "facts"},
                        item.from ? h(Foreign, {text: item.from}) : null,
                        span("for ", line((item.to ?? []).map(typed).join(", "), 100)),
                        h(Chip, {kind: "state " + item.state, title: "what would become of it now"}, line(item.state, 30)),
                        item.reason ? line(item.reason, 120) : null,
                        item.expires_in_s !== undefined ? span("ends in ", length(item.expires_in_s)) : null,
                        item.id ? code(shortId(item.id)) : null,
                        item.id ? button({type: "button", class: "quiet", onClick: () => deeds.release([item], false)}, "release ▲") : null)))));

export const Locks = () => {
    const locks = useLook("locks");
    const embargo = useLook("embargo");
    const reservations = useLook("reservations");
    const blocked = useLook("log", {type: "policy_guard", tail: 10});
    const waits = embargo.data?.items?.length ?? 0;
    return h(Frame, {
        title: "Locks", look: locks,
        aside: div({class: "buttons"}, button({type: "button", onClick: () => deeds.lock()}, "Lock …"), button({type: "button", class: "danger", onClick: () => deeds.lock("hive")}, "Freeze the hive …")),
    },
    (locks.data?.items ?? []).length === 0
        ? h(Empty, {title: "Nothing is locked.", command: "rsm lock dnr \"**/*.pem\" --reason \"private keys\""}, "A lock keeps files, or the whole hive, from everybody until a person lifts it:")
        : (locks.data?.items ?? []).map((held) => h(Lock, {held, waits, key: held.declared_in + held.pattern})),
    h(May),
    h(Embargo, {items: embargo.data?.items ?? []}),
    section({"aria-label": "Reservations"},
        h2("Reserved paths"),
        (reservations.data?.items ?? []).length === 0
            ? p({class: "why"}, "Agents reserve what they are about to edit, so that they don’t meet in one file: rsm reserve \"src/**\".")
            : reservations.data.items.map((one, i) =>
                p({key: i}, h(Foreign, {text: one.holder ?? one.actor}), " has ",
                    code(line([].concat(one.paths ?? one.pattern ?? []).join(" "), 160)), one.why ? " for " + line(one.why, 120) : "", ", until ", h(Ago, {at: one.ends_at})))),
    section({"aria-label": "What locks stopped"},
        h2("What locks stopped"),
        (blocked.data?.items ?? []).length === 0
            ? p({class: "why"}, "Nothing yet.")
            : [...blocked.data.items].reverse().map((event, i) =>
                p({key: i}, h(Ago, {at: event.ts}), " ", h(Foreign, {text: event.actor}), " ",
                    code(line(event.data?.path ?? event.data?.command ?? "", 160)), " ", line(event.data?.reason ?? "", 160)))));
};

// The whole hive stands still: who, since when, why, what waits, and how it ends.
export const Frozen = ({freeze}) => {
    const embargo = useLook("embargo");
    const kept = embargo.data?.items?.length ?? freeze.kept ?? 0;
    return div({class: "screen frozen", role: "alert"},
        h("h1", {tabIndex: -1}, "The hive is frozen"),
        p({class: "since"}, "by ", h(Foreign, {text: freeze.by ?? "somebody"}), ", ", h(Ago, {at: freeze.since_at})),
        p({class: "reason"}, freeze.reason ? h(Foreign, {text: freeze.reason, class: "reason"}) : "No reason was given."),
        p(kept === 0 ? "Nothing waits in the embargo." : `${count(kept, "mail waits", "mails wait")} in the embargo, neither lost nor delivered, until a person releases what is there.`,
            freeze.outcomes ? ` ${count(freeze.outcomes, "result")} of work that was under way is kept too.` : ""),
        p("Nobody takes or finishes mail until a person lifts the lock. This page shows the hive again by itself then."),
        div({class: "choices"},
            button({type: "button", class: "main", "data-key": "u", onClick: () => deeds.unlock({kind: "hive"}, kept)}, "Lift the lock ▲")),
        h(Command, {text: "rsm unlock hive"}),
        h(Embargo, {items: embargo.data?.items ?? []}));
};
