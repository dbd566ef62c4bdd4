// The sheet before each deed: what becomes of the mail, the command that does the same, and one
// button. What is for people takes a passkey, and shows the command alone where there is none: that
// the page is paired proves no person.

import {
    button, dialog, div, Fragment, form, h, h2, input, label, li, option, p, select, span, strong,
    textarea, ul, useEffect, useLayoutEffect, useRef, useState,
} from "./dom.js";
import {deed} from "./hive.js";
import {passkeysOf} from "./passkeys.js";
import {Command, tellDone, Trouble} from "./parts.js";
import {line, shell} from "./text.js";

let show = () => {};
let tell = () => {};

// Opens the sheet of a deed:
//   title, says   what it is and what it does
//   list          what becomes of each thing, a line each
//   fields        [{name, label, kind: "text" | "long" | "choice" | "flag", value, choices, needed}]
//   words         of the values: the words of the command; or `command`, a whole line
//   name, given   of the values: the deed that the server is asked for; a list is done one by one
//   done          of the answers: a line that says what came of it
//   isForPeople   a person does it: here by a passkey, else at a terminal
//   isProvable    a passkey, where there is one, proves who did it
//   isDangerous   looks it
export const open = (sheet) => show(sheet);

export const say = (text, problem) => tell({text, problem, at: Date.now()});

const UNPROVEN = "unproven";
const isUnproven = (event) => event.submitter?.value === UNPROVEN;

const start = (fields) => Object.fromEntries((fields ?? []).map((field) => [field.name, field.value ?? ""]));

const Field = ({field, value, set, isFirst}) => {
    const name = "field-" + field.name;
    const common = {
        id: name, name: field.name, required: field.needed, autofocus: isFirst,
        onInput: (event) => set(event.target.value),
    };
    return div({class: "field"},
        field.kind === "flag"
            ? label({class: "flag"},
                input({type: "checkbox", checked: Boolean(value), onChange: (event) => set(event.target.checked)}),
                " ", field.label)
            : h(Fragment, null,
                label({for: name}, field.label),
                field.kind === "long"
                    ? textarea({...common, value, rows: 5, dir: "auto"})
                    : field.kind === "choice"
                        ? select({...common, value}, field.choices.map((choice) => {
                            const [word, text] = Array.isArray(choice) ? choice : [choice, choice];
                            return option({value: word, key: word}, text);
                        }))
                        : input({...common, type: "text", value, dir: "auto", placeholder: field.example ?? "",
                            list: undefined, autocomplete: "off"})));
};

const PREVIEWED = 20;

const Preview = ({list}) =>
    ul({class: "preview"}, list.slice(0, PREVIEWED).map((text, i) => li({key: i, dir: "auto"}, text)),
        list.length > PREVIEWED ? li(`and ${list.length - PREVIEWED} more`) : null);

