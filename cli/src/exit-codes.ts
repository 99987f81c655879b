/**
 * The exit codes of commands: done, partly done, called wrongly, not allowed, server or environment in trouble; interrupted, as shells
 * report a program that Ctrl-C ended (128 + SIGINT).
 */
export const exitCodes = { ok: 0, partial: 1, usage: 2, access: 3, environment: 4, interrupted: 130 } as const;

/** Ends a command with `partial` after it has printed what is amiss; nothing more is said. */
export class PartlyDone extends Error {}

/** The command was called wrongly; the message says how. */
export class UsageError extends Error {}

/** Something that the command needs is missing or not allowed; the message says what to do. */
export class AccessError extends Error {}
