// The event log as it grows, for all tabs of this browser over one connection: a browser allows few
// to one server. One tab follows the log and passes on what comes; if it goes, another goes on
// behind the last event that it knows of, so that nothing is missed.

const CHANNEL = "rsm.board.events";
const BATCH_MS = 120;
const PAUSES_MS = [300, 1_000, 2_000, 4_000];

// The server says something at least every 15 s.
const SILENCE_MS = 40_000;

const listeners = new Set();
const stateListeners = new Set();
let last = null;
let linked = null;
let channel = null;

export const onEvents = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
};

// Told whether the log is followed now: {isLinked, since}.
export const onLink = (listener) => {
    stateListeners.add(listener);
    if (linked !== null) {
        listener(linked);
    }
    return () => stateListeners.delete(listener);
};

const take = (message) => {
    if (message.events) {
        last = message.last ?? last;
        listeners.forEach((listener) => listener(message.events));
    }
    if (message.isLinked !== undefined && linked?.isLinked !== message.isLinked) {
        linked = {isLinked: message.isLinked, since: Date.now()};
        stateListeners.forEach((listener) => listener(linked));
        if (linked.isLinked) {
            listeners.forEach((listener) => listener([]));
        }
    }
};

const pass = (message) => {
    channel?.postMessage(message);
    take(message);
};

// One block of the stream as an event; null for a comment.
const event = (block) => {
    let id = null;
    let name = "message";
    const data = [];
    for (const text of block.split("\n")) {
        const colon = text.indexOf(":");
        const field = colon < 0 ? text : text.slice(0, colon);
        const value = colon < 0 ? "" : text.slice(colon + 1).replace(/^ /, "");
        if (field === "id") {
            id = value;
        } else if (field === "event") {
            name = value;
        } else if (field === "data") {
            data.push(value);
        }
    }
    if (data.length === 0) {
        return null;
    }
    try {
        return {id, name, data: JSON.parse(data.join("\n"))};
    } catch {
        return {id, name: "bad", data: {}};
    }
};

const follow = async (secret, signal) => {
    const headers = {Authorization: "Bearer " + secret, Accept: "text/event-stream"};
    if (last) {
        headers["Last-Event-ID"] = last;
    }
    const control = new AbortController();
    const end = () => control.abort();
    signal.addEventListener("abort", end);
    let watchdog = setTimeout(end, SILENCE_MS);
    let batch = [];
    let timer = 0;
    const flush = () => {
        timer = 0;
        pass({events: batch, last});
        batch = [];
    };
    try {
        const answer = await fetch("/rse/sse", {
            headers, cache: "no-store", credentials: "omit", signal: control.signal,
        });
        if (!answer.ok) {
            return answer.status;
        }
        pass({isLinked: true});
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        for (;;) {
            const {value, done} = await reader.read();
            if (done) {
                return 200;
            }
            clearTimeout(watchdog);
            watchdog = setTimeout(end, SILENCE_MS);
            const blocks = (rest + value).split("\n\n");
            rest = blocks.pop();
            for (const block of blocks) {
                const one = event(block);
                if (one?.id) {
                    last = one.id;
                }
                if (one && one.name !== "place") {
                    batch.push(one);
                }
            }
            if (batch.length > 0 && timer === 0) {
                timer = setTimeout(flush, BATCH_MS);
            }
        }
    } catch {
        return 0;
    } finally {
        clearTimeout(watchdog);
        signal.removeEventListener("abort", end);
        if (batch.length > 0) {
            clearTimeout(timer);
            flush();
        }
    }
};

const lead = async (secret, signal) => {
    for (let failures = 0; !signal.aborted; failures++) {
        const began = Date.now();
        const status = await follow(secret, signal);
        pass({isLinked: false});
        if (status === 401) {
            return;
        }
        if (Date.now() - began > 5_000) {
            failures = 0;
        }
        const pause = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)];
        await new Promise((resume) => setTimeout(resume, pause * (0.7 + 0.6 * Math.random())));
    }
};

// Follows the log from now on; returns what ends that.
export const start = (secret) => {
    const control = new AbortController();
    channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = ({data}) => {
        if (data.isAsked) {
            if (leads && linked) {
                channel.postMessage({isLinked: linked.isLinked, last});
            }
        } else {
            take(data);
        }
    };
    let leads = false;
    channel.postMessage({isAsked: true});
    const run = () => {
        leads = true;
        return lead(secret, control.signal);
    };
    if (navigator.locks) {
        navigator.locks.request(CHANNEL, {signal: control.signal}, run).catch(() => {});
    } else {
        run();
    }
    return () => {
        control.abort();
        channel.close();
        channel = null;
    };
};