export const Sheet = ({keys, me}) => {
    const [sheet, set] = useState(null);
    const [values, setValues] = useState({});
    const [isBusy, setBusy] = useState(false);
    const [problem, setProblem] = useState(null);
    const [progress, setProgress] = useState("");
    const box = useRef(null);
    const before = useRef(null);
    // Which one is open now: a deed may end after its sheet was closed, and another opened.
    const opened = useRef(null);
    show = (next) => {
        opened.current = next;
        before.current = document.activeElement;
        set(next);
        setValues(start(next.fields));
        setBusy(false);
        setProblem(null);
        setProgress("");
    };
    useLayoutEffect(() => {
        if (sheet && !box.current.open) {
            box.current.showModal();
        }
    }, [sheet]);
    const isOpen = () => opened.current === sheet;
    const close = () => {
        opened.current = null;
        box.current?.close();
        set(null);
        setBusy(false);
        // Where it was before, so that whoever works by keys goes on there.
        before.current?.isConnected ? before.current.focus() : document.querySelector("main h1")?.focus();
    };
    if (!sheet) {
        return null;
    }
    const hasPasskey = passkeysOf(keys, me).mine.length > 0;
    const isTyped = sheet.isForPeople && !(hasPasskey && sheet.name);
    const isProven = hasPasskey && (sheet.isForPeople || sheet.isProvable);
    const run = async (event) => {
        event.preventDefault();
        if (isBusy) {
            return;
        }
        setBusy(true);
        setProblem(null);
        const answers = [];
        try {
            const given = sheet.given(values);
            const all = Array.isArray(given) ? given : [given];
            for (const one of all) {
                if (!isOpen()) {
                    say(`${sheet.title}: stopped after ${answers.length} of ${all.length}`, true);
                    return;
                }
                if (all.length > 1) {
                    setProgress(`${answers.length} of ${all.length}`);
                }
                answers.push(await deed(sheet.name, isUnproven(event) ? {...one, prove: false} : one));
            }
            if (isOpen()) {
                tellDone();
                close();
            }
            say(sheet.done ? sheet.done(answers) : "done");
        } catch (e) {
            if (isOpen()) {
                setProblem(e);
                setBusy(false);
            } else {
                say(`${sheet.title}: ${line(e.message)}`, true);
            }
        }
    };
    const command = sheet.command?.(values) ?? shell(["rsm", ...sheet.words(values)]);
    return dialog({
        class: "sheet" + (sheet.isDangerous ? " danger" : ""), ref: box, "aria-labelledby": "sheet-title",
        onClose: () => isOpen() && close(),
        onCancel: (event) => {
            event.preventDefault();
            close();
        },
    },
    form({method: "dialog", onSubmit: run},
        h2({id: "sheet-title"}, sheet.title),
        p(sheet.says),
        sheet.list ? h(Preview, {list: sheet.list}) : null,
        (sheet.fields ?? []).map((field, i) =>
            h(Field, {
                key: field.name, field, isFirst: i === 0, value: values[field.name],
                set: (value) => setValues({...values, [field.name]: value}),
            })),
        isTyped
            ? p({class: "people"}, span({"aria-hidden": "true"}, "▲ "),
                sheet.name
                    ? "This is for people. That this page is paired proves no person, so it takes a passkey of yours, or is done in a terminal:"
                    : "This is for people. That this page is paired proves no person, so it is done in a terminal:")
            : h(Fragment, null,
                isProven
                    ? p({class: "people"}, span({"aria-hidden": "true"}, "▲ "),
                        sheet.isForPeople
                            ? "This is for people: your passkey confirms it, for just what is shown here."
                            : "Your passkey proves that the answer is yours.")
                    : null,
                p({class: "same"}, "The same in a terminal:")),
        h(Command, {text: command}),
        h(Trouble, {problem}),
        div({class: "buttons"},
            button({type: "button", class: "quiet", onClick: close}, isTyped ? "Close" : "Cancel"),
            isProven && sheet.isProvable
                ? button({type: "submit", class: "quiet", value: UNPROVEN, disabled: isBusy}, "Send it unproven") : null,
            isTyped
                ? sheet.name
                    ? button({type: "button", onClick: () => {
                        close();
                        location.hash = "#/passkeys";
                    }}, "Passkeys …") : null
                : button({type: "submit", class: sheet.isDangerous ? "danger" : "main", disabled: isBusy, autofocus: !sheet.fields?.length},
                    isBusy ? "…" + progress : strong(sheet.button ?? sheet.title)))));
};

// What came of the last deed.
export const Said = () => {
    const [said, set] = useState(null);
    tell = set;
    useEffect(() => {
        if (!said) {
            return undefined;
        }
        const timer = setTimeout(() => set(null), 8_000);
        return () => clearTimeout(timer);
    }, [said]);
    return div({class: "said", role: "status", "aria-live": "polite"},
        said ? span({class: said.problem ? "bad" : "good"}, said.text) : null);
};
