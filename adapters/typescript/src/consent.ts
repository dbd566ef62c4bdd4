/** How far mail may go, as its sender says. */
export type Consent = "private" | "team" | "public";

/** How far a transport carries. Files have the reach `local`. */
export type Reach = "local" | "team" | "public";

const ALLOWED: Record<Consent, readonly Reach[]> = {
  private: ["local"],
  team: ["local", "team"],
  public: ["local", "team", "public"],
};

export function parseConsent(text: string): Consent {
  if (!Object.hasOwn(ALLOWED, text)) {
    throw new RangeError(`found "${text}", expected public, team or private`);
  }
  return text as Consent;
}

/** Whether a transport of that reach may carry such mail. */
export function allows(consent: Consent, reach: Reach): boolean {
  return ALLOWED[consent].includes(reach);
}
