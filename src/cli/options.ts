import { type Command, InvalidArgumentError } from 'commander';
import { parseInstant } from '../core/media/capture-time.js';
import { type Id, parseId } from '../core/shared/ids.js';

export function idOption(text: string): Id {
  const id = parseId(text);
  if (id === null) throw new InvalidArgumentError('It must be an id such as 1.');
  return id;
}

export function wholeOption(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 0 or greater.');
  return Number(text);
}

export function countOption(text: string): number {
  const count = wholeOption(text);
  if (count === 0) throw new InvalidArgumentError('It must be a whole number, 1 or greater.');
  return count;
}

export function instantOption(text: string): Date {
  const instant = parseInstant(text);
  if (instant === null) throw new InvalidArgumentError('It must look like 2027-01-31T00:00:00Z.');
  return instant;
}

/**
 * `a,b` and repeated options both add to the list. An empty text is refused: it is an unset variable of a script, and an empty list would
 * allow every address, or send every event.
 */
export function listOption(text: string, sofar: readonly string[] = []): readonly string[] {
  const entries = text.split(',').flatMap((entry) => entry.trim() || []);
  if (entries.length === 0) throw new InvalidArgumentError('It must not be empty.');
  return [...sofar, ...entries];
}

/** A word of its own, or what the other reader reads. */
export function wordOr<W extends string, T>(word: W, read: (text: string) => T): (text: string) => W | T {
  return (text) => (text === word ? word : read(text));
}

export function envFileOf(command: Command): string | undefined {
  return command.optsWithGlobals<{ envFile?: string }>().envFile;
}

/** Ends a command with this code after it has printed everything; nothing more is printed. */
export class ExitWith extends Error {
  constructor(readonly code: number) {
    super();
  }
}
