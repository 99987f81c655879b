import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportProgress } from 'photo-service-sdk';
import { type FileImportOptions, importFiles, importFolder } from 'photo-service-sdk/node';
import { brokenPictureBytes } from '../../testing/memory/memory-media-reader.js';
import { picture, sha256 } from '../api/support/photos.js';
import type { Disturbance, Seen } from './support/front.js';
import { SdkWorld } from './support/service.js';

let world: SdkWorld;
beforeAll(async () => {
  world = await SdkWorld.start();
});
afterAll(() => world.close());
beforeEach(() => world.front.reset());

/** Pictures of this test alone, in a folder of their own. */
async function pictures(...names: readonly string[]): Promise<string> {
  const folder = join(world.folder, randomUUID());
  await mkdir(folder);
  for (const name of names) await writeFile(join(folder, `${name}.jpg`), picture(name));
  return folder;
}

const isUpload = ({ method, path }: Seen) => method === 'PUT' && path.startsWith('/uploads/');
const isPatch = ({ method, path }: Seen) => method === 'PATCH' && path.startsWith('/uploads/');
const isTo = (end: string) => (seen: Seen) => seen.method === 'POST' && seen.path.endsWith(end);

/** Disturbs the first requests of a kind, in this order. */
function disturb(kind: (seen: Seen) => boolean, ...disturbances: readonly Disturbance[]): void {
  const left = [...disturbances];
  world.front.disturbing((seen) => (kind(seen) ? left.shift() : undefined));
}

/** The bytes of a picture that is sent by tus. */
const large = 9_000_000;

async function largePicture(): Promise<string> {
  const folder = await pictures();
  // Readers of this format do not look at spaces.
  const padded = Buffer.alloc(large, ' ');
  padded.set(picture(randomUUID()));
  await writeFile(join(folder, 'large.jpg'), padded);
  return folder;
}

const answers = (status: number, code: string): Disturbance => ({ status, body: { error: { code, message: 'No.' } } });

