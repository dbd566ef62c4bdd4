import { domainOf, knownLane, parseDomain, parseLane, type Address } from "./address.js";
import type { PressureLimits, SenderLimits } from "./backpressure.js";
import { parseDuration, parseTtl } from "./duration.js";
import { parseActor } from "./address.js";
import { parseInstant } from "./time.js";
import { TrustList, type Algorithm, type Key } from "./signature.js";
import { MalformedYaml, parseYaml, type Yaml, type YamlMap } from "./yaml.js";

/** What `hive.yaml` says, as far as sending and receiving need it. */
export interface HiveConfig {
  /** The inboxes that are listed, each with the lanes it serves. */
  readonly domains: ReadonlyMap<string, readonly string[]>;
  /** Lanes beyond the known ones. */
  readonly lanes: readonly string[];
  readonly signatures: "optional" | "required";
  readonly archive: "auto" | "approve";
  /** A part of the ttl, or seconds. */
  readonly halfLife: { readonly part: number; readonly seconds?: number };
  readonly dueTurn: number;
  readonly backpressure: PressureLimits;
  readonly sender: SenderLimits;
  readonly leaseSeconds: number;
  readonly attempts: number;
  /** How long mail lives whose sender does not say; longer if only people get it. */
  readonly ttl: { readonly usual: string; readonly user: string };
  readonly separate: boolean;
}

const FORMATS = ["1"];

/** With passkeys it is 2. */
const TRUST_FORMATS = ["1", "2"];

/** The keys of `hive.yaml` and `trust.yaml`, and of what is in them as far as it is read here. */
const KEYS = {
  root: [
    ...["format", "domains", "lanes", "signatures", "archive", "ttl", "decay", "selection", "backpressure", "sender"],
    ...["lease", "attempts", "scopes", "transports", "notify", "separate"],
  ],
  domain: ["lanes"],
  decay: ["half_life"],
  selection: ["due_turn"],
  backpressure: ["depth", "oldest_age"],
  sender: ["waiting", "rate", "p0"],
  lease: ["select", "work"],
  ttl: ["default", "user"],
  // Passkeys sign no mail: what is for people is not done here.
  trust: ["format", "keys", "passkeys"],
  key: ["kid", "algorithm", "public", "actors", "human", "expires", "revoked"],
};

/** Fails on a key that is not known, too: a rule that is overlooked would be broken. */
export function parseConfig(bytes: Uint8Array): HiveConfig {
  const root = only(rootOf(bytes), "root");
  const mapAt = (key: "decay" | "selection" | "backpressure" | "sender" | "lease" | "ttl"): YamlMap =>
    only(mapOf(root.get(key) ?? null), key);
  const lanes = texts(root, "lanes").map(parseLane);
  texts(root, "notify");
  const domains = new Map<string, readonly string[]>();
  for (const [name, value] of mapOf(root.get("domains") ?? null)) {
    const served = texts(only(mapOf(value), "domain"), "lanes").map(parseLane);
    const unknown = served.find((lane) => knownLane(lane) === undefined && !lanes.includes(lane));
    if (unknown !== undefined) {
      throw new MalformedYaml(1, `domains: ${name}: found lane "${unknown}", expected a known lane, or one of lanes`);
    }
    domains.set(parseDomain(name), served);
  }
  const halfLife = text(mapAt("decay"), "half_life") ?? "ttl/4";
  const part = /^ttl\/(\d{1,4})$/.exec(halfLife)?.[1];
  const [pressure, sender] = [mapAt("backpressure"), mapAt("sender")];
  return {
    domains,
    lanes,
    signatures: oneOf(root, "signatures", ["optional", "required"]),
    archive: oneOf(root, "archive", ["auto", "approve"]),
    halfLife:
      part === undefined
        ? { part: 1, seconds: atLeastOne(parseDuration(halfLife)) }
        : { part: atLeastOne(Number(part)) },
    dueTurn: count(mapAt("selection"), "due_turn", 4),
    backpressure: {
      depthMax: count(pressure, "depth", 1_000),
      oldestAgeMax: atLeastOne(parseDuration(text(pressure, "oldest_age") ?? "10m")),
    },
    sender: {
      waitingMax: count(sender, "waiting", 100),
      perMinuteMax: count(sender, "rate", 60, "/m"),
      p0PerMinuteMax: count(sender, "p0", 5, "/m"),
    },
    leaseSeconds: atLeastOne(parseDuration(text(mapAt("lease"), "select") ?? "30m")),
    attempts: count(root, "attempts", 5),
    ttl: { usual: ttlIn(mapAt("ttl"), "default", "1d"), user: ttlIn(mapAt("ttl"), "user", "7d") },
    separate: oneOf(root, "separate", ["false", "true"]) === "true",
  };
}

