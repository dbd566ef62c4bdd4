// What can be done from the page. Each deed says what becomes of the mail, and is the command that
// it shows.

import {newId} from "./hive.js";
import {open} from "./sheet.js";
import {count, line, shell, shortId, typed} from "./text.js";

const option = (name, value) => value ? ["--" + name, value] : [];
const flag = (name, value) => value ? ["--" + name] : [];

// What is sent from one sheet, with an id for each content: where nobody knows what became of it, to
// send the same again makes no second mail.
const once = (name) => {
    const ids = new Map();
    return (given) => {
        const content = JSON.stringify(given);
        ids.set(content, ids.get(content) ?? newId());
        return {...given, [name]: ids.get(content)};
    };
};

const sentTo = (answers) => {
    const states = answers.flatMap((answer) => answer.to ?? []).map((copy) => `${typed(copy.address)}: ${copy.state}`);
    return states.length > 0 ? "sent; " + line(states.join(", ")) : "sent";
};

const PRIORITIES = ["P0", "P1", "P2", "P3"];

export const answer = (id, topic, from, choice, mail = once("mail")) => open({
    title: choice ? `Answer “${line(choice, 60)}”` : "Answer",
    says: `The answer goes to ${line(from, 60)} and ends the question “${line(topic, 120)}”. The first answer counts. Without a passkey it is written down as unproven, by the board.`,
    isProvable: true,
    fields: choice ? [] : [{name: "text", label: "Your answer", kind: "long", needed: true}],
    words: (values) => ["reply", shortId(id), "--", choice ?? values.text],
    name: "reply",
    given: (values) => mail({id, text: choice ?? values.text}),
    done: (answers) => {
        const aside = (answers[0].warnings ?? [])[0];
        return aside ? line(aside) : "answered";
    },
    button: "Send the answer",
});

export const reply = (id, topic, from, isQuestion = false, mail = once("mail")) => open({
    title: isQuestion ? "Comment" : "Reply",
    says: isQuestion
        ? `Goes to ${line(from, 60)}; the question stays open.`
        : `Goes to ${line(from, 60)}, as an answer to “${line(topic, 120)}”. The mail that you answer stays where it is.`,
    fields: [{name: "text", label: "Text, Markdown", kind: "long", needed: true}],
    words: (values) => ["reply", ...flag("comment", isQuestion), shortId(id), "--", values.text],
    name: "reply",
    given: (values) => mail({id, text: values.text, ...(isQuestion ? {as: "comment"} : {})}),
    done: sentTo,
    button: "Send",
});

export const compose = (to = "", text = "", mail = once("id")) => open({
    title: "New mail",
    says: "It is stored in the inbox of each recipient, and waits there until it is taken.",
    fields: [
        {name: "to", label: "To, several with spaces between", needed: true, value: to, example: "code user://you worker://claude-7f3a"},
        {name: "text", label: "Text, Markdown; the first line is the topic", kind: "long", needed: true, value: text},
        {name: "priority", label: "Priority", kind: "choice", choices: ["", ...PRIORITIES].map((each) => [each, each || "as usual (P2)"])},
        {name: "consent", label: "Who may see it", kind: "choice", value: "team", choices: [["team", "the team"], ["private", "whom it is for"]]},
    ],
    words: (values) => [
        "send", ...values.to.trim().split(/\s+/).flatMap((each) => ["--to", each]),
        ...option("priority", values.priority), ...(values.consent === "team" ? [] : option("consent", values.consent)),
        "--", values.text,
    ],
    name: "send",
    given: (values) => mail({
        to: values.to.trim().split(/\s+/), text: values.text, consent: values.consent,
        ...(values.priority ? {priority: values.priority} : {}),
    }),
    done: sentTo,
    button: "Send",
});

const RETRY = "What ended stays ended, with its history: a new envelope with a new id goes to the inbox where the old one ended, once, however often this is asked.";

