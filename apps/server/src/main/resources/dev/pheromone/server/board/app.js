// The board: one page over one hive. What it shows and does, the command line does too.

import {a, button, div, Fragment, footer, form, h, header, input, label, main, nav, p, render, span, useEffect, useErrorBoundary, useRef, useState} from "./dom.js";
import {Agents} from "./agents.js";
import * as deeds from "./deeds.js";
import {kept, pair, secret, unpair, useLook, useNow, useTrouble, who} from "./hive.js";
import {Letter} from "./letter.js";
import {Frozen, Locks} from "./locks.js";
import {Log} from "./log.js";
import {Mail} from "./mail.js";
import {keyOf, Needs} from "./needs.js";
import {openKeys, openPalette, Palettes} from "./palette.js";
import {Command, Trouble} from "./parts.js";
import {Passkeys, passkeysOf, Unconfirmed} from "./passkeys.js";
import {Promises} from "./promises.js";
import {Search} from "./search.js";
import {Said, Sheet} from "./sheet.js";
import {onLink, start} from "./stream.js";
import {count, fromNow, line} from "./text.js";

const SCREENS = [
    ["needs", "Needs you", "n"], ["mail", "Mail", "m"], ["agents", "Agents", "a"], ["locks", "Locks", "l"],
    ["log", "Log", "e"], ["promises", "Promises", "p"],
];

const decoded = (text) => {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
};

