/**
 * What is wrong with a text that was to be an envelope, and where: an everyday case, because people write them by
 * hand. Lines and columns count from 1; columns count characters.
 */
export class MalformedEnvelope extends Error {
  constructor(
    readonly line: number,
    readonly column: number,
    /** The header field that has the problem, if it is in one. */
    readonly field: string | undefined,
    readonly problem: string,
    /** Whether more bytes could make it whole: its writer may not be done. */
    readonly incomplete = false,
  ) {
    super(`line ${line}: ${field === undefined ? "" : `${field}: `}${shortened(problem)}`);
    this.name = "MalformedEnvelope";
  }
}

/** Foreign text may be long; an error line should not be. */
const PROBLEM_LENGTH_MAX = 300;

function shortened(text: string): string {
  return text.length > PROBLEM_LENGTH_MAX ? `${text.slice(0, PROBLEM_LENGTH_MAX)}…` : text;
}
