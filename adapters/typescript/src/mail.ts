import { cutEnvelope, type EnvelopeText } from "./envelope-text.js";
import { FIELD_NAMES, readEnvelope, type Envelope } from "./envelope.js";
import { sha256 } from "./hash.js";
import type { MalformedEnvelope } from "./malformed.js";

/**
 * The fields in which two copies of the same mail may differ; the hash is compared as a value: it has two spellings.
 */
const FREE_TO_DIFFER = ["ts", "sig", "kid", "traceparent", "from_origin", "hash"];

/**
 * One message: a valid header and its body, with the exact bytes it was read from, so that what is read and written
 * again is the same file. Whether the body is the one that the header's hash names is asked of `hashMatches`.
 */
export class Mail {
  private constructor(
    readonly text: EnvelopeText,
    readonly env: Envelope,
    /** What is odd but no error. */
    readonly warnings: readonly MalformedEnvelope[],
  ) {}

  /** The message in `bytes`, all of them; they are copied. Fails with `MalformedEnvelope`. */
  static parse(bytes: Uint8Array): Mail {
    const text = cutEnvelope(Uint8Array.from(bytes));
    const { env, warnings } = readEnvelope(text);
    return new Mail(text, env, warnings);
  }

  get bytes(): Uint8Array {
    return this.text.bytes;
  }

  /** The body's bytes, untrimmed. */
  get body(): Uint8Array {
    return this.text.bytes.subarray(this.text.bodyStart);
  }

  /** The body as text; what is not UTF-8 in it appears as U+FFFD. */
  get bodyMd(): string {
    return Buffer.from(this.body).toString("utf8");
  }

  /** The names of fields that have no meaning here; they are kept. */
  get extra(): string[] {
    return this.text.fields
      .map((field) => field.key)
      .filter((key) => !(FIELD_NAMES as readonly string[]).includes(key));
  }

  hashMatches(): boolean {
    return this.env.hash === `sha256:${sha256(this.body)}`;
  }

  /** Whether `other` is this mail sent again. Everything else with this id is a conflict. */
  isSameMailAs(other: Mail): boolean {
    return this.env.id === other.env.id && this.env.hash === other.env.hash && this.compared() === other.compared();
  }

  private compared(): string {
    const fields = this.text.fields.filter((field) => !FREE_TO_DIFFER.includes(field.key));
    return fields
      .map(({ key, shape, values }) => JSON.stringify([key, shape, values]))
      .sort()
      .join("\n");
  }
}