const place = () => {
    const [path, search = ""] = location.hash.replace(/^#\/?/, "").split("?");
    const [screen = "", ...rest] = path.split("/");
    return {
        screen: screen || "needs", id: rest.length > 0 ? decoded(rest.join("/")) : null,
        parameters: Object.fromEntries(new URLSearchParams(search)),
    };
};

const usePlace = () => {
    const [now, set] = useState(place());
    useEffect(() => {
        const moved = () => set(place());
        addEventListener("hashchange", moved);
        return () => removeEventListener("hashchange", moved);
    }, []);
    return now;
};

const useLinked = () => {
    const [now, set] = useState({isLinked: true, since: Date.now()});
    useEffect(() => onLink(set), []);
    return now;
};

// The count of what needs you, where it is seen while another tab is looked at.
const sign = (number) => {
    document.title = (number > 0 ? `(${number}) ` : "") + "Pheromone";
    const badge = number > 0 ? "<circle cx='23' cy='9' r='9' fill='%23dc2626'/>" : "";
    const icon = document.getElementById("icon");
    if (icon) {
        icon.href = "data:image/svg+xml," + "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>"
            + "<path d='M16 2 28 9v14l-12 7L4 23V9z' fill='%23b45309'/><circle cx='11' cy='13' r='2.4' fill='%23fff'/>"
            + "<circle cx='17' cy='19' r='2.4' fill='%23fff'/>" + badge + "</svg>";
    }
};

const NOTIFY = "rsm.board.notify";
const TOLD = "rsm.board.told";

const NOTICES = {
    question: "A question waits for you", urgent: "Urgent mail for you", dead: "Mail failed for good",
    embargo: "Mail waits in the embargo", throttled: "An inbox is full", refused: "A sender is refused",
    silent: "An agent is silent", approval: "Expired mail waits for your word", override: "An override is wanted",
    breach: "Something was done past a lock",
};

// One notification for each thing that newly needs the person, by one of the tabs, without its text
// where that is on a locked screen: who and what kind.
const tellOf = (items) => {
    const told = new Set(kept(TOLD, []));
    const fresh = items.filter((item) => !told.has(keyOf(item)));
    localStorage.setItem(TOLD, JSON.stringify(items.map(keyOf).slice(0, 500)));
    if (fresh.length === 0 || document.hasFocus() || localStorage.getItem(NOTIFY) !== "on"
        || typeof Notification === "undefined" || Notification.permission !== "granted") {
        return;
    }
    const [first] = fresh;
    const note = new Notification(fresh.length > 1 ? `${fresh.length} things need you` : NOTICES[first.kind] ?? "Something needs you", {
        body: first.from ? "from " + line(first.from, 60) : "", tag: "rsm.board", icon: "/board/icon.svg",
    });
    note.onclick = () => {
        focus();
        location.hash = "#/needs";
    };
};

const useNotice = () => {
    const [isOn, set] = useState(localStorage.getItem(NOTIFY) === "on");
    const toggle = async () => {
        const wanted = !isOn && typeof Notification !== "undefined" && (await Notification.requestPermission()) === "granted";
        localStorage.setItem(NOTIFY, wanted ? "on" : "off");
        set(wanted);
    };
    return [isOn, toggle];
};

const THEME = "rsm.board.theme";
const THEMES = ["system", "light", "dark"];
const wear = (theme) => {
    document.documentElement.dataset.theme = theme;
};
wear(localStorage.getItem(THEME) ?? "system");

const useTheme = () => {
    const [theme, set] = useState(localStorage.getItem(THEME) ?? "system");
    const next = () => {
        const other = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
        localStorage.setItem(THEME, other);
        wear(other);
        set(other);
    };
    return [theme, next];
};

const Pairing = ({problem, done}) => {
    const [text, set] = useState("");
    const [failure, fail] = useState(problem);
    const run = async (event) => {
        event.preventDefault();
        try {
            await pair(text.trim().replace(/^.*#pair=/, ""));
            done();
        } catch (e) {
            fail(e);
        }
    };
    return main({class: "screen pairing"},
        h("h1", {tabIndex: -1}, "This page is not paired with the hive"),
        p("So that nobody else at this machine reads along, a link from your terminal opens it, once:"),
        h(Command, {text: "rsm board"}),
        form({class: "inline", onSubmit: run},
            label({for: "code"}, "or its code"),
            input({id: "code", value: text, autocomplete: "off", required: true, onInput: (event) => set(event.target.value)}),
            button({type: "submit"}, "Pair")),
        h(Trouble, {problem: failure}));
};

// What stands between the page and the hive, and how old therefore what it shows is.
const Distance = ({trouble, linked}) => {
    const now = useNow();
    const since = trouble.trouble === "away" ? trouble.since : linked.isLinked ? 0 : linked.since;
    return since === 0 || now - since < 4_000 && trouble.trouble !== "away" ? null
        : p({class: "distance", role: "status"},
            trouble.trouble === "away" ? "The server does not answer" : "The page does not follow the log now",
            `; what you see is from ${fromNow(new Date(since).toISOString(), now)}. It asks again by itself. `,
            trouble.trouble === "away" ? h(Command, {text: "rsm board"}) : null);
};

const screenOf = ({screen, id, parameters}, status, me) => {
    switch (screen) {
        case "needs": return h(Needs, {status});
        case "mail": return h(Mail, {status, parameters, me});
        case "letter": return h(Letter, {id, me, key: id});
        case "agents": return h(Agents, {status});
        case "locks": return h(Locks);
        case "log": return h(Log, {parameters, key: "log"});
        case "promises": return h(Promises, {parameters});
        case "search": return h(Search, {parameters});
        case "passkeys": return h(Passkeys, {me});
        default: return div({class: "screen"}, h("h1", {tabIndex: -1}, "There is no such screen"), p(a({href: "#/needs"}, "What needs you")));
    }
};

// A screen that fails says so, and the others go on.
const Guarded = ({children}) => {
    const [failure] = useErrorBoundary((e) => console.error(e));
    return failure
        ? div({class: "screen"}, h("h1", {tabIndex: -1}, "This screen failed"),
            p("That is a defect of the board; the command line shows the same things. "), h(Trouble, {problem: failure}))
        : children;
};

const rows = () => [...document.querySelectorAll("main [data-row]")];

const move = (step) => {
    const all = rows();
    const now = all.findIndex((row) => row.contains(document.activeElement));
    const next = all[now < 0 ? (step > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, now + step))];
    next?.focus();
    next?.scrollIntoView({block: "nearest"});
};

// A button of the row that has the focus, else of the first one that has such a button.
const press = (key) => {
    const row = document.activeElement?.closest("[data-row]");
    const found = (row ?? document.querySelector("main"))?.querySelector(`[data-key="${CSS.escape(key)}"]`);
    found?.click();
    return Boolean(found);
};

const useKeys = () => useEffect(() => {
    const pressed = (event) => {
        if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
            event.preventDefault();
            openPalette();
            return;
        }
        if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || document.querySelector("dialog[open]")
            || event.target.closest?.("input, textarea, select")) {
            return;
        }
        const screen = SCREENS.find(([, , key]) => key === event.key);
        const keys = {
            j: () => move(1), k: () => move(-1), "/": () => {
                location.hash = "#/search";
            },
            "?": openKeys,
            Escape: () => history.length > 1 && place().screen !== "needs" ? history.back() : undefined,
            Enter: () => {
                const open = document.activeElement?.matches("[data-open]") && document.activeElement.dataset.open;
                if (open) {
                    location.hash = open;
                }
                return Boolean(open);
            },
        };
        if (screen) {
            location.hash = "#/" + screen[0];
        } else if (keys[event.key]) {
            if (keys[event.key]() === false) {
                return;
            }
        } else if (/^[0-9a-z]$/.test(event.key)) {
            if (!press(event.key)) {
                if (event.key !== "c") {
                    return;
                }
                deeds.compose();
            }
        } else {
            return;
        }
        event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
}, []);

const Board = ({leave}) => {
    const now = usePlace();
    const trouble = useTrouble();
    const linked = useLinked();
    const status = useLook("status");
    const keys = useLook("keys");
    const [me, setMe] = useState(null);
    const [notice, toggleNotice] = useNotice();
    const [theme, nextTheme] = useTheme();
    const first = useRef(true);
    useKeys();
    useEffect(() => start(secret()), []);
    useEffect(() => {
        if (!me && trouble.trouble !== "away") {
            who().then(setMe, () => {});
        }
    }, [trouble.trouble]);
    useEffect(() => {
        if (trouble.trouble === "unpaired") {
            leave();
        }
    }, [trouble.trouble]);
    const needs = status.data?.needs_you ?? [];
    const number = needs.reduce((sum, item) => sum + (item.id || item.from || item.inbox || item.path || item.kind === "embargo" ? 1 : item.count ?? 1), 0);
    useEffect(() => {
        sign(number);
        if (status.data) {
            tellOf(needs);
        }
    }, [status.data]);
    // Whoever goes to a screen by key or screen reader is at its top.
    useEffect(() => {
        if (first.current) {
            first.current = false;
        } else if (now.screen !== "search") {
            document.querySelector("main h1")?.focus({preventScroll: true});
            scrollTo(0, 0);
        }
    }, [now.screen, now.id]);
    const frozen = trouble.trouble === "frozen" && trouble.freeze;
    return h(Fragment, null,
        a({class: "skip", href: "#main", onClick: (event) => {
            event.preventDefault();
            document.querySelector("main h1")?.focus();
        }}, "To the content"),
        header({class: "top"},
            a({class: "hive", href: "#/needs", title: me?.root}, line(me?.hive ?? "Pheromone", 40)),
            nav({"aria-label": "Screens"}, SCREENS.map(([name, text, key]) =>
                a({key: name, href: "#/" + name, "aria-current": now.screen === name ? "page" : undefined, "aria-keyshortcuts": key, title: `${text} (${key})`},
                    text, name === "needs" && number > 0 ? span({class: "number"}, number) : null))),
            div({class: "tools"},
                a({href: "#/search", class: "button quiet", "aria-keyshortcuts": "/"}, "Search"),
                button({type: "button", class: "quiet", onClick: openPalette, "aria-keyshortcuts": "Control+K"}, "Ctrl K"),
                me ? span({class: "me", title: "what you do here is done in this name"}, line(me.actor, 40)) : null)),
        h(Distance, {trouble, linked}),
        main({id: "main"},
            now.screen === "passkeys" ? null : h(Unconfirmed, {waiting: passkeysOf(keys, me).waiting}),
            h(Guarded, {key: frozen ? "frozen" : now.screen}, frozen && now.screen !== "passkeys" ? h(Frozen, {freeze: frozen}) : screenOf(now, status, me))),
        footer({},
            span(count(status.data?.waiting ?? 0, "mail"), " waiting"),
            button({type: "button", class: "quiet", onClick: nextTheme}, "Colours: ", theme),
            button({type: "button", class: "quiet", "aria-pressed": String(notice), onClick: toggleNotice}, notice ? "Notifications on" : "Notifications off"),
            button({type: "button", class: "quiet", onClick: openKeys}, "Keys"),
            a({href: "#/passkeys", class: "button quiet"}, "Passkeys"),
            button({type: "button", class: "quiet", onClick: unpair}, "Unpair")),
        h(Palettes, {status: status.data}),
        h(Sheet, {keys, me}),
        h(Said));
};

const App = () => {
    const [isPaired, set] = useState(Boolean(secret()));
    const [problem, fail] = useState(null);
    useEffect(() => {
        const take = async () => {
            const shown = /^#pair=(.+)$/.exec(location.hash)?.[1];
            if (!shown) {
                return;
            }
            // The code stays in no history.
            history.replaceState(null, "", location.pathname + "#/needs");
            try {
                await pair(decoded(shown));
                set(true);
                dispatchEvent(new HashChangeEvent("hashchange"));
            } catch (e) {
                fail(e);
                set(Boolean(secret()) && e.status !== 401);
            }
        };
        take();
        addEventListener("hashchange", take);
        return () => removeEventListener("hashchange", take);
    }, []);
    return isPaired
        ? h(Board, {key: secret(), leave: () => {
            localStorage.removeItem("rsm.board.secret");
            set(false);
        }})
        : h(Pairing, {problem, key: String(problem?.message), done: () => set(true)});
};

const root = document.getElementById("board");
root.textContent = "";
render(h(App), root);
