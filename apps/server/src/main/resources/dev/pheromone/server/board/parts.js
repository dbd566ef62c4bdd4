// Small parts that screens share.

import {
    a, blockquote, button, code, del, div, em, Fragment, h, h3, hr, li, ol, p, pre, section, span,
    strong, time, ul, useEffect, useRef, useState,
} from "./dom.js";
import {useNow} from "./hive.js";
import {clock, fromNow, line, moment, plain, shortId} from "./text.js";

// How long ago, or how far away; the exact moment is its title.
export const Ago = ({at}) => {
    const now = useNow();
    return at ? time({dateTime: at, title: moment(at), class: "ago"}, fromNow(at, now)) : null;
};

// Foreign text in one line.
export const Foreign = ({text, longest, class: kind = ""}) =>
    span({class: "foreign " + kind, dir: "auto", title: line(text, 2_000)}, line(text, longest));

export const Priority = ({of}) => of ? span({class: "priority " + of.toLowerCase()}, of) : null;

export const Chip = ({kind = "", title, children}) => span({class: "chip " + kind, title}, children);

// Who says that they wrote it, and how well that is proven.
export const From = ({from, signature}) =>
    span({class: "from"},
        h(Foreign, {text: from, longest: 60}),
        signature && signature !== "unsigned"
            ? h(Chip, {kind: signature === "valid" || signature === "yes" ? "good" : "bad",
                title: "the signature of this mail is " + signature}, "signed: " + signature)
            : signature === "unsigned"
                ? h(Chip, {title: "no signature: the name is what the sender wrote"}, "unproven")
                : null);

export const MailLink = ({id, children, class: kind}) =>
    id ? a({href: "#/letter/" + encodeURIComponent(id), class: kind}, children ?? code(shortId(id))) : null;

export const copy = async (text) => {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return false;
    }
};

// A command to type in a terminal.
export const Command = ({text}) => {
    const [said, say] = useState("copy");
    const copied = async () => {
        say((await copy(plain(text))) ? "copied" : "select it");
        setTimeout(() => say("copy"), 2_000);
    };
    return div({class: "command"},
        code({tabIndex: 0}, plain(text)),
        button({type: "button", class: "quiet", onClick: copied, "aria-live": "polite"}, said));
};

// What went wrong, and the way out.
export const Trouble = ({problem}) =>
    problem
        ? div({class: "trouble", role: "alert"},
            p(strong(plain(problem.message))),
            problem.hint ? p(plain(problem.hint)) : null,
            problem.fix ? h(Command, {text: problem.fix}) : null)
        : null;

// What stands where nothing is: why, and what would come here.
export const Empty = ({title, command, children}) =>
    div({class: "empty"},
        p(strong(title)),
        children ? p(children) : null,
        command ? h(Command, {text: command}) : null);

// A screen's frame: its answer, or what is known instead of it.
export const Frame = ({title, look, aside: beside, children}) =>
    section({class: "screen", "aria-label": title},
        div({class: "headline"}, h("h1", {tabIndex: -1}, title), beside),
        look?.problem && !look.problem.said?.freeze && look.problem.status !== 401
            ? h(Fragment, null,
                h(Trouble, {problem: look.problem}),
                look.data ? p({class: "stale"}, `What follows is from ${clock(look.at)}.`) : null)
            : null,
        look && !look.data ? (look.problem ? null : p({class: "waiting"}, "Asking the hive …")) : children);

// Views of one thing beside each other; the chosen one is in the address.
export const Tabs = ({of, chosen, to}) =>
    div({class: "tabs", role: "group"},
        of.map(([name, text, number]) =>
            a({href: to(name), key: name, class: "tab", "aria-current": name === chosen ? "true" : undefined},
                text,
                number ? span({class: "number"}, number > 999 ? "999+" : String(number)) : null)));

// A list that does not move under the reader's eyes: while the mouse is over it or the focus in it,
// its order stays, and what is new is offered. Rows that are gone are shown as such; those that the
// reader took care of go at once. Of a long list a window is drawn.
const WINDOW = 60;
const DONE = "board:done";

