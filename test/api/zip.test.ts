import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openZip, wholeOf } from '../../cli/src/sources/archive.js';
import { type ZipEntry, zipOf, zipSize } from '../../src/http/responses/zip.js';
import { Gate } from '../support/tenant.js';

const at = new Date('2026-11-21T12:00:00Z');

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
const entry = (path: string, bytes: AsyncIterable<Uint8Array>, sizeBytes: number | null = null): ZipEntry => {
  return { path, modifiedAt: at, sizeBytes, bytes };
};
async function* all(...entries: readonly ZipEntry[]): AsyncGenerator<ZipEntry> {
  yield* entries;
}
async function whole(entries: AsyncIterable<ZipEntry>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of zipOf(entries)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('an archive has its entries as they are, whatever their names and sizes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'phs-zip-'));
  const path = join(folder, 'a.zip');
  const large = 'x'.repeat(300_000);
  const entries = all(
    entry('photos/Ünter 📷.jpg', chunksOf('one', 'two'), 6),
    entry('empty', chunksOf()),
    entry('large', chunksOf(large, large)),
  );
  writeFileSync(path, await whole(entries));
  const archive = await openZip(path);
  const read = await Promise.all(
    archive.files.map(async (file) => [file.path, (await wholeOf(file, 1_000_000)).toString()]),
  );
  expect(read).toEqual([
    ['photos/Ünter 📷.jpg'.normalize('NFC'), 'onetwo'],
    ['empty', ''],
    ['large', large + large],
  ]);
  await archive.close();
  rmSync(folder, { recursive: true });
});

test('an archive takes times that it cannot have', async () => {
  const times = ['-000100-01-01T00:00:00Z', '1965-01-01T00:00:00Z', '2200-01-01T00:00:00Z'];
  const entries = times.map((time) => ({ ...entry(time, chunksOf('a')), modifiedAt: new Date(time) }));
  expect((await whole(all(...entries))).length).toBeGreaterThan(0);
});

test.each([0, 1, 800, 2000])('the size of an archive of %d files is known in advance', async (count) => {
  const entries = Array.from({ length: count }, (_, at) => ({ path: `é ${at}.jpg`, sizeBytes: at % 3 }));
  async function* each(): AsyncGenerator<ZipEntry> {
    for (const { path, sizeBytes } of entries) yield entry(path, chunksOf('x'.repeat(sizeBytes)), sizeBytes);
  }
  expect((await whole(each())).length).toBe(zipSize(entries));
});

test('an archive fails when an entry does, has another size than declared, or is unavailable', async () => {
  const boom = new Error('on purpose');
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('x');
    throw boom;
  }
  async function* refusing(): AsyncGenerator<ZipEntry> {
    yield entry('a', chunksOf('a'));
    throw boom;
  }
  await expect(whole(all(entry('a', chunksOf('a')), entry('b', failing())))).rejects.toBe(boom);
  await expect(whole(refusing())).rejects.toBe(boom);
  await expect(whole(all(entry('a', chunksOf('abc'), 2)))).rejects.toThrow();
  await expect(whole(all(entry('a', chunksOf('a'), 2)))).rejects.toThrow();
});

test('an archive reads nothing ahead, and releases everything when its reader stops', async () => {
  const seen = { asked: 0, read: 0, released: 0, ended: false };
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        seen.read += 1;
        yield Buffer.alloc(65_536);
      }
    } finally {
      seen.released += 1;
    }
  }
  async function* entries(): AsyncGenerator<ZipEntry> {
    try {
      for (;;) {
        seen.asked += 1;
        yield entry(`${seen.asked}`, seen.asked === 1 ? chunksOf('first') : endless());
      }
    } finally {
      seen.ended = true;
    }
  }
  let bytes = 0;
  for await (const chunk of zipOf(entries())) {
    bytes += chunk.length;
    if (bytes > 1_000_000) break;
  }
  expect(seen).toMatchObject({ asked: 2, released: 1, ended: true });
  // What was read and not sent is what streams hold, however much there is.
  expect(seen.read * 65_536).toBeLessThan(bytes + 1_000_000);
});

test('an archive releases an entry that is only being opened when its reader stops', async () => {
  const seen = { released: 0, ended: false };
  async function* many(): AsyncGenerator<Uint8Array> {
    try {
      for (let left = 100; left > 0; left -= 1) yield Buffer.alloc(65_536);
    } finally {
      seen.released += 1;
    }
  }
  // As a store gives it: open, and to be closed, before anybody has read from it.
  const opened = many();
  await opened.next();
  const [asked, open] = [new Gate(), new Gate()];
  async function* entries(): AsyncGenerator<ZipEntry> {
    try {
      yield entry('first', chunksOf('a'));
      asked.open();
      await open.opened;
      yield entry('second', opened);
    } finally {
      seen.ended = true;
    }
  }
  const archive = zipOf(entries());
  await archive.next();
  await asked.opened;
  const left = archive.return(undefined);
  open.open();
  await left;
  expect(seen).toEqual({ released: 1, ended: true });
});