export const retry = (id, topic) => open({
    title: "Send again",
    says: `“${line(topic, 120)}”: ${RETRY}`,
    words: () => ["retry", shortId(id)],
    name: "retry",
    given: () => ({id}),
    done: sentTo,
});

export const retryAll = (items) => open({
    title: `Send ${count(items.length, "mail")} again`,
    says: RETRY,
    command: () => items.length === 1
        ? shell(["rsm", "retry", shortId(items[0].id)])
        : `for id in ${items.map((item) => shortId(item.id)).join(" ")}; do rsm retry $id; done`,
    name: "retry",
    given: () => items.map((item) => ({id: item.id})),
    done: (answers) => `${count(answers.length, "mail")} sent again`,
    button: `Send all ${items.length}`,
});

export const finish = (id, topic) => open({
    title: "Done with it",
    says: `“${line(topic, 120)}” leaves your inbox and is kept in the archive as done. Nothing is deleted.`,
    fields: [{name: "note", label: "A note for the log"}],
    words: (values) => ["ack", shortId(id), "done", ...(values.note ? ["--", values.note] : [])],
    name: "done",
    given: (values) => ({id, ...(values.note ? {note: values.note} : {})}),
    done: () => "done; it is in the archive",
});

export const wake = (actor) => open({
    title: "Ring",
    says: `Tells the session of ${line(actor, 60)} that mail waits, also while it is idle. No text of any mail is told.`,
    words: () => ["wake", actor],
    name: "wake",
    given: () => ({actor}),
    done: (answers) => "rung: " + line(answers[0].how ?? ""),
});

export const lock = (kind = "do-not-alter") => open({
    title: "Lock",
    says: "Who would touch what is locked is refused, and told why. Locking waits until all who work there have finished. A person lifts the lock.",
    isDangerous: true,
    fields: [
        {name: "kind", label: "What", kind: "choice", value: kind, choices: [
            ["do-not-alter", "files: read, not changed"], ["dnr", "files: not read, changed or erased"],
            ["do-not-erase", "files: not erased"], ["hive", "the whole hive: a freeze"]]},
        {name: "pattern", label: "Files, a path or a pattern; none for the hive", example: "src/keys/**"},
        {name: "reason", label: "Why; shown to everybody whom it stops"},
        {name: "expires", label: "Ends by itself after", example: "2h"},
    ],
    words: (values) => [
        "lock", values.kind, ...(values.kind === "hive" || !values.pattern ? [] : [values.pattern]),
        ...option("reason", values.reason), ...option("expires", values.expires),
    ],
    name: "lock",
    given: (values) => ({
        kind: values.kind,
        ...(values.kind === "hive" || !values.pattern ? {} : {pattern: values.pattern}),
        ...(values.reason ? {reason: values.reason} : {}),
        ...(values.expires ? {expires: values.expires} : {}),
    }),
    done: () => "locked",
    button: "Lock it",
});

export const mute = (actor) => open({
    title: `Mute ${line(actor, 60)}`,
    says: "What this sender sends, and what of it waits now, is kept aside and comes to its inbox when the mute ends. Nothing is lost or refused; its time runs on.",
    isForPeople: true,
    fields: [{name: "for", label: "For how long", value: "1h"}, {name: "reason", label: "Why; shown to whoever asks"}],
    words: (values) => ["mute", actor, ...option("for", values.for), ...option("reason", values.reason)],
    name: "mute",
    given: (values) => ({actor, ...(values.for ? {for: values.for} : {}), ...(values.reason ? {reason: values.reason} : {})}),
    done: (answers) => `${line(actor, 60)} is muted; ${count(answers[0].kept ?? 0, "mail")} kept aside`,
    button: "Mute",
});

