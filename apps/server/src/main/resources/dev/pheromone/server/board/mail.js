// Inboxes and the mail in them, by state.

import {a, article, button, code, details, div, Fragment, h, label, li, nav, option, p, select, span, summary, ul} from "./dom.js";
import * as deeds from "./deeds.js";
import {query, useLook} from "./hive.js";
import {Ago, Chip, Empty, Foreign, Frame, From, MailLink, Priority, Steady, Tabs} from "./parts.js";
import {addressOf, count, length, line, shortId, typed} from "./text.js";

const PAGE = 200;

const to = (now, more) => "#/mail" + query({...now, ...more});

const Box = ({box, chosen, now}) =>
    li({key: box.inbox},
        a({href: to(now, {address: box.address}), "aria-current": chosen ? "true" : undefined, class: box.waiting + box.active + box.bad === 0 ? "quiet" : undefined},
            span({class: "name"}, line(typed(box.address), 60)),
            span({class: "depth"}, box.waiting, box.active ? `+${box.active}` : ""),
            box.waiting > 0 ? span({class: "age", title: "the oldest"}, length(box.oldest_age_s ?? 0)) : null,
            box.backpressure ? h(Chip, {kind: "bad", title: line(box.backpressure.cause)}, "full") : null));

const Boxes = ({status, address, now}) => {
    const own = status.inboxes.filter((box) => !box.address.startsWith("worker://"));
    const workers = status.inboxes.filter((box) => box.address.startsWith("worker://"));
    const row = (box) => h(Box, {box, chosen: box.address === address, now, key: box.inbox});
    return nav({class: "boxes", "aria-label": "Inboxes"},
        ul({}, own.map(row)),
        workers.length === 0 ? null
            : details({open: workers.some((box) => box.address === address || box.waiting > 0) && workers.length < 8},
                summary(count(workers.length, "worker"), " ", span({class: "depth"}, workers.reduce((sum, box) => sum + box.waiting, 0))),
                ul({}, workers.map(row))));
};

const Waiting = ({item}) =>
    article({class: "mail", tabIndex: 0, "data-row": item.id, "data-open": "#/letter/" + item.id},
        h(Priority, {of: item.priority}),
        h(MailLink, {id: item.id, class: "topic"}, h(Foreign, {text: item.topic || "(no topic)", longest: 140})),
        span({class: "facts"},
            h(From, {from: item.from, signature: item.signature}),
            item.effective && item.effective !== item.priority ? h(Chip, {kind: "fair", title: "age or a failure has changed its class"}, "as " + item.effective) : null,
            item.attempt > 1 ? h(Chip, {kind: "fair"}, "try " + item.attempt) : null,
            span({title: "waits since"}, length(item.age_s), " old"),
            span({title: "its time"}, "ends in ", length(item.expires_in_s)),
            code(shortId(item.id))));

const Life = ({item}) => {
    const whole = item.age_s + item.expires_in_s;
    return h("meter", {min: 0, max: whole || 1, value: item.age_s, low: whole * 0.5, high: whole * 0.9, title: "of its life"});
};

const filters = (now, items) => {
    const lanes = [...new Set(items.map((item) => item.lane))].sort();
    const pick = (name, text, all) => label({key: name}, text, " ",
        select({value: now[name] ?? "", onChange: (event) => {
            location.hash = to(now, {[name]: event.target.value});
        }}, option({value: ""}, "all"), all.map((each) => option({value: each, key: each}, line(each, 40)))));
    return div({class: "filters"},
        pick("priority", "Class", ["P0", "P1", "P2", "P3"]),
        pick("lane", "Lane", now.lane && !lanes.includes(now.lane) ? [now.lane, ...lanes] : lanes),
        now.from ? a({href: to(now, {from: ""}), class: "button quiet"}, "from ", line(now.from, 40), " ✕") : null);
};

const Inbox = ({now, address}) => {
    const look = useLook("inbox", {address, lane: now.lane, priority: now.priority, from: now.from, limit: now.limit ?? PAGE});
    const items = look.data?.items ?? [];
    return h(Fragment, null,
        filters(now, items),
        look.problem ? p({class: "trouble"}, look.problem.message) : null,
        look.data && items.length === 0
            ? h(Empty, {title: "Nothing waits here.", command: `rsm send --to ${typed(address)} "please look"`}, "Mail comes here when somebody sends it:")
            : h(Steady, {items, keyOf: (item) => item.id, label: "Mail that waits", row: (item) => h(Fragment, null, h(Waiting, {item}), h(Life, {item}))}),
        look.data?.more ? a({href: to(now, {limit: String(2 * Number(now.limit ?? PAGE))}), class: "button quiet"}, `more of ${look.data.waiting}`) : null,
        (look.data?.bad ?? []).length > 0 ? p({class: "trouble"}, count(look.data.bad.length, "file"), " in this inbox can’t be read as mail; rsm doctor tells which.") : null);
};

