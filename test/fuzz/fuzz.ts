import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { damaged } from './damaged.js';

/** A reader of what others wrote. */
export interface FuzzTarget {
  readonly name: string;
  /** What it should read, to begin with. What once was read wrongly lies in fixtures/NAME and is among them. */
  readonly seeds: readonly (Uint8Array | string)[];
  /** Reads the bytes, and throws where what came out of them is wrong. */
  read(bytes: Buffer): unknown;
  /** Whether it may throw this to say that the bytes are wrong. Default: it may throw nothing. */
  refuses?(error: unknown): boolean;
}

/** Of processor time, for at most some 200 KB. The slowest reads seen take a fiftieth of it. */
const TOO_LONG_MS = 5000;

/** Reads the seeds, and then damaged ones for so many seconds. A failure prints the smallest bytes that fail, and the seed to repeat it. */
export async function fuzz(target: FuzzTarget, seconds: number): Promise<void> {
  const seeds = [...target.seeds.map((seed) => Buffer.from(seed)), ...fixturesOf(target)];
  for (const seed of seeds) await readOnce(target, seed);
  const property = fc.asyncProperty(damaged(seeds), (bytes) => readOnce(target, bytes));
  await fc.assert(property, {
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: seconds * 1000,
    reporter: (run) => {
      if (run.counterexample === null) return;
      const [bytes] = run.counterexample;
      const saying = `seed ${run.seed}, path ${run.counterexamplePath}. Store these bytes in test/fuzz/fixtures/${target.name} once it is mended:`;
      throw new Error(`${saying}\n${bytes.toString('base64')}`, { cause: run.errorInstance });
    },
  });
}

async function readOnce(target: FuzzTarget, bytes: Buffer): Promise<void> {
  const begun = process.cpuUsage();
  try {
    await target.read(bytes);
  } catch (error) {
    if (!target.refuses?.(error)) throw error;
  }
  const { user } = process.cpuUsage(begun);
  if (user / 1000 > TOO_LONG_MS) throw new Error(`it took ${user / 1000} ms`);
}

function fixturesOf({ name }: FuzzTarget): readonly Buffer[] {
  const folder = join(__dirname, 'fixtures', name);
  return existsSync(folder) ? readdirSync(folder).map((file) => readFileSync(join(folder, file))) : [];
}
