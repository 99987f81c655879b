/* @slow @rest */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { ChildProcessMediaReader } from '../../src/adapters/media/child-process-media-reader.js';
import type { MediaReader } from '../../src/core/media/media-reader.js';
import { downloadRendition } from '../../src/core/photos/renditions/rendition.js';
import { isOutage } from '../../src/core/shared/errors.js';
import { jobPool, runJob } from '../../src/worker/pools.js';
import { runWorker } from '../../src/worker/worker.js';
import { withInProcess } from '../../testing/memory-ports.js';
import { Account, type ClientFile, expectSound, fileOf, type World, world } from '../support/core-world.js';
import { type Fault, faultyChild } from '../support/faulty-child.js';
import { childChannel } from '../support/hostile-child.js';
import { bytesOf, openMedia } from '../support/media.js';
import { present } from '../support/tenant.js';
import { until } from '../support/until.js';

/** docs/reliability.md F19 and F20: pictures that bring their reader down, in a whole import by a real worker. */

const MIB = 1024 ** 2;
const plenty = { customerId: 1, maxPixels: 210_000_000 };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phs-faults-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

let shades = 0;

/** A sound picture that no other is like. */
async function plain(filename: string): Promise<ClientFile> {
  shades += 1;
  const background = { r: shades % 256, g: 100, b: Math.floor(shades / 256) };
  return fileOf(
    filename,
    await sharp({ create: { width: 60, height: 40, channels: 3, background } })
      .png()
      .toBuffer(),
  );
}

