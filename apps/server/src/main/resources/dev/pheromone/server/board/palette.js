// Ctrl-K: all screens, deeds and things by name; and the list of keys.

import {button, dialog, div, dl, dd, dt, form, Fragment, h, h2, input, kbd, li, ul, useLayoutEffect, useRef, useState} from "./dom.js";
import * as deeds from "./deeds.js";
import {addressOf, line, typed} from "./text.js";

const shown = {palette: () => {}, keys: () => {}};
export const openPalette = () => shown.palette(true);
export const openKeys = () => shown.keys(true);

const go = (hash) => () => {
    location.hash = hash;
};

const choices = (status) => [
    ["Needs you", go("#/needs"), "n"], ["Mail", go("#/mail"), "m"], ["Agents", go("#/agents"), "a"],
    ["Locks", go("#/locks"), "l"], ["Log", go("#/log"), "e"], ["Promises", go("#/promises"), "p"],
    ["Search", go("#/search"), "/"], ["New mail", () => deeds.compose()], ["Lock …", () => deeds.lock()],
    ["Freeze the hive …", () => deeds.lock("hive")], ["Dead mail", go("#/mail?state=dead")],
    ["What is worked on", go("#/mail?state=active")], ["Keys", openKeys, "?"], ["Passkeys", go("#/passkeys")],
    ...(status?.inboxes ?? []).map((box) => ["Inbox " + typed(box.address), go("#/mail?address=" + encodeURIComponent(box.address))]),
    ...(status?.agents ?? []).map((agent) => ["Send to " + agent.actor, () => deeds.compose("worker://" + agent.actor)]),
    ...(status?.needs_you ?? []).filter((item) => item.id).map((item) => [`${item.kind}: ${item.topic ?? item.id}`, go("#/letter/" + item.id)]),
    ...(status?.dead ?? []).filter((item) => item.id).map((item) => [`dead in ${typed(addressOf(item.inbox))}: ${item.topic ?? item.id}`, go("#/letter/" + item.id)]),
];

const Dialog = ({label, isOpen, close, children}) => {
    const box = useRef(null);
    const before = useRef(null);
    // Before the next key is pressed, which is meant for it.
    useLayoutEffect(() => {
        if (isOpen && !box.current.open) {
            before.current = document.activeElement;
            box.current.showModal();
        } else if (!isOpen && box.current.open) {
            box.current.close();
        }
    }, [isOpen]);
    return dialog({
        ref: box, class: "palette", "aria-label": label,
        onClose: () => {
            close();
            before.current?.isConnected && document.activeElement === document.body && before.current.focus();
        },
        onClick: (event) => event.target === box.current && close(),
    }, isOpen ? children : null);
};

const Palette = ({status, close}) => {
    const [text, set] = useState("");
    const [at, move] = useState(0);
    const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = choices(status).filter(([name]) => wanted.every((word) => name.toLowerCase().includes(word))).slice(0, 14);
    if (text.trim() !== "") {
        found.push([`Search for “${text.trim()}”`, go("#/search?q=" + encodeURIComponent(text.trim()))]);
    }
    const run = (choice) => {
        close();
        // Behind the closing of this dialog, which gives the focus back.
        setTimeout(() => choice?.[1](), 0);
    };
    const keys = (event) => {
        const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
        if (step) {
            event.preventDefault();
            move((at + step + found.length) % found.length);
        }
    };
    return form({
        method: "dialog",
        onSubmit: (event) => {
            event.preventDefault();
            run(found[Math.min(at, found.length - 1)]);
        },
    },
    input({
        type: "text", autofocus: true, value: text, placeholder: "A screen, a deed, an inbox, an agent, mail",
        role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-activedescendant": "choice-" + at, "aria-label": "What to do",
        onKeyDown: keys,
        onInput: (event) => {
            set(event.target.value);
            move(0);
        },
    }),
    ul({id: "palette-list", role: "listbox", "aria-label": "Choices"}, found.map((choice, i) =>
        li({
            key: choice[0] + i, id: "choice-" + i, role: "option", "aria-selected": String(i === at), class: i === at ? "chosen" : undefined,
            onClick: () => run(choice),
        }, line(choice[0], 140), choice[2] ? kbd(choice[2]) : null))));
};

const KEYS = [
    ["n m a l e p", "needs you, mail, agents, locks, log, promises"], ["j k", "the next, the one before"], ["↵", "open it"],
    ["1 … 9", "choose an answer"], ["r", "reply or answer"], ["d", "done with it"], ["t", "send again"], ["u", "mute, or lift a freeze"],
    ["c", "new mail"], ["/", "search"], ["Ctrl K", "anything by its name"], ["Esc", "back"], ["?", "these keys"],
];

export const Palettes = ({status}) => {
    const [isOpen, open] = useState(false);
    const [areKeysOpen, openThem] = useState(false);
    shown.palette = open;
    shown.keys = openThem;
    return h(Fragment, null,
        h(Dialog, {label: "Go to, or do", isOpen, close: () => open(false)}, h(Palette, {status, close: () => open(false)})),
        h(Dialog, {label: "Keys", isOpen: areKeysOpen, close: () => openThem(false)},
            div(h2("Keys"),
                dl({class: "keys"}, KEYS.map(([key, text]) => h(Fragment, {key}, dt(key.split(" ").map((each) => each === "…" ? " … " : kbd({key: each}, each))), dd(text)))),
                button({type: "button", autofocus: true, onClick: () => openThem(false)}, "Close"))));
};