describe('importFiles()', () => {
  it('imports photos with three writes, and sends nothing that the library already has', async () => {
    const { client } = await world.client();
    const folder = await pictures('one', 'two', 'three');
    const paths = (await readdir(folder)).map((name) => join(folder, name));
    const progress: ImportProgress[] = [];
    const result = await importFiles(client, paths, {
      tagNames: ['Paris'],
      onProgress: (event) => progress.push(event),
    });
    expect(result).toMatchObject({ dryRun: false, total: 3, imported: 3, duplicates: 0, failed: [], skipped: 0 });
    expect(result.imports).toMatchObject([{ status: 'completed' }]);
    expect(world.front.writes()).toHaveLength(3);
    expect(
      world.front
        .uploads()
        .map((upload) => upload.sha256)
        .sort(),
    ).toEqual(['one', 'two', 'three'].map((name) => sha256(picture(name))).sort());
    const photos = await client.photos.list().toArray();
    expect(photos.map(({ filename }) => filename).sort()).toEqual(['one.jpg', 'three.jpg', 'two.jpg']);
    expect(photos[0]?.tags).toMatchObject([{ name: 'Paris' }]);
    expect(progress.at(-1)).toMatchObject({ phase: 'done', files: { total: 3, uploaded: 3, processed: 3 } });
    expect(progress.at(-1)?.bytes.uploaded).toBe(result.bytesUploaded);

    const again = await importFiles(client, paths);
    expect(again).toMatchObject({ imported: 0, duplicates: 3, bytesUploaded: 0 });
  });

  it('counts photos as processed before the import as a whole is published', async () => {
    const { client } = await world.client();
    const folder = await pictures('early', 'later');
    const shape = await client.imports.create({ name: 'of this shape' });
    let looks = 0;
    world.front.disturbing(({ method, path }) => {
      if (method !== 'GET' || !/\/imports\/\d+$/.test(path)) return undefined;
      looks += 1;
      const counts = { total: 2, awaitingUpload: 0, processing: 2 - looks, ready: looks, imported: 0, duplicate: 0 };
      return looks > 2
        ? undefined
        : { status: 200, body: { ...shape, status: 'processing', counts: { ...counts, failed: 0, cancelled: 0 } } };
    });
    const processed: number[] = [];
    await importFiles(
      client,
      ['early.jpg', 'later.jpg'].map((name) => join(folder, name)),
      { onProgress: ({ phase, files }) => phase === 'processing' && processed.push(files.processed) },
    );
    expect(processed.slice(0, 3)).toEqual([0, 1, 2]);
  });

  it('needs the scope photos:write only', async () => {
    const { client } = await world.client({ scopes: ['photos:write'] });
    const folder = await pictures('alone');
    expect(await importFolder(client, folder)).toMatchObject({ imported: 1, failed: [] });
    expect(await importFolder(client, folder, { dryRun: true })).toMatchObject({ imported: null, bytesUploaded: null });
  });

  it('reports in a dry run what would happen, and writes nothing', async () => {
    const { client } = await world.client();
    const folder = await pictures('known');
    await importFolder(client, folder);
    world.front.reset();
    await writeFile(join(folder, 'new.jpg'), picture('new'));
    await writeFile(join(folder, 'copy.jpg'), picture('new'));
    const result = await importFolder(client, folder, { dryRun: true });
    expect(result).toMatchObject({ dryRun: true, total: 3, imported: 1, duplicates: 2, imports: [] });
    expect(result.bytesUploaded).toBe(picture('new').length);
    expect(world.front.writes()).toEqual([]);
  });

  it('names each file that failed with the reason, and imports the others', async () => {
    const { client } = await world.client();
    const folder = await pictures('good');
    const broken = await world.file('broken.jpg', brokenPictureBytes());
    const text = await world.file('text.jpg', 'no picture');
    const empty = await world.file('empty.jpg', '');
    const missing = join(world.folder, 'missing.jpg');
    const result = await importFiles(client, [folder, broken, missing, text, empty]);
    const failed = Object.fromEntries(result.failed.map(({ path, code }) => [path, code]));
    expect(failed).toEqual({
      [broken]: 'decode_failed',
      [missing]: 'unreadable',
      [text]: 'not_an_image',
      [empty]: 'file_empty',
    });
    expect(result.failed.every(({ message }) => message.length > 5)).toBe(true);
    expect(result).toMatchObject({ total: 5, imported: 1, imports: [{ status: 'completed_with_errors' }] });
  });

  it('continues after a batch of which no file is accepted', async () => {
    const { client } = await world.client();
    const empty = await world.file('nothing.jpg', '');
    expect(await importFiles(client, [empty])).toMatchObject({
      imported: 0,
      failed: [{ path: empty, code: 'file_empty' }],
    });
    expect(await importFiles(client, [])).toMatchObject({ total: 0, imported: 0, imports: [] });
  });

  it('fails pictures of formats that no service takes by name, and sends none of them', async () => {
    const { client } = await world.client();
    const folder = await pictures('one');
    await writeFile(join(folder, 'two.psd'), '8BPS');
    await writeFile(join(folder, 'recovered-f1'), Buffer.from('ffd8ffe0', 'hex'));
    const result = await importFolder(client, folder, { dryRun: true });
    expect(result).toMatchObject({ total: 3, imported: 2, skipped: 0 });
    expect(result.failed).toEqual([
      { path: join(folder, 'two.psd'), code: 'unsupported_format', message: 'PSD files are not supported.' },
    ]);
  });

  it('uploads a file whose name is not UTF-8, with its bytes escaped', async () => {
    const { client } = await world.client();
    const folder = await pictures();
    const content = picture(randomUUID());
    writeFileSync(Buffer.from(`${folder}/caf\xe9.jpg`, 'latin1'), content);
    expect(await importFolder(client, folder)).toMatchObject({ total: 1, imported: 1, failed: [] });
    const [photo] = await client.photos.list().toArray();
    expect([photo?.filename, photo?.sha256]).toEqual(['caf%E9.jpg', sha256(content)]);
  });

  it('looks for photos under folders: in order, not into hidden ones, not behind links to folders', async () => {
    const { client } = await world.client();
    const folder = await pictures('b', 'a');
    await mkdir(join(folder, 'deep/er'), { recursive: true });
    await writeFile(join(folder, 'deep/er/c.PNG'), picture('c'));
    await writeFile(join(folder, 'deep/notes.txt'), 'notes');
    await writeFile(join(folder, '.hidden.jpg'), picture('hidden'));
    await symlink(folder, join(folder, 'deep/loop'));
    const result = await importFolder(client, folder);
    expect(result).toMatchObject({ total: 3, imported: 3, skipped: 2, failed: [] });
    const [subject] = result.imports;
    const items = await client.imports.photos(subject?.id as number).toArray();
    const name = folder.split('/').at(-1);
    expect(items.map(({ clientRef }) => clientRef)).toEqual(
      ['a.jpg', 'b.jpg', 'deep/er/c.PNG'].map((each) => `${name}/${each}`),
    );
  });
});