// The reader did something.
export const tellDone = () => dispatchEvent(new Event(DONE));

export const Steady = ({items, keyOf, row, label, class: kind = ""}) => {
    const box = useRef(null);
    const held = useRef(null);
    const [isRead, setRead] = useState(false);
    const [drawn, setDrawn] = useState(WINDOW);
    const isDone = useRef(false);
    const hadFocus = useRef(false);
    useEffect(() => {
        const done = () => {
            isDone.current = true;
        };
        addEventListener(DONE, done);
        return () => removeEventListener(DONE, done);
    }, []);
    // Whoever works by keys goes on in the list when the row of the focus is gone.
    useEffect(() => {
        if (hadFocus.current && document.activeElement === document.body) {
            box.current?.querySelector("[data-row]")?.focus();
        }
        hadFocus.current = box.current?.contains(document.activeElement) ?? false;
    });
    const byKey = new Map(items.map((item) => [keyOf(item), item]));
    const isTakenCareOf = isDone.current && held.current?.some((item) => !byKey.has(keyOf(item)));
    if (!isRead || held.current === null || isTakenCareOf) {
        held.current = items;
        isDone.current = false;
    }
    const shown = isRead
        ? held.current.map((item) => [byKey.get(keyOf(item)) ?? item, !byKey.has(keyOf(item))])
        : items.map((item) => [item, false]);
    const known = new Set(held.current.map(keyOf));
    const fresh = isRead ? items.filter((item) => !known.has(keyOf(item))).length : 0;
    const refresh = () => {
        held.current = items;
        setRead(false);
        setTimeout(() => setRead(box.current?.matches(":hover, :focus-within") ?? false), 0);
    };
    const left = (event) => {
        if (!box.current?.contains(event.relatedTarget)) {
            setRead(false);
        }
    };
    return div({
        class: "steady " + kind,
        ref: box,
        onMouseEnter: () => setRead(true),
        onMouseLeave: (event) => box.current?.contains(document.activeElement) || left(event),
        onFocusIn: () => {
            hadFocus.current = true;
            setRead(true);
        },
        onFocusOut: left,
    },
    fresh > 0
        ? button({type: "button", class: "fresh", onClick: refresh}, `${fresh} new: show`)
        : null,
    ul({"aria-label": label},
        shown.slice(0, drawn).map(([item, isGone]) =>
            li({key: keyOf(item), class: isGone ? "gone" : undefined}, row(item, isGone)))),
    shown.length > drawn
        ? button({type: "button", class: "quiet more", onClick: () => setDrawn(drawn + 4 * WINDOW)},
            `${shown.length - drawn} more`)
        : null);
};

