// The browser's part of WebAuthn: what the server asks for, and what an authenticator says to that.

const bytes = (text) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));

const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
        .replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

const known = (asked) => asked.credentials.map((id) => ({type: "public-key", id: bytes(id)}));

const make = async (asked, timeout) => {
    const made = await navigator.credentials.create({publicKey: {
        challenge: bytes(asked.challenge), timeout, attestation: "none",
        rp: {id: asked.rp_id, name: "Pheromone"},
        user: {id: bytes(asked.user), name: asked.actor, displayName: asked.actor},
        pubKeyCredParams: asked.algorithms.map((alg) => ({type: "public-key", alg})),
        excludeCredentials: known(asked),
        authenticatorSelection: {residentKey: "preferred", userVerification: "required"},
    }});
    return {registration: {
        nonce: asked.nonce, client: text(made.response.clientDataJSON),
        attestation: text(made.response.attestationObject),
    }};
};

const confirm = async (asked, timeout) => {
    const {rawId, response} = await navigator.credentials.get({publicKey: {
        challenge: bytes(asked.challenge), timeout, rpId: asked.rp_id,
        allowCredentials: known(asked), userVerification: "required",
    }});
    return {assertion: {
        nonce: asked.nonce, credential: text(rawId), client: text(response.clientDataJSON),
        authenticator: text(response.authenticatorData), signature: text(response.signature),
    }};
};

// What is to be sent along with the deed that `asked` for it.
export const answerTo = async (asked) => {
    const timeout = Math.max(1_000, Date.parse(asked.expires_at) - Date.now());
    return asked.ask === "create" ? make(asked, timeout) : confirm(asked, timeout);
};

// What can't be known: browsers don't say why a passkey did not answer.
export const silence = (asked, e) => ({
    InvalidStateError: "this device has a passkey for you here already",
    SecurityError: "the browser gives no passkey at this address; the board lives at localhost",
    NotSupportedError: "this device can make no such passkey",
})[e.name] ?? (asked.ask === "create"
    ? "no passkey was made: cancelled, too late, or nobody was verified"
    : "no passkey confirmed it: cancelled, too late, or nobody was verified; nothing was done");
