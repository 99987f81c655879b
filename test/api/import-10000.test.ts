/* @rest */
import { createHash } from 'node:crypto';
import { type PostgresPorts, postgresPorts } from './support/postgres-ports.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

const PHOTOS = 10_000;
const BATCH = 500;

let rows: PostgresPorts;
let app: RunningApp;
let actor: Actor;
beforeAll(async () => {
  rows = await postgresPorts();
  // The clock of the app stands still: all requests are made within one minute, however long they take.
  app = await startApp({ ports: () => rows.ports });
  actor = await (await app.customer()).withKey({ readLimit: null, writeLimit: null });
});
afterAll(async () => {
  await app.close();
  await rows.close();
});

const registrations = (first: number) =>
  Array.from({ length: BATCH }, (_, at) => {
    const name = `DSC_${first + at}.jpg`;
    const hash = createHash('sha256').update(name).digest('hex');
    return { filename: name, clientRef: name, sizeBytes: 1_000_000 + first + at, sha256: hash };
  });

test(`${PHOTOS} photos are 22 writes, within the budget of 30 of one minute`, async () => {
  const left: unknown[] = [];
  const opened = await actor.post('/imports');
  left.push(opened.headers['x-ratelimit-remaining']);
  const path = `/imports/${opened.body.id}`;

  const ids = new Set<number>();
  const targets = new Set<string>();
  for (let first = 0; first < PHOTOS; first += BATCH) {
    const photos = registrations(first);
    const answer = await actor.post(`${path}/photos`, { photos });
    expect(answer.status).toBe(201);
    left.push(answer.headers['x-ratelimit-remaining']);
    expect(answer.body.import.counts).toMatchObject({ total: first + BATCH, awaitingUpload: first + BATCH });
    for (const [at, { index, outcome, photo }] of answer.body.data.entries()) {
      expect([index, outcome, photo.filename]).toEqual([at, 'created', photos[at]?.filename]);
      ids.add(photo.id);
      targets.add(photo.upload.url);
    }
  }
  expect([ids.size, targets.size]).toEqual([PHOTOS, PHOTOS]);

  const ended = await actor.post(`${path}/finalize`, { missingUploads: 'fail' });
  left.push(ended.headers['x-ratelimit-remaining']);
  expect(ended.status).toBe(200);
  expect(ended.body).toMatchObject({ status: 'completed_with_errors', counts: { total: PHOTOS, failed: PHOTOS } });
  expect(left.map(Number)).toEqual(Array.from({ length: 22 }, (_, at) => 29 - at));
}, 240_000);
