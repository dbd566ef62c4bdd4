import { formatAddress, parseAddress } from "./address.js";
import type { Draft } from "./draft.js";
import { parseTtl } from "./duration.js";
import type { Envelope } from "./envelope.js";
import { codePointCount, isOnlySpaces } from "./header-chars.js";
import { fileNameOf } from "./layout.js";
import type { SignatureCheck } from "./signature.js";
import { formatInstant, parseInstant, SECOND, type Instant } from "./time.js";

/** The fields of a question's header, as an envelope has them. */
export type Ask = Pick<Envelope, "ask" | "ask_free" | "ask_default" | "ask_deadline" | "ask_of">;

/** What somebody wants to ask; without choices any text is an answer. */
export interface Asking {
  readonly choices?: readonly string[];
  /** Whether another text than the choices is an answer, too. */
  readonly free?: boolean;
  /** What holds if nobody answers in time. */
  readonly default?: string;
  /** How long an answer counts; else as long as the mail is valid. */
  readonly deadlineS?: number;
  /** That the default may permit something is intended. Only `no` needs no such word. */
  readonly defaultPermits?: boolean;
}

/** An answer as it was stored where its question said that answers go. */
export interface StoredAnswer {
  readonly id: string;
  readonly from: string;
  readonly text: string;
  readonly storedAt: Instant;
  readonly hashMatches: boolean;
  /** What its signature was worth when it was stored. */
  readonly check: SignatureCheck;
  /** Whether its sender had taken the question, as those must who are asked by the name of a domain. */
  readonly hasTaken: boolean;
}

/** An answer that does not count. */
export interface SetAside {
  readonly answer: StoredAnswer;
  readonly why: "hash" | "signature" | "not_asked" | "choice" | "late";
  readonly reason: string;
}

/** What a question has come to; `answer` is what holds, the answer or the default. */
export type QuestionState = { readonly endsAt: Instant; readonly setAside: readonly SetAside[] } & (
  | { readonly state: "open" | "expired" }
  | { readonly state: "defaulted"; readonly answer: string }
  | {
      readonly state: "answered";
      readonly answer: string;
      readonly by: string;
      readonly proof: "key" | "unproven";
      readonly answerId: string;
      readonly answeredAt: Instant;
    }
);

/** Whether an actor had a live key at that time. */
export type Keys = (actor: string, at: Instant) => boolean;

const CHOICES_MAX = 16;
const CHOICE_LENGTH_MAX = 100;
const ANSWER_LENGTH_MAX = 256;
/** A topic is a line in a table. */
const TOPIC_LENGTH_MAX = 100;
const REPLY_TOPIC_LENGTH_MAX = 256;
const HOPS_MAX = 8;

export function parseChoice(text: string): string {
  return checked(text, CHOICE_LENGTH_MAX);
}

export function parseAnswer(text: string): string {
  return checked(text, ANSWER_LENGTH_MAX);
}

export function parseFree(text: string): boolean {
  if (text !== "true" && text !== "false") {
    throw new RangeError(`found "${text}", expected true or false`);
  }
  return text === "true";
}

function checked(text: string, lengthMax: number): string {
  const length = codePointCount(text);
  if (isOnlySpaces(text) || length > lengthMax) {
    throw new RangeError(`found ${length} characters, expected 1 to ${lengthMax}, not all of them spaces`);
  }
  return text;
}

/** Fails on a question that nobody could answer, or whose default nobody could give. */
export function checkAsk({ ask = [], ask_free: free = false, ask_default: fallback }: Ask): void {
  if (ask.length === 0 && !free) {
    throw new RangeError("found no choice, expected at least one, or ask_free: true");
  }
  if (ask.length > CHOICES_MAX) {
    throw new RangeError(`found ${ask.length} choices, expected at most ${CHOICES_MAX}`);
  }
  const spelled = new Set<string>();
  for (const choice of ask) {
    parseChoice(choice);
    if (spelled.has(lower(choice))) {
      throw new RangeError(`found choice "${choice}" twice, expected each once`);
    }
    spelled.add(lower(choice));
  }
  if (fallback !== undefined && !free && !ask.includes(fallback)) {
    throw new RangeError(`found default "${fallback}", expected one of the choices`);
  }
}

/** The header's fields of what somebody asks. Fails for a default that permits something, unless that is intended. */
export function askOf(asking: Asking, now: Instant): Ask {
  const ask = [...(asking.choices ?? [])];
  const free = asking.free === true || ask.length === 0;
  checkAsk({ ask, ask_free: free });
  const fallback = asking.default === undefined ? undefined : meant({ ask, ask_free: free }, asking.default);
  if (asking.default !== undefined && fallback === undefined) {
    throw new RangeError(`found default "${asking.default}", expected one of the choices`);
  }
  if (fallback !== undefined && lower(fallback) !== "no" && asking.defaultPermits !== true) {
    throw new RangeError(
      `default: found "${fallback}", which may permit something that nobody has allowed; expected no, or defaultPermits`,
    );
  }
  const { deadlineS } = asking;
  return {
    ask,
    ask_free: free,
    ...(fallback !== undefined && { ask_default: fallback }),
    ...(deadlineS !== undefined && { ask_deadline: formatInstant(now + BigInt(Math.round(deadlineS)) * SECOND) }),
  };
}

/** The answer that somebody means who typed `text`: a choice in any case, or the text itself where any will do. */
export function meant({ ask = [], ask_free: free = false }: Ask, text: string): string | undefined {
  const said = text.trim();
  const choice = ask.find((one) => one === said) ?? ask.find((one) => lower(one) === lower(said));
  return choice ?? (free && said !== "" && codePointCount(said) <= ANSWER_LENGTH_MAX ? said : undefined);
}

