export type { RSEEmitter, RSMTransport } from "./interfaces.js";
export { FileTransport } from "./file-transport.js";
export type { Copy, Options, Received, RecvOptions, Sent, Settlement } from "./delivery.js";
export { HttpTransport, type HttpOptions } from "./http-transport.js";
export { HttpProblem, Unreachable } from "./http-calls.js";
export type { Letter, Page, WaitingMail } from "./http-json.js";
export { EventStream, type Told } from "./event-stream.js";
export { JsonlEmitter } from "./jsonl-emitter.js";
export { capabilities } from "./capabilities.js";

export { Mail } from "./mail.js";
export { MalformedEnvelope } from "./malformed.js";
export type { Envelope, Priority } from "./envelope.js";
export { seal, type Draft } from "./draft.js";
export type { Asking, QuestionState, SetAside, StoredAnswer } from "./question.js";
export { ownSecret, ownSigner } from "./own-keys.js";
export { Signer, TrustList, signedBytes, type Algorithm, type Key, type SignatureCheck } from "./signature.js";

export { formatEvent, readEvents, type RseEvent, type RseReading } from "./rse.js";
export { RawNumber, type Json, type JsonObject } from "./json.js";

export { domainOf, parseAddress, type Address } from "./address.js";
export { formatDuration, parseDuration, parseTtl } from "./duration.js";
export { newId, parseId, replyId } from "./id.js";
export { formatInstant, parseInstant, type Instant } from "./time.js";

export { Guard, Withheld } from "./guard.js";
export { GuardedFiles } from "./guarded-files.js";
export type { Access, Lock, LockKind } from "./locks.js";
export { findHive, hiveAt, NoHive } from "./hive-root.js";
export { NoSuchInbox } from "./hive.js";