test('a file of a format that the service does not read is not hashed', async () => {
  const { client } = await world.client();
  const path = await world.file('phone.heic', picture('phone'));
  const hashed: number[] = [];
  const onProgress = ({ files }: ImportProgress) => hashed.push(files.hashed);
  const result = await importFiles(client, [path], { onProgress });
  expect(result.failed).toMatchObject([{ path, code: 'unsupported_format' }]);
  expect(Math.max(...hashed)).toBe(0);
  expect(world.front.writes()).toEqual([]);
});

describe('uploads', () => {
  it.each<[string, Disturbance]>([
    ['the connection breaks', 'refuse'],
    ['the answer is lost', 'forget'],
    ['the store is away', { status: 503 }],
    ['the bytes are said to be others, and are not', answers(400, 'checksum_mismatch')],
  ])('are tried again when %s', async (_, disturbance) => {
    const { client } = await world.client();
    disturb(isUpload, disturbance);
    const result = await importFolder(client, await pictures(randomUUID()));
    expect(result).toMatchObject({ imported: 1, failed: [] });
    expect(world.front.writes()).toHaveLength(3);
  });

  it('of large files continue where they were cut off', async () => {
    const { client } = await world.client();
    const folder = await largePicture();
    disturb(isPatch, 'refuse', 'forget');
    const progress: ImportProgress[] = [];
    const result = await importFolder(client, folder, { onProgress: (event) => progress.push(event) });
    expect(result).toMatchObject({ imported: 1, failed: [] });
    const sent = world.front.seen.filter(({ path }) => path.startsWith('/uploads/'));
    // The second request was taken and its response lost: all bytes are there.
    expect(sent.map(({ method }) => method)).toEqual(['HEAD', 'PATCH', 'HEAD', 'PATCH', 'HEAD']);
    expect(sent[3]).toMatchObject({ bytes: large, headers: { 'upload-offset': '0', 'content-length': String(large) } });
    expect(progress.at(-1)?.bytes.uploaded).toBe(large);
  });

  it('of large files are sent at once where something on the way knows no other method than PUT', async () => {
    const { client } = await world.client();
    const folder = await largePicture();
    disturb(
      ({ method, path }) => method === 'HEAD' && path.startsWith('/uploads/'),
      answers(405, 'method_not_allowed'),
    );
    expect(await importFolder(client, folder)).toMatchObject({ imported: 1, failed: [] });
    expect(world.front.uploads()).toMatchObject([{ bytes: large }]);
    expect(world.front.seen.filter(isPatch)).toEqual([]);
  });

  it.each([
    ['another request is not over yet', 409, 'upload_in_progress'],
    ['another request has brought more', 409, 'upload_offset_mismatch'],
  ])('of large files ask again when %s', async (_, status, code) => {
    const { client } = await world.client();
    const folder = await largePicture();
    disturb(isPatch, answers(status, code));
    expect(await importFolder(client, folder)).toMatchObject({ imported: 1, failed: [] });
    expect(world.front.seen.filter(isPatch)).toHaveLength(2);
    expect(world.front.writes()).toHaveLength(3);
  });

  it('get fresh targets, all at once, when theirs have expired', async () => {
    const { client } = await world.client();
    disturb(isUpload, answers(403, 'upload_forbidden'));
    const result = await importFolder(client, await pictures('x1', 'x2', 'x3', 'x4'), { uploads: 1 });
    expect(result).toMatchObject({ imported: 4, failed: [] });
    // One that was refused, and none of the other old ones after it.
    expect(world.front.seen.filter(isUpload)).toHaveLength(5);
    expect(world.front.writes()).toHaveLength(4);
  });

  it('of a file that changed meanwhile fail alone', async () => {
    const { client } = await world.client();
    const folder = await pictures('steady', 'moving');
    const moving = join(folder, 'moving.jpg');
    world.front.disturbing((seen) => {
      if (isTo('/photos')(seen)) writeFileSync(moving, picture('MOVING'));
      return undefined;
    });
    const result = await importFolder(client, folder);
    expect(result).toMatchObject({ imported: 1, failed: [{ path: moving, code: 'file_changed' }] });
    world.front.calm();
    expect(await importFolder(client, folder)).toMatchObject({ imported: 1, duplicates: 1, failed: [] });
  });

  it('end the run, which can be resumed, when no server accepts them', async () => {
    const { client } = await world.client();
    const folder = await pictures('nobody');
    const stop = new AbortController();
    let tries = 0;
    world.front.disturbing((seen) => {
      if (!isUpload(seen)) return undefined;
      tries += 1;
      if (tries === 2) stop.abort(new Error('long enough'));
      return 'refuse';
    });
    await expect(importFolder(client, folder, { signal: stop.signal })).rejects.toThrow('long enough');
  });
});

