import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '../../docs/cli');

/** What programs may rely on: the types that stand at each place of a JSON document, `photos[].id` for example. */
export type Shape = Readonly<Record<string, readonly string[]>>;

/** Objects whose names are data. */
const MAPS = new Set(['metadata', 'exif', 'settings']);

export function shapeOf(document: unknown): Shape {
  const found = new Map<string, Set<string>>();
  const visit = (at: string, name: string, value: unknown): void => {
    const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    found.set(at, (found.get(at) ?? new Set()).add(type));
    if (Array.isArray(value)) for (const each of value) visit(`${at}[]`, '', each);
    else if (type === 'object' && !MAPS.has(name))
      for (const [key, inner] of Object.entries(value as object)) visit(at === '' ? key : `${at}.${key}`, key, inner);
  };
  visit('', '', document);
  return Object.fromEntries([...found].map(([at, types]) => [at, [...types].sort()]));
}

/** The shapes of all documents that a suite sees, by command. */
export class SeenDocuments {
  private readonly seen = new Map<string, Shape>();

  /** @param args Of the command, with `--json`. Errors have a shape of their own. */
  add(args: readonly string[], document: unknown): void {
    const words = args.slice(0, 2).filter((word) => /^[a-z-]+$/.test(word) && !word.startsWith('-'));
    const command = TWO_WORDS.has(words[0] ?? '') ? words.join(' ') : String(words[0]);
    const shape = shapeOf(document);
    const name = 'error' in shape ? 'error' : command;
    this.seen.set(name, joined(this.seen.get(name) ?? {}, shape));
  }

  get shapes(): Readonly<Record<string, Shape>> {
    return Object.fromEntries([...this.seen].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Commands that have commands of their own. */
const TWO_WORDS = new Set(
  'photos tags customer key user webhook delivery-key preset share operator-token blobs'.split(' '),
);

/** Of several documents of the same command. */
function joined(a: Shape, b: Shape): Shape {
  const places = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return Object.fromEntries(places.map((at) => [at, [...new Set([...(a[at] ?? []), ...(b[at] ?? [])])].sort()]));
}

/**
 * What a program that was written for the release would miss, a sentence each. Only places that both have seen are compared by type: a test
 * may not reach all of them, but it reaches the same ones as at the release.
 */
export function brokenShapes(
  released: Readonly<Record<string, Shape>>,
  current: Readonly<Record<string, Shape>>,
): readonly string[] {
  return Object.entries(released).flatMap(([command, shape]) => {
    const now = current[command];
    if (now === undefined) return [`phs ${command} --json was removed, or is not tried any more.`];
    return Object.entries(shape).flatMap(([at, types]) => {
      const is = now[at];
      if (is === undefined) return [`phs ${command} --json: ${at} was removed.`];
      if (types.join() === 'null') return [];
      const others = is.filter((type) => !types.includes(type) && type !== 'null');
      return others.map((type) => `phs ${command} --json: ${at} can now be ${type}.`);
    });
  });
}

/** What was recorded of the last release. With RECORD_COMMANDS=1 what is there now is recorded in its place. */
export function releasedCommands<T>(name: string, current: T): T {
  const path = join(folder, `${name}.json`);
  if (process.env['RECORD_COMMANDS']) writeFileSync(path, `${JSON.stringify(current, null, 2)}\n`);
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