/** What the body of a reply answers: its first line that is not empty, if that is an answer to the question. */
export function answerTo(question: Envelope, bodyMd: string): string | undefined {
  if (question.ask === undefined) {
    return undefined;
  }
  const line = firstLine(bodyMd);
  return meant(question, question.ask_free === true ? cut(line, ANSWER_LENGTH_MAX) : line);
}

/** The answer to a question as a draft. It goes no further than the question, and takes no private topic along. */
export function answerDraft(question: Envelope, bodyMd: string, env: Partial<Draft> & Pick<Draft, "from" | "to">): Draft {
  const answer = answerTo(question, bodyMd);
  if (answer === undefined) {
    const choices = (question.ask ?? []).map((choice) => `"${choice}"`).join(" or ");
    const expected = question.ask === undefined ? "a question" : choices || "some text";
    throw new RangeError(`${question.id}: found no answer to it, expected ${expected}`);
  }
  if (question.hops >= HOPS_MAX) {
    throw new RangeError(`envelope ${question.id} is answer number ${question.hops} in a row, expected fewer`);
  }
  return {
    lane: question.lane,
    topic: question.topic.startsWith("Re: ") ? question.topic : cut(`Re: ${question.topic}`, REPLY_TOPIC_LENGTH_MAX),
    priority: question.priority,
    consent: question.consent === "private" ? "private" : "team",
    correlation_id: question.id,
    hops: question.hops + 1,
    answer,
    ...env,
  };
}

/** What a question is about: its first line. */
export function topicOf(question: string): string {
  return cut(firstLine(question), TOPIC_LENGTH_MAX) || "a question";
}

function firstLine(text: string): string {
  return (
    text
      .split(/\r\n|\r|\n/)
      .map((line) => line.trim())
      .find((line) => line !== "") ?? ""
  );
}

function cut(line: string, length: number): string {
  return [...line].slice(0, length).join("").trim();
}

/** From when on no answer counts any more, by the clock of the asker's hive. */
export function endOf(question: Envelope): Instant {
  const end = parseInstant(question.ts) + BigInt(parseTtl(question.ttl)) * SECOND;
  const deadline = question.ask_deadline === undefined ? end : parseInstant(question.ask_deadline);
  return deadline < end ? deadline : end;
}

/** The addresses of those who are asked. */
export function askedBy(question: Envelope): readonly string[] {
  return question.ask_of === undefined || question.ask_of.length === 0 ? question.to : question.ask_of;
}

/**
 * What a question has come to, by all answers that were stored, in any order; undefined if it asks nothing. The first
 * valid answer that was stored wins.
 */
export function lookAt(
  question: Envelope,
  answers: readonly StoredAnswer[],
  hasKey: Keys,
  now: Instant,
): QuestionState | undefined {
  if (question.ask === undefined) {
    return undefined;
  }
  const endsAt = endOf(question);
  const setAside: SetAside[] = [];
  let counting: StoredAnswer | undefined;
  for (const answer of [...answers].sort(inOrder)) {
    const objection = objectionTo(answer, question, endsAt, hasKey, counting);
    if (objection === undefined) {
      counting = answer;
    } else {
      setAside.push(objection);
    }
  }
  if (counting !== undefined) {
    return {
      state: "answered",
      endsAt,
      setAside,
      answer: counting.text,
      by: counting.from,
      proof: counting.check.kind === "valid" ? "key" : "unproven",
      answerId: counting.id,
      answeredAt: counting.storedAt,
    };
  }
  if (now < endsAt) {
    return { state: "open", endsAt, setAside };
  }
  const { ask_default: answer } = question;
  return answer === undefined
    ? { state: "expired", endsAt, setAside }
    : { state: "defaulted", endsAt, setAside, answer };
}

function inOrder(a: StoredAnswer, b: StoredAnswer): number {
  if (a.storedAt !== b.storedAt) {
    return a.storedAt < b.storedAt ? -1 : 1;
  }
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function objectionTo(
  answer: StoredAnswer,
  question: Envelope,
  endsAt: Instant,
  hasKey: Keys,
  counting: StoredAnswer | undefined,
): SetAside | undefined {
  const against = (why: SetAside["why"], reason: string): SetAside => ({ answer, why, reason });
  const of = askedBy(question);
  if (!answer.hashMatches) {
    return against("hash", "its hash doesn't match the body");
  }
  if (answer.check.kind === "bad") {
    return against("signature", answer.check.reason);
  }
  if (!of.some((address) => isAsked(address, answer, hasKey))) {
    return against("not_asked", `${answer.from} was not asked: the question went to ${of.join(", ")}`);
  }
  if (question.ask_free !== true && question.ask?.includes(answer.text) !== true) {
    return against("choice", `it is none of ${(question.ask ?? []).join(", ")}`);
  }
  if (counting !== undefined) {
    return against("late", `answered already by ${counting.from}`);
  }
  return answer.storedAt < endsAt ? undefined : against("late", "the question had ended by then");
}

function isAsked(address: string, answer: StoredAnswer, hasKey: Keys): boolean {
  const { scheme, name } = parseAddress(address);
  if (scheme === "queen" || scheme === "lane") {
    // For whoever takes it.
    return answer.hasTaken;
  }
  // Several actors share an address; one whose name it is, and who has a key, shares it with nobody.
  return answer.from === name || (fileNameOf(answer.from) === name && !hasKey(name, answer.storedAt));
}

/** The addresses to which answers may go: an actor has one as a person, and one as a worker. */
export function answerAddresses(question: Envelope): string[] {
  const name = fileNameOf(question.from);
  return question.reply_to === undefined
    ? (["worker", "user"] as const).map((scheme) => formatAddress({ scheme, name }))
    : [question.reply_to];
}

/** Without the case of ASCII letters: other alphabets fold differently from language to language. */
function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
