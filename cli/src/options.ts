import { InvalidArgumentError, Option } from 'commander';

export function idOption(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(Number(text))) {
    throw new InvalidArgumentError('It must be an id such as 1.');
  }
  return Number(text);
}

/** For repeated arguments: `7 8,9` */
export function idsOption(text: string, sofar: readonly number[] = []): readonly number[] {
  return [...sofar, ...text.split(',').map((each) => idOption(each.trim()))];
}

export function wholeOption(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 0 or greater.');
  return Number(text);
}

/** Repeated options add to the list; nothing is split, since names may hold commas. */
export function namesOption(text: string, sofar: readonly string[] = []): readonly string[] {
  return [...sofar, text];
}

/** The options for the output of a command. */
export interface OutputOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export const jsonOption = () => new Option('--json', 'print one JSON document');
export const quietOption = () => new Option('-q, --quiet', 'print only errors');