export const unmute = (actor) => open({
    title: `Let ${line(actor, 60)} be heard again`,
    says: "What was kept aside comes to its inboxes at once.",
    isForPeople: true,
    words: () => ["mute", actor, "--off"],
    name: "unmute",
    given: () => ({actor}),
    done: () => `${line(actor, 60)} is heard again`,
    button: "Let be heard",
});

export const unlock = (held, waits) => open({
    title: "Lift the lock",
    says: held.kind === "hive"
        ? `Everybody goes on. ${count(waits, "mail")} in the embargo: with “release” it is delivered too, else it waits on.`
        : "Everybody may touch these files again.",
    isForPeople: true,
    isDangerous: true,
    fields: held.kind === "hive" && waits > 0 ? [{name: "release", label: "also release what waits", kind: "flag"}] : [],
    words: (values) => ["unlock", ...flag("release", values.release), held.kind, ...(held.kind === "hive" ? [] : ["--", held.pattern])],
    name: "unlock",
    given: (values) => ({kind: held.kind, ...(held.kind === "hive" ? {} : {pattern: held.pattern}), ...(values.release ? {release: true} : {})}),
    done: (answers) => `the lock is lifted; ${count(answers[0].waiting ?? 0, "mail waits", "mails wait")} in the embargo`,
    button: "Lift it",
});

// So many ids fit into one request.
const IDS_MAX = 1_000;

const parts = (ids) =>
    Array.from({length: Math.ceil(ids.length / IDS_MAX)}, (_, i) => ids.slice(i * IDS_MAX, (i + 1) * IDS_MAX));

export const release = (items, isAll) => open({
    title: isAll ? `Release all ${items.length}` : "Release",
    list: items.map((item) => `${line(item.topic ?? item.path, 100)}: ${line(item.state, 30)}${item.reason ? ", " + line(item.reason, 100) : ""}`),
    says: "Each goes to its inbox, once. What has run out meanwhile goes to the archive as expired.",
    isForPeople: true,
    isDangerous: true,
    words: () => ["embargo", "release", ...(isAll ? [] : items.map((item) => shortId(item.id))), "--yes"],
    name: "release",
    // By their ids: what came since was not shown. What is no mail has none, and stays anyway.
    given: () => parts(items.map((item) => item.id).filter(Boolean)).map((ids) => ({ids})),
    done: (answers) => "released: " + line(answers.flatMap((one) => one.items ?? []).map((one) => one.state).join(", ") || "nothing", 120),
    button: isAll ? `Release all ${items.length}` : "Release it",
});

export const giveBack = (claim) => open({
    title: "Give back",
    says: `${line(claim.worker, 60)} loses “${line(claim.topic, 120)}”: somebody else may take it at once, and what ${line(claim.worker, 60)} reports of it later does not count. It is no failed attempt.`,
    isForPeople: true,
    isDangerous: true,
    fields: [{name: "note", label: "Why, in a line"}],
    words: (values) => ["release", claim.claim, ...(values.note ? ["--", values.note] : [])],
    name: "give-back",
    given: (values) => ({claim: claim.claim, ...(values.note ? {note: values.note} : {})}),
    done: () => "given back",
});

export const permit = (target = "") => open({
    title: "Permit one change",
    says: "Exactly this content may be written to exactly this file, for so long, although it is locked. Who permits it is written down.",
    isForPeople: true,
    isDangerous: true,
    fields: [
        {name: "target", label: "The file that may be written", value: target, needed: true},
        {name: "content", label: "The file with its new content", needed: true},
        {name: "reason", label: "Why; it is written down", needed: true},
        {name: "ttl", label: "For how long", value: "1h"},
    ],
    words: (values) => ["override", values.target || "TARGET", "--content", values.content || "FILE", "--reason", values.reason || "TEXT", ...option("ttl", values.ttl)],
    name: "permit",
    given: (values) => ({target: values.target, content: values.content, reason: values.reason, ...(values.ttl ? {ttl: values.ttl} : {})}),
    done: () => "permitted",
    button: "Permit it",
});
