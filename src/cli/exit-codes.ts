/** What a command ends with: done, partly done, called wrongly, not allowed, server or environment in trouble. */
export const exitCodes = { ok: 0, partial: 1, usage: 2, access: 3, environment: 4 } as const;

/** Ends a command with this code after it has printed everything; nothing more is said. */
export class ExitWith extends Error {
  constructor(readonly code: number) {
    super();
  }
}

/** Ends a command with `partial` after it has printed what is amiss; nothing more is said. */
export class PartlyDone extends Error {}
