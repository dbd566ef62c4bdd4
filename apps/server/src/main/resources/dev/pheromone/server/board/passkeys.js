// Passkeys: registering them, and having them confirm what is for people.

import {button, code, div, Fragment, h, p, span, useState} from "./dom.js";
import {deed, useLook} from "./hive.js";
import {Command, Empty, Frame, Trouble} from "./parts.js";
import {line} from "./text.js";

// Those of this actor that count, and all that nobody has confirmed. While nobody knows: none.
export const passkeysOf = (look, me) => {
    const all = (look?.data?.items ?? []).filter((key) => key.algorithm === "webauthn");
    return {
        mine: all.filter((key) => key.trust === "trusted" && key.owners.includes(me?.actor)),
        waiting: all.filter((key) => key.trust === "unconfirmed"),
        all,
    };
};

// A passkey that counts for nothing until a person says so at a terminal.
export const Unconfirmed = ({waiting}) => waiting.map((key) =>
    div({class: "unconfirmed", key: key.kid, role: "note"},
        p(span({"aria-hidden": "true"}, "▲ "), "Passkey ", code(line(key.kid, 80)), " was registered here, and is not confirmed: it counts for nothing. If it is yours, confirm it in a terminal:"),
        h(Command, {text: "rsm keys trust " + key.kid}),
        p("If you did not register it, some program did:"),
        h(Command, {text: "rsm keys revoke " + key.kid})));

const STATES = {trusted: "confirmed", unconfirmed: "not confirmed", revoked: "given up"};

export const Passkeys = ({me}) => {
    const look = useLook("keys");
    const [isBusy, setBusy] = useState(false);
    const [problem, setProblem] = useState(null);
    const [said, say] = useState("");
    const {mine, waiting, all} = passkeysOf(look, me);
    const register = async () => {
        setBusy(true);
        setProblem(null);
        say("");
        try {
            const made = await deed("passkey", {});
            say(made.trust === "trusted" ? `${line(made.kid, 80)} is registered and counts at once: an earlier one vouched for it.` : "");
        } catch (e) {
            setProblem(e);
        }
        setBusy(false);
    };
    return h(Frame, {
        title: "Passkeys", look,
        aside: div({class: "buttons"}, button({type: "button", class: "main", disabled: isBusy, onClick: register}, isBusy ? "…" : "Register a passkey")),
    },
    p("What is for people (lifting a lock, releasing mail, muting) is done from this page once a passkey of yours confirms it: by your finger, your face or a PIN. It stays on your device; each confirmation is kept in the event log, and ", code("rsm audit"), " checks it again."),
    h(Trouble, {problem}),
    div({"aria-live": "polite"}, said ? p({class: "good"}, said) : null),
    h(Unconfirmed, {waiting}),
    all.length === 0
        ? h(Empty, {title: "Nobody has registered a passkey here."},
            "The first one counts once you have confirmed it in a terminal. An earlier one vouches for later ones.")
        : h(Fragment, null, all.map((key) =>
            p({key: key.kid, class: "passkey"},
                code(line(key.kid, 80)), " of ", line(key.owners.join(", "), 60), ": ", STATES[key.trust] ?? line(key.trust, 20)))),
    mine.length > 0 ? h(Fragment, null, p({class: "same"}, "To give one up, in a terminal:"), h(Command, {text: "rsm keys revoke " + mine[0].kid})) : null);
};
