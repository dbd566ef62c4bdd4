// Search: words over topics, bodies, notes and events; its result is an address to keep.

import {article, code, div, form, h, input, p, span, useLayoutEffect, useRef, useState} from "./dom.js";
import {query, useLook} from "./hive.js";
import {Ago, Chip, Empty, Foreign, Frame, MailLink, Steady} from "./parts.js";
import {line, shortId} from "./text.js";

export const Search = ({parameters}) => {
    const asked = parameters.q ?? "";
    const [text, set] = useState(asked);
    const field = useRef(null);
    useLayoutEffect(() => {
        set(asked);
        field.current?.focus();
    }, [asked]);
    const look = useLook(asked.trim() === "" ? null : "search", {text: asked, limit: 100}, {isLive: false});
    const items = look.data?.items ?? [];
    return h(Frame, {title: "Search"},
        form({
            class: "inline", role: "search",
            onSubmit: (event) => {
                event.preventDefault();
                location.hash = "#/search" + query({q: text});
            },
        },
        input({ref: field, type: "search", value: text, "aria-label": "What to look for", placeholder: "parser from:claude-7f3a state:dead",
            onInput: (event) => set(event.target.value)}),
        h("button", {type: "submit"}, "Search")),
        p({class: "facts"}, "Words are found in topics, bodies, notes and events. Also: ",
            ["from:", "to:", "state:", "lane:", "id:", "is:unsigned", "before:"].map((each) => h("span", {key: each}, code(each), " "))),
        look.problem ? div({class: "trouble", role: "alert"}, look.problem.message, " ", look.problem.hint) : null,
        asked && look.data && items.length === 0 ? h(Empty, {title: "Nothing found."}, "Fewer words find more; the archive is searched too.") : null,
        h(Steady, {
            items, keyOf: (item) => item.in + item.id + (item.path ?? item.at + item.excerpt), label: "Found",
            row: (item) => article({class: "mail", tabIndex: 0, "data-row": item.in + item.id, "data-open": item.id ? "#/letter/" + item.id : undefined},
                h(MailLink, {id: item.id, class: "topic"}, h(Foreign, {text: item.topic, longest: 140})),
                span({class: "facts"}, h(Chip, {}, item.in), h(Ago, {at: item.at}), h(Foreign, {text: item.excerpt, longest: 200}), code(shortId(item.id)))),
        }),
        look.data?.more ? p({class: "facts"}, line("There is more; add a word to narrow it.")) : null);
};
