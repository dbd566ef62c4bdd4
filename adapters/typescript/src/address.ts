import { codePointCount, isOnlySpaces } from "./header-chars.js";

/** The lanes of the protocol; the set is open, because other hives write others. */
export const LANES = ["Governance", "Process", "Code", "Ops", "Bugs", "Docs", "UI"] as const;

const LANE_LENGTH_MAX = 64;
const ACTOR = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const DOMAIN = /^[a-z0-9][a-z0-9_-]{0,70}$/;
const RESERVED = /^(?:user|worker|lane)-/;

/** Where an envelope is to go. A lane may stand for several inboxes; the others name one. */
export interface Address {
  readonly scheme: "queen" | "lane" | "user" | "worker";
  readonly name: string;
}

/** Who sends, takes or signs. */
export function parseActor(text: string): string {
  if (!ACTOR.test(text)) {
    throw new RangeError(`found "${text}", expected 1 to 64 letters, digits, dots, dashes or underscores`);
  }
  return text;
}

/** The known lane that `text` names whatever its ASCII case; undefined if it names none. */
export function knownLane(text: string): string | undefined {
  // Only ASCII: to Unicode, "Opſ" is Ops in other letters.
  const lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return LANES.find((lane) => lane.toLowerCase() === lower);
}

/** The lane named `text`: a known one in its usual spelling, another as it is written. */
export function parseLane(text: string): string {
  const known = knownLane(text);
  if (known === undefined && (isOnlySpaces(text) || codePointCount(text) > LANE_LENGTH_MAX)) {
    throw new RangeError(`found "${text}", expected 1 to ${LANE_LENGTH_MAX} characters, such as Code or Ops`);
  }
  return known ?? text;
}

/** The name of one inbox, and so of its folder. */
export function parseDomain(text: string): string {
  if (!DOMAIN.test(text)) {
    throw new RangeError(`inbox: found "${text}", expected lower-case letters, digits, dashes or underscores`);
  }
  return text;
}

/** Parses `scheme://name`. Fails on any other scheme, and on a name that could leave an inbox folder. */
export function parseAddress(text: string): Address {
  const [, scheme, name] = /^(queen|lane|user|worker):\/\/([^]*)$/.exec(text) ?? [];
  const lane = scheme === "lane" ? knownLane(name) : undefined;
  const isGood = scheme === "lane" ? lane !== undefined : name !== undefined && NAME.test(name);
  if (!isGood || (scheme === "queen" && RESERVED.test(name))) {
    const expected = "queen://, lane://, user:// or worker:// and a name of lower-case letters, digits, _ and -";
    throw new RangeError(`found "${text}", expected ${expected}`);
  }
  return { scheme: scheme as Address["scheme"], name: lane ?? name };
}

export function formatAddress(address: Address): string {
  return `${address.scheme}://${address.name}`;
}

/** The one inbox of an address; a lane's, where the configuration names none, is its name in lower case. */
export function domainOf({ scheme, name }: Address): string {
  switch (scheme) {
    case "queen":
      return name;
    case "lane":
      return name.toLowerCase();
    case "user":
    case "worker":
      return `${scheme}-${name}`;
  }
}

/** The address that a person would type to reach an inbox. */
export function addressOf(domain: string): Address {
  const [, scheme, name] = /^(user|worker)-(.+)$/.exec(domain) ?? [];
  return scheme === undefined ? { scheme: "queen", name: domain } : { scheme: scheme as "user" | "worker", name };
}
