// The hive behind the page: asks the server, and tells views when there may be news.

import {useEffect, useState} from "./dom.js";
import {onEvents} from "./stream.js";
import {answerTo, silence} from "./webauthn.js";

const SECRET = "rsm.board.secret";

// After so long an answer is not waited for any more. A deed may wait for others who are at work.
const PATIENCE_MS = 15_000;
const DEED_PATIENCE_MS = 45_000;

// A view asks again after events, but not before so long has passed.
const REST_MS = 700;
const REST_MAX_MS = 15_000;

// After so long a server that did not answer, or was too busy to, is asked again.
const AGAIN_MS = 4_000;
const SLOW_MS = 200;

// Ages and silence change without events.
const ROUND_MS = 30_000;

// What this browser keeps; `otherwise` where that is nothing, or was changed by hand.
export const kept = (name, otherwise) => {
    try {
        return JSON.parse(localStorage.getItem(name)) ?? otherwise;
    } catch {
        return otherwise;
    }
};

export const secret = () => localStorage.getItem(SECRET);

// What stands between the page and the hive: "" for nothing, "away", "unpaired" or "frozen".
const state = {trouble: "", since: 0, freeze: null};
const watchers = new Set();

const tell = (trouble, freeze = null) => {
    if (state.trouble === trouble && JSON.stringify(state.freeze) === JSON.stringify(freeze)) {
        return;
    }
    if (state.trouble !== trouble) {
        state.since = Date.now();
    }
    state.trouble = trouble;
    state.freeze = freeze;
    watchers.forEach((watcher) => watcher({...state}));
};

export const useTrouble = () => {
    const [now, set] = useState({...state});
    useEffect(() => {
        watchers.add(set);
        set({...state});
        return () => watchers.delete(set);
    }, []);
    return now;
};

export class Problem extends Error {
    constructor(status, said) {
        super(said.detail ?? "the server answered " + status);
        this.status = status;
        this.said = said;
        this.hint = said.hint ?? "";
        this.fix = said.fix ?? "";
    }
}

const UNKNOWN = "whether it was done is not known; to ask for the same again is safe";

const AWAY = {
    detail: "the server does not answer",
    hint: "if it was ended, this starts it again:",
    fix: "rsm board",
};

export const request = async (method, path, body) => {
    const headers = {};
    if (secret()) {
        headers.Authorization = "Bearer " + secret();
    }
    if (body !== undefined) {
        headers["Content-Type"] = "application/json";
    }
    const patience = body === undefined ? PATIENCE_MS : DEED_PATIENCE_MS;
    let answer;
    let said;
    try {
        answer = await fetch(path, {
            method,
            headers,
            body: body === undefined ? undefined : JSON.stringify(body),
            cache: "no-store",
            credentials: "omit",
            signal: AbortSignal.timeout(patience),
        });
        said = (answer.headers.get("Content-Type") ?? "").includes("json")
            ? await answer.json()
            : await answer.text();
    } catch (e) {
        if (e.name === "TimeoutError") {
            throw new Problem(0, {
                detail: `no answer within ${patience / 1000} s`,
                hint: body === undefined ? "the hive may be slow; the page asks again by itself" : UNKNOWN,
            });
        }
        tell("away");
        throw new Problem(0, body === undefined ? AWAY : {...AWAY, hint: `${UNKNOWN}; ${AWAY.hint}`});
    }
    if (answer.status === 401) {
        tell("unpaired");
    } else if (said?.freeze) {
        tell("frozen", said.freeze);
        throw new Problem(423, {...said.error, detail: said.detail ?? said.error?.message, freeze: said.freeze});
    } else if (answer.ok && path.startsWith("/v1/board/looks/")) {
        // A deed under a lock of files may succeed while the hive is frozen; a look at it can't.
        if (!(state.trouble === "frozen" && !/\/looks\/(status|inbox|log|search)\b/.test(path))) {
            tell("");
        }
    } else if (state.trouble === "away") {
        tell("");
    }
    if (!answer.ok) {
        throw new Problem(answer.status, typeof said === "object" && said !== null ? said : {});
    }
    return said;
};

export const query = (parameters) => {
    const pairs = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
        for (const one of Array.isArray(value) ? value : [value]) {
            if (one !== undefined && one !== null && one !== "") {
                pairs.append(name, one);
            }
        }
    }
    const text = pairs.toString();
    return text === "" ? "" : "?" + text;
};

export const look = (name, parameters = {}) =>
    request("GET", "/v1/board/looks/" + name + query(parameters));

// One passkey is made, and an earlier one confirms it: more is not asked for.
const ASKED_MAX = 2;