/** The inboxes that `address` means: a lane's are those that list it, else the one of its lower-case name. */
export function domainsOf(config: HiveConfig, address: Address): string[] {
  const serving = [...config.domains].filter(([, lanes]) => address.scheme === "lane" && lanes.includes(address.name));
  return serving.length === 0 ? [domainOf(address)] : serving.map(([domain]) => domain).sort();
}

/** How long mail to these lives whose sender does not say. */
export function ttlTo(config: HiveConfig, to: readonly Address[]): string {
  return to.every(({ scheme }) => scheme === "user") ? config.ttl.user : config.ttl.usual;
}

function ttlIn(map: YamlMap, key: string, absent: string): string {
  const value = text(map, key) ?? absent;
  parseTtl(value);
  return value;
}

/** What `trust.yaml` says. Shared secrets are never in it: `secrets` finds those that this machine has. */
export function parseTrust(bytes: Uint8Array, secrets: (kid: string) => Uint8Array | undefined): TrustList {
  const entries = listOf(only(rootOf(bytes, TRUST_FORMATS), "trust").get("keys") ?? null);
  const keys = entries.map((entry): Key => {
    const fields = only(mapOf(entry), "key");
    const kid = parseActor(required(fields, "kid"));
    const algorithm = required(fields, "algorithm") as Algorithm;
    const digits = text(fields, "public");
    const isGood =
      algorithm === "hmac" ? digits === undefined : algorithm === "ed25519" && /^[0-9a-f]{64}$/.test(digits ?? "");
    if (!isGood) {
      throw new MalformedYaml(1, `key ${kid}: expected ed25519 with 64 digits in public, or hmac without public`);
    }
    const time = (name: string): bigint | undefined => {
      const given = text(fields, name);
      return given === undefined ? undefined : parseInstant(given);
    };
    return {
      kid,
      algorithm,
      material: digits === undefined ? secrets(kid) : Buffer.from(digits, "hex"),
      actors: texts(fields, "actors").map(parseActor),
      human: oneOf(fields, "human", ["false", "true"]) === "true",
      expires: time("expires"),
      revoked: time("revoked"),
    };
  });
  return new TrustList(keys);
}

function rootOf(bytes: Uint8Array, formats = FORMATS): YamlMap {
  const map = mapOf(parseYaml(bytes));
  const format = text(map, "format") ?? "1";
  if (!formats.includes(format)) {
    throw new MalformedYaml(1, `format: found ${format}, expected ${formats.join(" or ")}; a newer program wrote this`);
  }
  return map;
}

function only(map: YamlMap, which: keyof typeof KEYS): YamlMap {
  const known = KEYS[which];
  const unknown = [...map.keys()].find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new MalformedYaml(1, `found unknown key "${unknown}", expected one of ${known.join(", ")}`);
  }
  return map;
}

export function mapOf(value: Yaml): YamlMap {
  if (value !== null && !(value instanceof Map)) {
    throw new MalformedYaml(1, "found no map, expected key: value");
  }
  return value ?? new Map();
}

export function listOf(value: Yaml): Yaml[] {
  if (value !== null && !Array.isArray(value)) {
    throw new MalformedYaml(1, "found no list, expected one such as [one, two]");
  }
  return value ?? [];
}

/** The value of `key`, or undefined if there is no such key. */
export function text(map: YamlMap, key: string): string | undefined {
  const value = map.get(key);
  if (value !== undefined && typeof value !== "string") {
    throw new MalformedYaml(1, `${key}: found nothing, a list or a map, expected a single value`);
  }
  return value;
}

function texts(map: YamlMap, key: string): string[] {
  return listOf(map.get(key) ?? null).map((_, index, list) => text(new Map([[key, list[index]]]), key) as string);
}

function required(map: YamlMap, key: string): string {
  const value = text(map, key);
  if (value === undefined) {
    throw new MalformedYaml(1, `found no ${key}, expected one`);
  }
  return value;
}

/** One of `values`, of which the first is the default. */
function oneOf<T extends string>(map: YamlMap, key: string, values: readonly T[]): T {
  const value = (text(map, key) ?? values[0]) as T;
  if (!values.includes(value)) {
    throw new MalformedYaml(1, `${key}: found "${value}", expected ${values.join(" or ")}`);
  }
  return value;
}

function count(map: YamlMap, key: string, absent: number, unit = ""): number {
  const value = text(map, key) ?? `${absent}${unit}`;
  const digits = value.endsWith(unit) ? value.slice(0, value.length - unit.length) : value;
  if (!/^[1-9]\d{0,8}$/.test(digits)) {
    throw new MalformedYaml(1, `${key}: found "${value}", expected a number from 1 on${unit && `, and ${unit}`}`);
  }
  return Number(digits);
}

function atLeastOne(value: number): number {
  if (value < 1) {
    throw new MalformedYaml(1, `found ${value}, expected at least 1`);
  }
  return value;
}
