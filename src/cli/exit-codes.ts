/** Exit codes: done, partly done, wrong usage, not allowed, failure of the server or environment. */
export const exitCodes = { ok: 0, partial: 1, usage: 2, access: 3, environment: 4 } as const;

/** Ends a command with this code after it has printed everything; nothing more is printed. */
export class ExitWith extends Error {
  constructor(readonly code: number) {
    super();
  }
}

/** Ends a command with `partial` after it has printed the problems; nothing more is printed. */
export class PartlyDone extends Error {}
