// Sessions of agents: what each does, and what shows that.

import {article, button, code, div, Fragment, h, p, span} from "./dom.js";
import * as deeds from "./deeds.js";
import {useLook} from "./hive.js";
import {Ago, Chip, Empty, Foreign, Frame, MailLink, Steady} from "./parts.js";
import {count, line} from "./text.js";

const ORDER = ["waits for you", "error", "silent", "working", "queued", "quiet", "gone"];

// One state each, the first that holds.
const stateOf = (agent, facts) => {
    const own = (list, name = "worker") => list.filter((one) => one[name] === agent.actor);
    if (own(facts.questions, "from").length > 0) {
        return ["waits for you", "it asked you, and nobody has answered"];
    }
    if (own(facts.refused, "sender").length > 0) {
        return ["error", line(own(facts.refused, "sender")[0].reason, 120)];
    }
    if (agent.state === "silent") {
        return ["silent", agent.evidence];
    }
    if (own(facts.claims).length > 0) {
        return ["working", agent.evidence || "it holds a claim"];
    }
    if (agent.state === "working") {
        return ["working", agent.evidence];
    }
    if (facts.waiting(agent.actor) > 0 && agent.state !== "gone") {
        return ["queued", "mail waits in its inbox"];
    }
    return [agent.state === "gone" ? "gone" : "quiet", agent.evidence];
};

const SENT_OVER_MIN = 10;

const rows = (status, agents, sent, reserved) => {
    const facts = {
        questions: (status.needs_you ?? []).filter((item) => item.kind === "question"),
        refused: status.refused ?? [],
        claims: status.claims ?? [],
        waiting: (actor) => (status.inboxes ?? []).find((box) => box.address === "worker://" + actor)?.waiting ?? 0,
    };
    const known = new Set(agents.map((agent) => agent.actor));
    const others = [...new Set(facts.claims.map((claim) => claim.worker))]
        .filter((worker) => !known.has(worker))
        .map((actor) => ({actor, harness: "", state: "working", evidence: "it holds a claim"}));
    return [...agents, ...others]
        .map((agent) => {
            const [state, evidence] = stateOf(agent, facts);
            return {
                ...agent, shown: state, evidence, waiting: facts.waiting(agent.actor),
                claims: facts.claims.filter((claim) => claim.worker === agent.actor),
                question: facts.questions.find((question) => question.from === agent.actor),
                rate: sent.filter((event) => event.actor === agent.actor).length / SENT_OVER_MIN,
                reserved: reserved.filter((one) => one.holder === agent.actor),
            };
        })
        .sort((one, other) => ORDER.indexOf(one.shown) - ORDER.indexOf(other.shown)
            || (other.last_seen_at ?? "").localeCompare(one.last_seen_at ?? ""));
};

const Agent = ({agent}) =>
    article({class: "agent", tabIndex: 0, "data-row": agent.actor},
        div({class: "headline"},
            h(Chip, {kind: "state " + agent.shown.replace(/ /g, "-")}, agent.shown),
            h(Foreign, {text: agent.actor, longest: 60, class: "name"}),
            agent.harness ? span({class: "harness"}, line(agent.harness, 30), agent.version ? " " + line(agent.version, 20) : "") : null,
            agent.last_seen_at ? span({class: "facts"}, "last sign of life ", h(Ago, {at: agent.last_seen_at})) : null),
        p({class: "why"}, line(agent.evidence, 200)),
        agent.question ? p("asks: ", h(MailLink, {id: agent.question.id}, h(Foreign, {text: agent.question.topic, longest: 120}))) : null,
        agent.claims.map((claim) =>
            p({key: claim.claim}, "works on ", h(MailLink, {id: claim.id}, h(Foreign, {text: claim.topic || claim.id, longest: 120})),
                " since ", h(Ago, {at: claim.claimed_at}), " ",
                button({type: "button", class: "quiet", onClick: () => deeds.giveBack(claim)}, "give back ▲"))),
        agent.reserved.map((one) =>
            p({key: one.id ?? one.ends_at}, "has reserved ", code(line([].concat(one.paths ?? []).join(" "), 160)), ", until ", h(Ago, {at: one.ends_at}))),
        p({class: "facts"},
            agent.waiting ? span(count(agent.waiting, "mail waits", "mails wait"), " for it") : null,
            (agent.serves ?? []).length > 0 ? span("serves ", line(agent.serves.join(", "), 80)) : null,
            agent.rate > 0 ? span(`sends ${agent.rate.toLocaleString("en", {maximumFractionDigits: 1})} a minute`) : null,
            agent.woken_by === "none" ? span("can’t be rung: it learns of mail at its next prompt or tool") : null),
        div({class: "choices"},
            agent.woken_by && agent.woken_by !== "none" && agent.shown !== "gone"
                ? button({type: "button", onClick: () => deeds.wake(agent.actor)}, "Ring") : null,
            button({type: "button", "data-key": "c", onClick: () => deeds.compose("worker://" + agent.actor)}, "Send"),
            button({type: "button", class: "quiet", "data-key": "u", onClick: () => deeds.mute(agent.actor)}, "Mute ▲")));

const muted = (status) => (status?.muted ?? []).map((one) =>
    p({key: one.actor}, h(Foreign, {text: one.actor}), " is muted, until ", h(Ago, {at: one.until_at}), " ",
        button({type: "button", class: "quiet", onClick: () => deeds.unmute(one.actor)}, "let be heard ▲")));

export const Agents = ({status}) => {
    const look = useLook("agents");
    const sent = useLook("log", {type: "rsm_envelope_emit", since: SENT_OVER_MIN + "m", tail: 1000});
    const reserved = useLook("reservations");
    const items = look.data && status.data
        ? rows(status.data, look.data.items, sent.data?.items ?? [], reserved.data?.items ?? []) : [];
    return h(Frame, {title: "Agents", look},
        items.length === 0
            ? h(Empty, {title: "No session of an agent is known here.", command: "rsm setup"},
                "An agent that is started in this hive is known by its hooks, once they are installed:")
            : h(Steady, {items, keyOf: (agent) => agent.actor, label: "Agents", class: "cards", row: (agent) => h(Agent, {agent})}),
        h(Fragment, null, muted(status.data)));
};
