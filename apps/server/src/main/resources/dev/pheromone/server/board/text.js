// How foreign text, times and names are written. Foreign text keeps nothing that is not seen:
// controls, marks of direction and other invisible characters are written out.

const UNSEEN =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/gu;

const written = (character) => `\\u{${character.codePointAt(0).toString(16)}}`;

// Text of several lines.
export const plain = (text) =>
    String(text ?? "").replace(/\r\n/g, "\n").replace(UNSEEN, written);

// Text in one line, at most so many characters of it.
export const line = (text, longest = 300) => {
    const one = plain(text).replace(/\n/g, "⏎").replace(/\t/g, " ");
    return one.length > longest ? one.slice(0, longest) + "…" : one;
};

export const shortId = (id) => String(id ?? "").slice(-6).toLowerCase();

const UNITS = [["d", 86400], ["h", 3600], ["m", 60], ["s", 1]];

// A length of time in its largest unit: 5m.
export const length = (seconds) => {
    const whole = Math.max(0, Math.floor(seconds));
    const [unit, size] = UNITS.find(([, each]) => whole >= each) ?? ["s", 1];
    return `${Math.floor(whole / size)}${unit}`;
};

// A moment as seen from now: "5m ago", "in 5m", "now".
export const fromNow = (moment, now) => {
    const seconds = (Date.parse(moment) - now) / 1000;
    if (Number.isNaN(seconds)) {
        return "";
    }
    if (Math.abs(seconds) < 1) {
        return "now";
    }
    return seconds > 0 ? `in ${length(seconds)}` : `${length(-seconds)} ago`;
};

export const clock = (moment) => new Date(moment).toLocaleTimeString();

export const moment = (at) => new Date(at).toLocaleString();

export const count = (number, one, many = one + "s") =>
    `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

// What people type for an address: code for queen://code.
export const typed = (address) => String(address ?? "").replace(/^queen:\/\//, "");

// The address of an inbox by its folder's name.
export const addressOf = (inbox) =>
    inbox.startsWith("user-")
        ? "user://" + inbox.slice(5)
        : inbox.startsWith("worker-") ? "worker://" + inbox.slice(7) : "queen://" + inbox;

// Words as a shell takes them.
export const shell = (words) =>
    words
        .map((word) =>
            /^[A-Za-z0-9_@%+=:,./-]+$/.test(word)
                ? word
                : "'" + plain(word).replace(/'/g, "'\\''") + "'")
        .join(" ");

export const bytes = (number) =>
    number < 1024
        ? `${number} B`
        : number < 1048576 ? `${(number / 1024).toFixed(1)} KiB` : `${(number / 1048576).toFixed(1)} MiB`;