const Active = ({status, address}) => {
    const claims = status.claims.filter((claim) => !address || addressOf(claim.inbox) === address);
    return claims.length === 0
        ? h(Empty, {title: "Nobody works on mail now.", command: "rsm work code -- ./my-agent"}, "A worker takes mail like this:")
        : h(Steady, {items: claims, keyOf: (claim) => claim.claim, label: "Mail that is worked on", row: (claim) =>
            article({class: "mail", tabIndex: 0, "data-row": claim.claim, "data-open": "#/letter/" + claim.id},
                h(MailLink, {id: claim.id, class: "topic"}, h(Foreign, {text: claim.topic || "(no topic)", longest: 140})),
                span({class: "facts"},
                    h(Foreign, {text: claim.worker}), span("has it since ", h(Ago, {at: claim.claimed_at})),
                    span("lease ends ", h(Ago, {at: claim.lease_ends_at})),
                    claim.attempt > 1 ? h(Chip, {kind: "fair"}, "try " + claim.attempt) : null,
                    code(shortId(claim.id)),
                    button({type: "button", class: "quiet", onClick: () => deeds.giveBack(claim)}, "give back ▲")))});
};

const Kept = () => {
    const look = useLook("embargo");
    const items = look.data?.items ?? [];
    return items.length === 0
        ? h(Empty, {title: "Nothing is kept."}, "Mail that is sent while something is locked is kept, and released by a person.")
        : h(Steady, {items, keyOf: (item) => item.path, label: "Mail that is kept", row: (item) =>
            article({class: "mail", tabIndex: 0},
                span({class: "topic"}, h(Foreign, {text: item.topic ?? item.path, longest: 140})),
                span({class: "facts"}, h(Foreign, {text: item.from ?? ""}), h(Chip, {kind: "state"}, line(item.state, 30)), line(item.reason, 120), item.id ? code(shortId(item.id)) : null))});
};

const Ended = ({now, state, address}) => {
    const look = useLook("archive", {state, limit: now.limit ?? PAGE});
    const items = (look.data?.items ?? [])
        .filter((item) => !now.address || addressOf(item.inbox) === address)
        .filter((item) => !now.from || item.from === now.from);
    const again = items.filter((item) => item.id && (state === "dead" || state === "expired"));
    return h(Fragment, null,
        look.problem ? p({class: "trouble"}, look.problem.message) : null,
        again.length > 1 ? div({class: "filters"},
            button({type: "button", onClick: () => deeds.retryAll(again.slice(0, 100))}, `Send all ${Math.min(100, again.length)} again`)) : null,
        look.data && items.length === 0
            ? h(Empty, {title: `Nothing is ${state}.`}, state === "dead"
                ? "Mail whose last attempt failed comes here with its reason, and can be sent again."
                : "Nothing is ever deleted: what ended is kept here.")
            : h(Steady, {items, keyOf: (item) => item.path, label: "Mail that is " + state, row: (item) =>
                article({class: "mail", tabIndex: 0, "data-row": item.path, "data-open": item.id ? "#/letter/" + item.id : undefined},
                    item.id
                        ? h(MailLink, {id: item.id, class: "topic"}, h(Foreign, {text: item.topic || "(no topic)", longest: 140}))
                        : span({class: "topic"}, line(item.path, 140)),
                    span({class: "facts"},
                        item.from ? h(Foreign, {text: item.from}) : null,
                        span(line(typed(addressOf(item.inbox)), 60)), h(Ago, {at: item.ended_at}),
                        item.reason ? span({class: "why"}, line(item.reason, 200)) : null,
                        item.id ? code(shortId(item.id)) : null,
                        item.id && (state === "dead" || state === "expired")
                            ? button({type: "button", class: "quiet", "data-key": "t", onClick: () => deeds.retry(item.id, item.topic)}, "send again") : null))}),
        look.data?.more ? a({href: to(now, {limit: String(2 * Number(now.limit ?? PAGE))}), class: "button quiet"}, "more") : null);
};

export const Mail = ({status, parameters: now, me}) => {
    const state = now.state ?? "waiting";
    const data = status.data;
    const busiest = [...(data?.inboxes ?? [])].sort((one, other) => other.waiting - one.waiting)[0];
    const address = now.address ?? me?.address ?? busiest?.address;
    const from = now.from;
    const number = (name) => data && {
        waiting: data.waiting, active: data.claims.length, kept: data.kept, dead: data.dead.length, expired: data.expired.length,
    }[name];
    const tabs = ["waiting", "active", "kept", "dead", "expired", "done"].map((name) => [name, name, number(name)]);
    return h(Frame, {
        title: "Mail", look: status,
        aside: div({class: "buttons"},
            from ? button({type: "button", onClick: () => deeds.mute(from)}, "Mute ▲") : null,
            button({type: "button", class: "main", onClick: () => deeds.compose()}, "New mail")),
    },
    data ? div({class: "beside"},
        h(Boxes, {status: data, address: now.address || state === "waiting" ? address : null, now}),
        div({class: "what"},
            h(Tabs, {of: tabs, chosen: state, to: (name) => to(now, {state: name, limit: ""})}),
            now.address && state !== "waiting" && state !== "kept"
                ? p(a({href: to(now, {address: ""}), class: "button quiet"}, typed(now.address), " ✕")) : null,
            state === "waiting" ? h(Fragment, null, p({class: "which"}, code(typed(address))), h(Inbox, {now, address, key: address}))
                : state === "active" ? h(Active, {status: data, address: now.address})
                : state === "kept" ? h(Kept)
                : h(Ended, {now, state, address, key: state}))) : null);
};