// Where the server asks for a passkey, the same is asked once more with what it said.
export const deed = async (name, parameters) => {
    let given = parameters;
    for (let times = 0; ; times++) {
        let asked;
        try {
            const said = await request("POST", "/v1/board/deeds/" + name, given);
            news();
            return said;
        } catch (e) {
            asked = e.said?.passkey;
            if (!asked || times === ASKED_MAX) {
                throw e;
            }
            try {
                given = {...given, ...await answerTo(asked)};
            } catch (unsaid) {
                throw new Problem(0, {...e.said, detail: silence(asked, unsaid)});
            }
        }
    }
};

// A new id for an envelope: the time, and chance.
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
export const newId = () => {
    let id = "";
    for (let time = Date.now(), i = 0; i < 10; i++, time = Math.floor(time / 32)) {
        id = ALPHABET[time % 32] + id;
    }
    return crypto.getRandomValues(new Uint8Array(16)).reduce((made, byte) => made + ALPHABET[byte % 32], id);
};

export const who = () => request("GET", "/v1/board/who");

// Shows the one-time code of the address, and keeps the secret that it is worth.
export const pair = async (shown) => {
    const {secret: given} = await request("POST", "/v1/board/pair", {code: shown});
    localStorage.setItem(SECRET, given);
    tell("");
};

export const unpair = async () => {
    try {
        await request("POST", "/v1/board/unpair", {});
    } finally {
        // What needs the person, and is put off, names mail and senders.
        [SECRET, "rsm.board.told", "rsm.board.later"].forEach((name) => localStorage.removeItem(name));
        tell("unpaired");
    }
};

const askers = new Set();

// The server may answer two askers with what it found out at most so long ago.
const SHARED_MS = 560;

// Something may have changed without an event of its own.
export const news = (least = 60) => askers.forEach((ask) => ask(least));

onEvents(() => news(SHARED_MS));

const known = new Map();

const keep = (key, found) => {
    known.delete(key);
    known.set(key, found);
    if (known.size > 40) {
        known.delete(known.keys().next().value);
    }
};

// What the look says, kept up to date while it is shown: {data, problem, at}. While another look is
// awaited it is what was known of it before, if anything. Of no name: nothing.
export const useLook = (name, parameters = {}, {isLive = true} = {}) => {
    const key = name === null ? "" : name + query(parameters);
    const [found, set] = useState({key, ...known.get(key)});
    useEffect(() => {
        if (key === "") {
            return undefined;
        }
        let isOver = false;
        let isAsking = false;
        let isNews = false;
        let timer = 0;
        let lasted = 0;
        let ended = 0;
        const ask = async () => {
            timer = 0;
            if (isAsking) {
                isNews = true;
                return;
            }
            isAsking = true;
            isNews = false;
            const began = performance.now();
            let answer;
            try {
                answer = {data: await look(name, parameters), problem: null, at: Date.now()};
                keep(key, answer);
            } catch (problem) {
                answer = {...known.get(key), problem};
            }
            isAsking = false;
            ended = performance.now();
            lasted = ended - began;
            if (isOver) {
                return;
            }
            set({key, ...answer});
            if (isNews) {
                soon(SHARED_MS);
            } else if ([0, 503].includes(answer.problem?.status)) {
                // What took too long goes on at the server, and is waited for again.
                timer = setTimeout(ask, answer.problem.said.code === "slow" ? SLOW_MS : AGAIN_MS);
            }
        };
        // Slow looks rest longer, so that the server gets on with its work.
        const soon = (least) => {
            if (isAsking) {
                isNews = true;
            } else if (timer === 0) {
                const rest = Math.min(REST_MAX_MS, Math.max(REST_MS, 4 * lasted));
                const hidden = document.hidden ? 3 * REST_MAX_MS : 0;
                timer = setTimeout(ask, Math.max(least, ended + rest + hidden - performance.now()));
            }
        };
        const seen = () => {
            if (!document.hidden) {
                clearTimeout(timer);
                ask();
            }
        };
        set({key, ...known.get(key)});
        ask();
        if (!isLive) {
            return () => {
                isOver = true;
                clearTimeout(timer);
            };
        }
        askers.add(soon);
        const round = setInterval(() => soon(0), ROUND_MS);
        document.addEventListener("visibilitychange", seen);
        return () => {
            isOver = true;
            askers.delete(soon);
            clearInterval(round);
            clearTimeout(timer);
            document.removeEventListener("visibilitychange", seen);
        };
    }, [key, isLive]);
    return found.key === key ? found : {key, ...known.get(key)};
};

// The time, again every few seconds while somebody looks.
const ticks = new Set();
setInterval(() => {
    if (!document.hidden) {
        ticks.forEach((tick) => tick(Date.now()));
    }
}, 5_000);

export const useNow = () => {
    const [now, set] = useState(Date.now());
    useEffect(() => {
        ticks.add(set);
        return () => ticks.delete(set);
    }, []);
    return now;
};
