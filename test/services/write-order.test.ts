import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, sha256 } from '../e2e/support/client.js';
import { until } from '../e2e/support/processes.js';
import { Installation } from '../e2e/support/service.js';
import { type SystemCall, Trace } from './support/system-calls.js';

const bytes = new Uint8Array(readFileSync(join(__dirname, '../fixtures/photos/notocactus.jpg')));

/** kill -9 shows nothing here: the page cache outlives a process. So the calls themselves are looked at. */
describe('RELIABILITY F15: the write order, as the kernel sees it', () => {
  let installation: Installation;
  let client: Client;
  beforeAll(async () => {
    installation = await Installation.make();
    await installation.start();
    client = await installation.client();
  });
  afterAll(() => installation.remove());

  it('an upload: file written and synced, renamed, its folders synced, the row committed, then 204', async () => {
    const { upload, importId, id } = await registered();
    const calls = await during(async () => {
      expect((await client.upload(upload, bytes)).status).toBe(204);
    });
    await looked(importId, id);
    const renamed = one(calls, 'rename', /"[^"]*\/blobs\/tmp\/[^"]+", "[^"]*\/blobs\/staging\/[^"]+"/);
    const [temp = '', target = ''] = [...renamed.text.matchAll(/"([^"]+)"/g)].map(([, path]) => path);
    const written = last(calls, 'write', new RegExp(`<${temp}>`));
    const synced = last(calls, 'fsync', new RegExp(`<${temp}>`));
    // In each, the name of the next must survive too: all of them are new.
    const folders = foldersOf(target).map((folder) => last(calls, 'fsync', new RegExp(`<${folder}>`)));
    expect(folders).toHaveLength(3);
    const answered = one(calls, 'write', /"HTTP\/1\.1 204/);
    const committed = lastBefore(calls, /COMMIT/, answered);
    expectOrder(written, synced, renamed);
    for (const folder of folders) expectOrder(renamed, folder, committed, answered);
  });

  it('an inspection: the original has its final name before the item is ready', async () => {
    const { upload, importId, id } = await registered();
    const calls = await during(async () => {
      expect((await client.upload(upload, bytes)).status).toBe(204);
      await looked(importId, id);
      // The last thing that a look does.
      await until('the staged bytes to be gone', () => stagedFiles() === 0);
    });
    const placed = one(calls, 'rename', /"[^"]*\/blobs\/tmp\/[^"]+", "[^"]*\/blobs\/originals\/[^"]+"/);
    const target = /, "([^"]+)"/.exec(placed.text)?.[1] ?? '';
    const thumb = one(calls, 'rename', /"[^"]*\/blobs\/tmp\/[^"]+", "[^"]*\/blobs\/renditions\/[^"]+\/thumb\.jpeg"/);
    // By its values: the statement itself may have been sent before, to be prepared.
    const settled = one(calls, 'writev', /\\"import_id\\":.*\\"status\\":\\"ready\\"/, placed);
    const committed = first(calls, /COMMIT/, settled);
    const [folder] = foldersOf(target);
    expectOrder(placed, last(calls, 'fsync', new RegExp(`<${folder}>`), settled), settled, committed);
    const staged = one(calls, 'unlink', /\/blobs\/staging\//, committed);
    // Not before: until then the item could still get other bytes, and a slower look would put the picture of earlier ones there.
    expectOrder(committed, thumb, staged);
    // Its row says which bytes it has: it is made again if it has others after a power failure.
    expect(matching(calls, 'fsync', /\/renditions/)).toEqual([]);
  });

  it('a small photo: at most ten files opened and three syncs, from its first byte to its thumb', async () => {
    const { upload } = await registered();
    const calls = await during(async () => {
      expect((await client.upload(upload, bytes)).status).toBe(204);
      await until('the staged bytes to be gone', () => stagedFiles() === 0);
    });
    // How often the use of a decoder is looked at depends on the time alone.
    const opened = matching(calls, 'openat', /^(?!.*"\/proc\/\d+\/(status|io)")/).map(({ text }) => text);
    const synced = [...matching(calls, 'fsync', /./), ...matching(calls, 'fdatasync', /./)].map(({ text }) => text);
    expect({ opened, isWithin: opened.length <= 10 }).toEqual({ opened, isWithin: true });
    expect({ synced, isWithin: synced.length <= 3 }).toEqual({ synced, isWithin: true });
  });

  async function registered() {
    const importId: number = (await client.post('/imports', { duplicatePolicy: 'allow' })).body.id;
    const photos = [{ filename: 'a.jpg', sizeBytes: bytes.length, sha256: sha256(bytes) }];
    const { body } = await client.post(`/imports/${importId}/photos`, { photos });
    const { id, upload } = body.data[0].photo;
    return { importId, id: id as number, upload };
  }

  async function looked(importId: number, id: number): Promise<void> {
    await until('the item to be ready', async () => {
      const { body } = await client.get(`/imports/${importId}?include=photos`);
      return body.photos.data.find((item: { id: number }) => item.id === id).status === 'ready';
    });
  }

  function stagedFiles(): number {
    const folder = join(installation.dataDir, 'blobs/staging');
    try {
      const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).length;
    } catch (error) {
      // Empty folders are removed, too, and may be just now.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return existsSync(folder) ? 1 : 0;
    }
  }

  async function during(work: () => Promise<void>): Promise<readonly SystemCall[]> {
    const trace = await Trace.of(installation.pid);
    try {
      await work();
      // A client may have the answer before the call that sent it has ended; not so its next one.
      await fetch(`${installation.url}/healthz`);
    } catch (error) {
      await trace.end();
      throw error;
    }
    return trace.end();
  }
});

/** From the one that holds the blob's name up to the root of all blobs. */
function foldersOf(path: string): readonly string[] {
  const folder = path.slice(0, path.lastIndexOf('/'));
  return folder.endsWith('/blobs') ? [folder] : [folder, ...foldersOf(folder)];
}

function matching(calls: readonly SystemCall[], name: string, text: RegExp): readonly SystemCall[] {
  return calls.filter((call) => call.name === name && text.test(call.text));
}

function one(calls: readonly SystemCall[], name: string, text: RegExp, after?: SystemCall): SystemCall {
  const found = matching(calls, name, text).filter(({ began }) => after === undefined || began > after.ended);
  expect(found.map((call) => call.text)).toHaveLength(1);
  return found[0] as SystemCall;
}

function last(calls: readonly SystemCall[], name: string, text: RegExp, before?: SystemCall): SystemCall {
  const found = matching(calls, name, text).filter(({ ended }) => before === undefined || ended < before.began);
  if (found.length === 0) throw new Error(`no ${name} of ${text} was seen`);
  return found[found.length - 1] as SystemCall;
}

function first(calls: readonly SystemCall[], text: RegExp, after: SystemCall): SystemCall {
  const found = calls.find((call) => text.test(call.text) && call.began > after.ended);
  if (found === undefined) throw new Error(`nothing like ${text} came after ${after.text}`);
  return found;
}

function lastBefore(calls: readonly SystemCall[], text: RegExp, before: SystemCall): SystemCall {
  const found = calls.filter((call) => text.test(call.text) && call.ended < before.began);
  if (found.length === 0) throw new Error(`nothing like ${text} came before ${before.text}`);
  return found[found.length - 1] as SystemCall;
}

/** Each has ended before the next begins. */
function expectOrder(...calls: readonly SystemCall[]): void {
  for (const [place, call] of calls.entries()) {
    const next = calls[place + 1];
    if (next) expect([call.text, call.ended < next.began]).toEqual([call.text, true]);
  }
}
