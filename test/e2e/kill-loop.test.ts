/* @slow */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from './support/client.js';
import { liveThrough } from './support/life.js';
import { Installation } from './support/service.js';
import { collectGarbage, expectSound } from './support/sound.js';

/** `KILL_ROUNDS=100 npx jest test/e2e/kill-loop` for the long run; `KILL_SEED` repeats one. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 10);
const SEED = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000);
const CLIENTS = 3;
/** Longer than a start takes to answer the first request: kills fall into every kind of work. */
const LONGEST_LIFE_MS = 4000;
/** On a machine that is slower, or busy, as many times the length of one import: else no life would be long enough to end any. */
const LONGEST_LIFE_IMPORTS = 2;
const CHECK_EVERY = 10;
const PATIENCE_SECONDS = 30 * 60;

it(
  `F1, F28: ${ROUNDS} times kill -9 at moments of chance (seed ${SEED}): every client ends with what was acknowledged, and no key is held`,
  async () => {
    const installation = await Installation.make();
    try {
      await installation.start();
      const client = await installation.client();
      const chance = randomFrom(SEED);
      const began = performance.now();
      await liveThrough(client, 'undisturbed');
      const longestLife = Math.max(LONGEST_LIFE_MS, (performance.now() - began) * LONGEST_LIFE_IMPORTS);
      const done = new AbortController();
      const lives = Array.from({ length: CLIENTS }, (_, index) => live(client, `client ${index}`, done.signal));
      for (let round = 1; round <= ROUNDS; round += 1) {
        await Promise.race([delay(chance() * longestLife), ...lives]);
        // Half of the time the database dies with it.
        await (chance() < 0.5 ? installation.kill() : installation.killEverything());
        if (round % CHECK_EVERY === 0) await expectSound(installation);
        await installation.start();
      }
      done.abort();
      const lived = await Promise.all(lives);
      expect(Math.min(...lived)).toBeGreaterThan(0);
      await collectGarbage(installation);
      await expectSound(installation, { graceSeconds: 0 });
    } finally {
      await installation.remove();
    }
  },
  PATIENCE_SECONDS * 1000,
);

/** One import after the other. How many. */
async function live(client: Client, name: string, done: AbortSignal): Promise<number> {
  let lived = 0;
  do {
    await liveThrough(client, `${name}, import ${lived}`, { seconds: PATIENCE_SECONDS });
    lived += 1;
  } while (!done.aborted);
  return lived;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