async function logged(): Promise<string[]> {
  const text = await readFile(join(folder, 'log'), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

/** Imports the files with three at a time, while time passes for jobs that wait; to the end of the import. */
async function imported(ports: World, acme: Account, files: readonly ClientFile[]) {
  const { id } = await acme.start();
  await acme.send(id, files);
  await acme.finalize(id);
  const errors: unknown[] = [];
  const onError = (_: unknown, error: unknown) => errors.push(error);
  const pool = jobPool(ports, (job) => runJob(ports, job), { concurrency: 3, leaseSeconds: 600, onError });
  const worker = runWorker(ports, [pool], { idleSeconds: 0.05 });
  try {
    // For as long as the test may take: real processes are started, and some of them waited for.
    while ((await acme.import(id)).status === 'processing') {
      ports.clock.pass(200);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  } finally {
    await worker.stop();
  }
  return { import: await acme.import(id), items: await acme.list(id), errors };
}

test.each<[Fault, string]>([
  ['abort', 'ended (SIGABRT)'],
  ['hang', 'it took more than 6 seconds'],
  ['grow', 'it used more than 400 MiB of memory'],
])('a picture whose reader would %s is tried three times and fails; the others come in', async (fault, reason) => {
  const poison = await plain('poison.png');
  const others = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => plain(`${name}.png`)));
  const childScript = await faultyChild(folder, { [poison.sha256]: fault });
  const bounds = { timeoutMs: fault === 'hang' ? 6000 : 60_000, maxMemoryBytes: 400 * MIB };
  const { reader, close } = await openMedia({ childScript, processes: 3, ...bounds });
  try {
    const ports = world({ media: reader });
    const acme = await Account.open(ports);
    const { import: ended, items, errors } = await imported(ports, acme, [poison, ...others]);
    expect(ended).toMatchObject({ status: 'completed_with_errors', counts: { imported: 5, failed: 1 } });
    expect(items[0]).toMatchObject({ filename: 'poison.png', status: 'failed', error: { code: 'decode_failed' } });
    // The third failure is the item's, no more the job's.
    expect(errors.map(String)).toEqual(Array(2).fill(expect.stringContaining(reason)));
    expect((await logged()).filter((line) => line === `begin ${poison.sha256}`)).toHaveLength(3);
    // The reader goes on as ever.
    expect(await reader.inspect(bytesOf(others[0]?.bytes ?? new Uint8Array()), plenty)).toMatchObject({
      outcome: 'picture',
    });
    await expectSound(ports);
  } finally {
    await close();
  }
});

test('a picture that is read alone has no other beside it, and those that waited come after it', async () => {
  const [first, alone, later, last] = await Promise.all(['1', '2', '3', '4'].map((name) => plain(`${name}.png`)));
  const files = [first, alone, later, last].map(present);
  const childScript = await faultyChild(folder, Object.fromEntries(files.map(({ sha256 }) => [sha256, 'slow'])));
  const { reader, close } = await openMedia({ childScript, processes: 4 });
  try {
    await Promise.all(
      files.map(({ bytes }) => reader.inspect(bytesOf(bytes), { ...plenty, alone: bytes === alone?.bytes })),
    );
    const lines = await logged();
    expect(lines).toHaveLength(8);
    const began = lines.indexOf(`begin ${alone?.sha256}`);
    expect(lines[began + 1]).toBe(`end ${alone?.sha256}`);
    const open = lines.slice(0, began).map((line) => line.split(' ')[0]);
    expect(open.filter((word) => word === 'begin')).toHaveLength(open.filter((word) => word === 'end').length);
  } finally {
    await close();
  }
});

test('a process that is alone is the only one: idle ones have given their memory back', async () => {
  const { reader, close } = await openMedia({ processes: 3 });
  try {
    const files = await Promise.all(['1', '2', '3'].map((name) => plain(`${name}.png`)));
    await Promise.all(files.map(({ bytes }) => reader.inspect(bytesOf(bytes), plenty)));
    const before = reader.processes.map(({ pid }) => pid);
    await reader.inspect(bytesOf(files[0]?.bytes ?? new Uint8Array()), { ...plenty, alone: true });
    expect(reader.processes).toHaveLength(1);
    expect(before).not.toContain(reader.processes[0]?.pid);
  } finally {
    await close();
  }
});

describe('the reading of a picture fails as an outage', () => {
  const outage = (call: Promise<unknown>) => call.then(() => 'answered', isOutage);
  const look = async (reader: MediaReader) => reader.inspect(bytesOf((await plain('a.png')).bytes), plenty);

  test('if there is no place for its bytes, and the picture is read once there is', async () => {
    const scratchDir = join(folder, 'taken');
    await writeFile(scratchDir, 'a file where a folder should be');
    const { reader, close } = await openMedia({ scratchDir: join(scratchDir, 'scratch') });
    expect(await outage(look(reader))).toBe(true);
    await rm(scratchDir);
    expect(await look(reader)).toMatchObject({ outcome: 'picture' });
    await close();
  });

  test('if the disk is full where the decoder unpacks', async () => {
    const script = join(folder, 'full.mjs');
    await writeFile(script, `${childChannel} onJob(() => answer({ kind: 'unavailable', code: 'ENOSPC' }));`);
    const { reader, close } = await openMedia({ childScript: script });
    expect(await outage(look(reader))).toBe(true);
    await close();
  });

  test('if a process cannot start', async () => {
    const { reader, close } = await openMedia({ childScript: join(folder, 'missing.mjs') });
    expect(await outage(look(reader))).toBe(true);
    await close();
  });

  test('if the service ends', async () => {
    const slow = await plain('slow.png');
    const childScript = await faultyChild(folder, { [slow.sha256]: 'hang' });
    const { reader, close } = await openMedia({ childScript });
    const call = outage(reader.inspect(bytesOf(slow.bytes), plenty));
    await until(async () => (await logged()).length > 0);
    await close();
    expect(await call).toBe(true);
    expect(await outage(look(reader))).toBe(true);
  });

  test('if its bytes cannot be read, with the unchanged error of their source', async () => {
    const { reader, close } = await openMedia();
    const trouble = new Error('the store broke off');
    const broken = async function* () {
      yield new Uint8Array(10);
      throw trouble;
    };
    await expect(reader.inspect(broken(), plenty)).rejects.toBe(trouble);
    await close();
  });
});

test('a rendition that crashes its decoder is tried once more, alone, and is then refused', async () => {
  const photo = await plain('a.png');
  const { reader, close } = await openMedia();
  const doomed = new ChildProcessMediaReader({
    scratchDir: join(folder, 'scratch'),
    childScript: await faultyChild(folder, { [photo.sha256]: 'abort' }),
  });
  try {
    const ports = world({ media: reader });
    const acme = await Account.open(ports);
    const { id } = await acme.addPhoto(photo);
    const order = { name: 'small', format: 'webp' } as const;
    const download = (reads: typeof ports) => downloadRendition(reads, acme.caller, id, order);
    await expect((await download(withInProcess({ ...ports, media: doomed }))).info()).rejects.toMatchObject({
      code: 'not_found',
      details: { resource: 'rendition' },
    });
    expect(await logged()).toHaveLength(2);
    expect(await (await download(ports)).info()).toMatchObject({ sizeBytes: expect.any(Number) });
    expect(Buffer.from(await acme.original(id))).toEqual(Buffer.from(photo.bytes));
  } finally {
    await doomed.close();
    await close();
  }
});