// A body as text. What Markdown means is drawn for headings, lists, code, quotes and emphasis; marks
// of HTML stay text, pictures are not fetched, and links do nothing until they are asked for.
// Each part of the pattern ends at the mark with which another could begin, so that a text of many
// marks costs no more than its length.
const INLINE = /(`[^`\n]+`)|\*\*([^*\n]+)\*\*|__([^_\n]+)__|\*([^*\n]+)\*|~~([^~\n]+)~~|!?\[([^[\]\n]*)\]\(([^()\s]+)(?:[ \t][^()\n]*)?\)|(https?:\/\/[^\s<>"')\]]+)/;

const Link = ({text, target}) => {
    const [isOpen, open] = useState(false);
    const place = plain(target);
    const isWeb = /^https?:\/\//i.test(target);
    return isOpen && isWeb
        ? a({href: target, target: "_blank", rel: "noopener noreferrer nofollow", class: "outside", dir: "ltr"}, place)
        : button({
            type: "button", class: "link", title: place, disabled: !isWeb, onClick: () => open(true),
        }, plain(text), span({class: "where", dir: "ltr"}, ` (${line(place, 80)})`));
};

const inline = (text, depth = 0) => {
    const parts = [];
    let rest = text;
    while (rest !== "") {
        const found = depth < 4 && parts.length < 2_000 ? INLINE.exec(rest) : null;
        if (!found) {
            parts.push(plain(rest));
            break;
        }
        if (found.index > 0) {
            parts.push(plain(rest.slice(0, found.index)));
        }
        const [all, code_, bold, bold2, slanted, struck, words, target, bare] = found;
        parts.push(
            code_ ? code(plain(code_.slice(1, -1)))
                : bold ?? bold2 ? strong(inline(bold ?? bold2, depth + 1))
                : slanted ? em(inline(slanted, depth + 1))
                : struck ? del(inline(struck, depth + 1))
                : bare ? h(Link, {text: bare, target: bare})
                : h(Link, {text: words || target, target}));
        rest = rest.slice(found.index + all.length);
    }
    return parts;
};

const BLOCKS_MAX = 800;

const blocks = (text) => {
    const lines = text.split("\n");
    const made = [];
    let i = 0;
    const while_ = (test) => {
        const found = [];
        while (i < lines.length && test(lines[i])) {
            found.push(lines[i++]);
        }
        return found;
    };
    while (i < lines.length) {
        if (made.length >= BLOCKS_MAX) {
            made.push(pre(plain(lines.slice(i).join("\n"))));
            break;
        }
        const now = lines[i];
        const fence = /^ {0,3}(```+|~~~+)/.exec(now);
        const heading = /^ {0,3}#{1,6}\s/.exec(now);
        if (fence) {
            i++;
            const inside = while_((one) => !one.trimStart().startsWith(fence[1]));
            i++;
            made.push(pre(plain(inside.join("\n"))));
        } else if (heading) {
            i++;
            made.push(h3(inline(now.slice(heading[0].length).trim())));
        } else if (/^ {0,3}([-*_])( *\1){2,} *$/.test(now)) {
            i++;
            made.push(hr({}));
        } else if (/^ {0,3}>/.test(now)) {
            made.push(blockquote(inline(while_((one) => /^ {0,3}>/.test(one))
                .map((one) => one.replace(/^ {0,3}> ?/, "")).join("\n"))));
        } else if (/^\s*([-*+]|\d+[.)])\s+/.test(now)) {
            const isNumbered = /^\s*\d/.test(now);
            const items = while_((one) => /^\s*([-*+]|\d+[.)])\s+/.test(one) || /^ {2,}\S/.test(one));
            const joined = [];
            items.forEach((one) => /^\s*([-*+]|\d+[.)])\s+/.test(one)
                ? joined.push(one.replace(/^\s*([-*+]|\d+[.)])\s+/, ""))
                : joined.push(joined.pop() + "\n" + one.trim()));
            made.push((isNumbered ? ol : ul)(joined.map((one) => li(inline(one)))));
        } else if (/^( {4}|\t)/.test(now)) {
            made.push(pre(plain(while_((one) => /^( {4}|\t)/.test(one))
                .map((one) => one.replace(/^( {4}|\t)/, "")).join("\n"))));
        } else if (now.trim() === "") {
            i++;
        } else {
            const words = while_((one) => one.trim() !== "" && !/^ {0,3}(```|~~~|#{1,6}\s|>)/.test(one)
                && !/^\s*([-*+]|\d+[.)])\s+/.test(one));
            made.push(p({dir: "auto"}, inline((words.length > 0 ? words : [lines[i++]]).join("\n"))));
        }
    }
    return made;
};

export const Body = ({text}) => {
    const [isRaw, setRaw] = useState(false);
    return div({class: "body"},
        isRaw ? pre({class: "raw"}, plain(text)) : div({class: "markdown"}, blocks(String(text ?? "").replace(/\r\n/g, "\n"))),
        button({type: "button", class: "quiet", onClick: () => setRaw(!isRaw)}, isRaw ? "as Markdown" : "as it was written"));
};

// How long is left of a question's time.
export const Deadline = ({at}) => {
    const now = useNow();
    const left = (Date.parse(at) - now) / 1000;
    return h(Chip, {kind: left < 300 ? "bad" : left < 1_800 ? "fair" : ""},
        left <= 0 ? "its time is over" : "ends " + fromNow(at, now));
};

export const useFocusOn = (wanted) => {
    const place = useRef(null);
    useEffect(() => {
        place.current?.focus();
    }, [wanted]);
    return place;
};
