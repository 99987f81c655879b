import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImportProgress, importUrls } from 'photo-service-sdk';
import { stateFile } from 'photo-service-sdk/node';
import { importUrlList, readUrls } from '../../cli/src/import/url-list.js';
import type { MemorySourceReader } from '../../testing/memory/imports/memory-fetches.js';
import { picture } from '../api/support/photos.js';
import type { Seen } from './support/front.js';
import { SdkWorld } from './support/service.js';

let world: SdkWorld;
beforeAll(async () => {
  world = await SdkWorld.start();
});
afterAll(() => world.close());
beforeEach(() => world.front.reset());

const SECRET = 'signature=4f6e79';

/** A picture of its own on another server. */
function placed(query = SECRET, path = `/${randomUUID()}.jpg`) {
  const url = `https://media.example${path}?${query}`;
  const { sources } = world.app.ports.sourceReader as MemorySourceReader;
  sources.set(url, { bytes: picture(`${path}?${query}`), validator: '"1"' });
  return { url };
}
const missing = () => ({ url: `https://media.example/${randomUUID()}/gone.jpg?${SECRET}` });
const memory = () => join(world.folder, `${randomUUID()}.json`);
const isFinalize = ({ method, path }: Seen) => method === 'POST' && path.endsWith('/finalize');

describe('importUrls()', () => {
  it('gives each photo a name that the service takes', async () => {
    const { client } = await world.client();
    const [slash, dots] = [placed(SECRET, '/2026%2FParis%5C1.jpg'), { ...placed(), filename: '..' }];
    expect(await importUrls(client, [slash, dots])).toMatchObject({ imported: 2, failed: [] });
    const photos = await client.photos.list().toArray();
    expect(photos.map(({ filename }) => filename).sort()).toEqual(['2026_Paris_1.jpg', '_']);
  });

  it('imports files with three writes, and reports failures without the query of their URL', async () => {
    const { client } = await world.client();
    const [gone, named] = [missing(), { ...placed(), filename: 'Seine.jpg', details: { title: 'Seine' } }];
    const notSecure = { url: `http://media.example/a.jpg?${SECRET}` };
    const progress: ImportProgress[] = [];
    const result = await importUrls(client, [placed(), gone, named, notSecure], {
      tagNames: ['By URL'],
      onProgress: (event) => progress.push(event),
    });
    expect(result).toMatchObject({ total: 4, imported: 2, duplicates: 0, bytesUploaded: 0 });
    expect(result.failed.map(({ ref, code }) => [ref, code]).sort()).toEqual([
      ['http://media.example/a.jpg', 'invalid_request'],
      [gone.url.split('?')[0], 'source_not_found'],
    ]);
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(world.front.writes()).toHaveLength(3);
    const photos = await client.photos.list().toArray();
    expect(photos.map(({ tags }) => tags[0]?.name)).toEqual(['By URL', 'By URL']);
    expect(photos.find(({ filename }) => filename === 'Seine.jpg')?.title).toBe('Seine');
    expect(progress.at(-1)).toMatchObject({ phase: 'done', files: { total: 4, failed: 2, processed: 3 } });
  });

  it('distinguishes URLs that differ in their query only, and imports a repeated one once', async () => {
    const { client } = await world.client();
    const [one, two] = [placed('photo=1', '/photo'), placed('photo=2', '/photo')];
    const result = await importUrls(client, [one, two, one]);
    expect(result).toMatchObject({ total: 2, imported: 2, failed: [] });
  });

  it('waits for the same import after an interruption, although signatures have changed', async () => {
    const { client } = await world.client();
    const path = `/${randomUUID()}.jpg`;
    const file = memory();
    let finalized = false;
    world.front.disturbing((seen) => {
      if (isFinalize(seen)) finalized = true;
      return finalized ? 'forget' : undefined;
    });
    const stop = new AbortController();
    const run = importUrls(client, [placed('signature=1', path)], { memory: stateFile(file), signal: stop.signal });
    const interrupted = expect(run).rejects.toThrow();
    while (!finalized) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await interrupted;
    expect(await readFile(file, 'utf8')).not.toContain('signature');
    world.front.calm();
    const result = await importUrls(client, [placed('signature=2', path)], { memory: stateFile(file) });
    expect(result).toMatchObject({ total: 1, failed: [] });
    expect((await client.photos.list().toArray()).length).toBe(1);
  });

  it('refuses what is not a URL, without repeating it', async () => {
    const { client } = await world.client();
    const refused = expect(importUrls(client, [{ url: `media.example/a.jpg?${SECRET}` }])).rejects;
    await refused.toThrow(/^Something that is to be imported is not a URL\.$/);
  });
});

describe('phs import --from urls', () => {
  const list = (...lines: readonly string[]) => {
    const path = join(world.folder, `${randomUUID()}.txt`);
    writeFileSync(path, lines.join('\r\n'));
    return path;
  };
  const never = new AbortController().signal;

  it('imports the URLs of a list', async () => {
    const { client } = await world.client();
    const gone = missing();
    const urls = await readUrls(list('# of the agency', '', placed().url, gone.url));
    expect(await importUrlList(client, urls, { stateFile: memory(), signal: never })).toMatchObject({
      total: 2,
      imported: 1,
      failed: [{ path: gone.url.split('?')[0], code: 'source_not_found' }],
    });
  });

  it('names the line that is not a URL, and says nothing of it', async () => {
    const refused = expect(readUrls(list('https://media.example/a.jpg', SECRET))).rejects;
    await refused.toThrow(/^Line 2 of the list is not a URL\.$/);
    await expect(readUrls(join(world.folder, 'nowhere'))).rejects.toThrow('cannot be read: ENOENT');
  });

  it('says that nothing can be compared in advance', async () => {
    const { client } = await world.client();
    const settings = { stateFile: memory(), signal: never, dryRun: true };
    await expect(importUrlList(client, [placed()], settings)).rejects.toThrow('--dry-run');
  });
});
