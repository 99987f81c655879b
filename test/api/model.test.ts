/* @slow @rest */
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { compare } from './support/model/compare.js';
import { bringFirst, importSteps } from './support/model/import-steps.js';
import { keyedSteps } from './support/model/keyed-steps.js';
import { LibraryModel } from './support/model/library-model.js';
import { ModelClient } from './support/model/model-client.js';
import { photoSteps } from './support/model/photo-steps.js';
import { tagSteps } from './support/model/tag-steps.js';
import { postgresPorts } from './support/postgres-ports.js';
import { type RunningApp, startApp } from './support/start-app.js';

/**
 * Programs of up to 40 steps, each on a customer of its own, until there were so many or the time is over; on Postgres a fifth of
 * them. A failure prints the shortest program that fails, with its seed and path.
 */
const PROGRAMS = Number(process.env.MODEL_PROGRAMS ?? 40);
const SECONDS = Number(process.env.MODEL_SECONDS ?? 30);
const SEED = Number(process.env.MODEL_SEED ?? randomInt(2 ** 31));
const STEPS = 40;

const quotas = fc.record({
  photos: fc.constantFrom(null, null, 3, 6),
  storageBytes: fc.constantFrom(null, null, 500, 1000),
});
const programs = fc.commands([...importSteps, ...photoSteps, ...tagSteps, ...keyedSteps], {
  maxCommands: STEPS,
  size: 'max',
});

async function run(app: RunningApp, numRuns: number): Promise<void> {
  let ran = 0;
  const does = fc.asyncProperty(quotas, programs, async (quota, program) => {
    const actor = await (await app.customer('ACME', quota)).withKey({ readLimit: 100_000, writeLimit: 100_000 });
    const model = new LibraryModel(quota);
    const client = new ModelClient(app, actor);
    for (const name of ['Zoo', 'ant']) model.addTag((await client.post('/tags', { name })).body.id, name);
    await bringFirst(model, client, {});
    await fc.asyncModelRun(() => ({ model, real: client }), program);
    await compare(model, client);
    ran += 1;
  });
  await fc.assert(does, { numRuns, seed: SEED, interruptAfterTimeLimit: SECONDS * 1000 });
  console.info(`${ran} programs, MODEL_SEED=${SEED}`);
}

describe('whatever clients do one after another, the API does what its model does', () => {
  const timeout = (SECONDS + 60) * 1000;

  test(
    'behaves like its model in memory',
    async () => {
      const app = await startApp();
      await run(app, PROGRAMS).finally(() => app.close());
    },
    timeout,
  );

  test(
    'behaves like its model on Postgres',
    async () => {
      const rows = await postgresPorts();
      const app = await startApp({ ports: () => rows.ports });
      await run(app, Math.ceil(PROGRAMS / 5)).finally(async () => {
        await app.close();
        await rows.close();
      });
    },
    timeout,
  );
});