describe('a state file', () => {
  const stateFile = () => join(world.folder, 'state', `${randomUUID()}.json`);

  it('is its owner’s alone, holds no key, and is refused when it is something else', async () => {
    const { client, actor } = await world.client();
    const path = stateFile();
    await importFolder(client, await pictures('stated'), { stateFile: path });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).not.toContain(actor.token);
    await writeFile(path, 'shopping list');
    await expect(importFolder(client, await pictures('other'), { stateFile: path })).rejects.toThrow(path);
    expect(await readFile(path, 'utf8')).toBe('shopping list');
  });

  it('avoids hashing unchanged files, and detects changed ones', async () => {
    const { client } = await world.client();
    const [folder, path] = [await pictures('same', 'other'), stateFile()];
    await importFolder(client, folder, { stateFile: path });
    const before = JSON.parse(await readFile(path, 'utf8'));
    const tampered = JSON.parse(JSON.stringify(before));
    // Whoever hashed again would find the right value.
    for (const file of Object.values<{ sha256: string }>(tampered.files)) file.sha256 = '0'.repeat(64);
    await writeFile(path, JSON.stringify(tampered));
    await writeFile(join(folder, 'other.jpg'), picture('another'));
    await importFolder(client, folder, { stateFile: path, dryRun: true });
    const hashes = Object.values<{ sha256: string }>(JSON.parse(await readFile(path, 'utf8')).files).map(
      (file) => file.sha256,
    );
    expect(hashes.sort()).toEqual(['0'.repeat(64), sha256(picture('another'))].sort());
  });

  /** Runs once into a fault, then again without. */
  async function resumed(folder: string, fault: () => void, options: FileImportOptions = {}) {
    const path = stateFile();
    const { client, actor } = await world.client();
    const impatient = world.clientOf(actor, { maxRetries: 0 });
    fault();
    await expect(importFolder(impatient, folder, { stateFile: path, ...options })).rejects.toThrow();
    world.front.calm();
    const result = await importFolder(client, folder, { stateFile: path });
    return { client, result, path };
  }

  it.each<[string, string, Disturbance, number]>([
    ['opening the import', '/imports', 'forget', 2],
    ['registering', '/photos', 'forget', 1],
    ['registering, before it was heard', '/photos', 'refuse', 1],
    ['finalizing', '/finalize', 'forget', 1],
    ['finalizing, before it was heard', '/finalize', 'refuse', 1],
  ])('continues a run that was cut off %s in one import, and sends each file once', async (_, end, fault, asked) => {
    const folder = await pictures('r1', 'r2', 'r3');
    const { result, path, client } = await resumed(folder, () => disturb(isTo(end), fault));
    expect(result).toMatchObject({
      total: 3,
      imported: 3,
      duplicates: 0,
      failed: [],
      imports: [{ status: 'completed' }],
    });
    expect(world.front.uploads()).toHaveLength(3);
    expect(world.front.seen.filter(isTo('/imports'))).toHaveLength(asked);
    expect((await client.customer()).usage).toMatchObject({ photos: 3, openImports: 0 });
    expect(JSON.parse(await readFile(path, 'utf8')).imports).toEqual([]);
  });

  it('makes a run that was stopped half way send only the rest', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `half ${at}`);
    const folder = await pictures(...names);
    const stop = new AbortController();
    const onProgress = ({ files }: ImportProgress) => {
      if (files.uploaded >= 5) stop.abort(new Error('half way'));
    };
    const { result } = await resumed(folder, () => undefined, { signal: stop.signal, onProgress, uploads: 1 });
    expect(result).toMatchObject({ total: 12, imported: 12, failed: [] });
    const sent = world.front.uploads().map((upload) => upload.sha256);
    expect(sent.sort()).toEqual(names.map((name) => sha256(picture(name))).sort());
  });

  it('reflects files that were changed, added or removed between two runs', async () => {
    const folder = await pictures('stays', 'changes');
    const stop = new AbortController();
    const fault = () => {
      world.front.disturbing((seen) => {
        if (isUpload(seen)) {
          writeFileSync(join(folder, 'changes.jpg'), picture('changed'));
          writeFileSync(join(folder, 'comes.jpg'), picture('comes'));
          stop.abort(new Error('stop'));
          return 'refuse';
        }
        return undefined;
      });
    };
    const { result, client } = await resumed(folder, fault, { signal: stop.signal });
    expect(result).toMatchObject({ total: 3, imported: 3, failed: [] });
    const hashes = (await client.photos.list().toArray()).map((photo) => photo.sha256);
    expect(hashes.sort()).toEqual(['stays', 'changed', 'comes'].map((name) => sha256(picture(name))).sort());
  });

  it('starts a new import when the former one was discarded meanwhile', async () => {
    const folder = await pictures('again');
    const path = stateFile();
    const { client, actor } = await world.client();
    disturb(isTo('/finalize'), 'refuse');
    const impatient = world.clientOf(actor, { maxRetries: 0 });
    await expect(importFolder(impatient, folder, { stateFile: path })).rejects.toThrow();
    const [{ id }] = JSON.parse(await readFile(path, 'utf8')).imports;
    await client.imports.finalize(id, { action: 'discard' });
    const result = await importFolder(client, folder, { stateFile: path });
    expect(result).toMatchObject({ imported: 1, failed: [] });
    expect(result.imports).not.toMatchObject([{ id }]);
  });

  it('divides more files than one import allows into several', async () => {
    const { client } = await world.client();
    const limits = { importBatchSize: 2, importMaxPhotos: 3, maxFileBytes: 10_000_000 };
    world.front.disturbing(({ path }) =>
      path === '/api/v1/customer' ? { status: 200, body: { limits, formats: ['image/jpeg'] } } : undefined,
    );
    const result = await importFolder(client, await pictures('m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7'));
    expect(result).toMatchObject({ total: 7, imported: 7, failed: [] });
    expect(result.imports).toHaveLength(3);
  });
});
