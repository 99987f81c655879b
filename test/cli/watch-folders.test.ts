import { appendFile, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError, ConnectionError } from 'photo-service-sdk';
import { FolderWatch, watchFolders } from '../../cli/src/import/watch-folders.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watch-'));
});
afterEach(() => rm(folder, { recursive: true }));

const path = (name: string) => join(folder, name);
const refusal = (status: number, message: string) =>
  new ApiError(message, { status, code: `http_${status}`, details: {}, requestId: null, retryAfter: null });

test('a photo is whole when it is as it was at the look before, and is reported until it was imported', async () => {
  const watch = new FolderWatch([folder]);
  await writeFile(path('a.jpg'), 'one half');
  await writeFile(path('notes.txt'), 'no photo');
  await writeFile(path('.b.jpg.part'), 'no photo yet');
  await writeFile(path('empty.jpg'), '');
  expect(await watch.settled()).toEqual(new Set());
  await appendFile(path('a.jpg'), ', and the other');
  expect(await watch.settled()).toEqual(new Set());
  const whole = new Set([path('a.jpg')]);
  expect(await watch.settled()).toEqual(whole);
  expect(await watch.settled()).toEqual(whole);
  watch.done(whole);
  expect(await watch.settled()).toEqual(new Set());
});

test('excluded files and files of the system are never reported', async () => {
  const watch = new FolderWatch([folder], ['*.png', 'old']);
  for (const name of ['@eaDir', 'old']) await mkdir(path(name));
  for (const name of ['a.jpg', 'b.png', '@eaDir/c.jpg', 'old/d.jpg']) await writeFile(path(name), 'a photo');
  await watch.settled();
  expect(await watch.settled()).toEqual(new Set([path('a.jpg')]));
});

test('a photo that is changed after it was imported is whole again', async () => {
  const watch = new FolderWatch([folder]);
  await writeFile(path('a.jpg'), 'first');
  await watch.settled();
  watch.done(await watch.settled());
  await utimes(path('a.jpg'), 1, 1);
  expect(await watch.settled()).toEqual(new Set());
  expect(await watch.settled()).toEqual(new Set([path('a.jpg')]));
});

test('imports go on until the signal, and again where the service did not answer', async () => {
  await writeFile(path('a.jpg'), 'a');
  const stop = new AbortController();
  const imported: string[][] = [];
  const outages: string[] = [];
  const watching = watchFolders(
    [folder],
    async (only) => {
      imported.push([...only]);
      if (imported.length === 1) throw new ConnectionError('Nobody answered.');
      if (imported.length === 2) throw refusal(503, 'A proxy answered.');
      if (imported.length === 3) await writeFile(path('b.jpg'), 'b');
      else stop.abort();
    },
    { signal: stop.signal, settledMs: 1, onOutage: ({ message }) => outages.push(message) },
  );
  await expect(watching).rejects.toMatchObject({ name: 'AbortError' });
  expect(outages).toEqual(['Nobody answered.', 'A proxy answered.']);
  expect(imported).toEqual([[path('a.jpg')], [path('a.jpg')], [path('a.jpg')], [path('b.jpg')]]);
});

test('a failure that does not end by waiting ends the watching', async () => {
  await writeFile(path('a.jpg'), 'a');
  const { signal } = new AbortController();
  const fail = () => expect('no outage').toBe('an outage');
  const refused = refusal(403, 'This key does not have the scope.');
  const watching = watchFolders([folder], () => Promise.reject(refused), { signal, settledMs: 1, onOutage: fail });
  await expect(watching).rejects.toBe(refused);
});
