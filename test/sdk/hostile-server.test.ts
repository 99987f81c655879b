import { lstat, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChecksumError, PhotoService, PhotoServiceError } from 'photo-service-sdk';
import { downloadFile, importFiles, writeWhole } from 'photo-service-sdk/node';
import { HostileServer, page, photoCalled, sendBytes } from '../support/hostile-server.js';

let server: HostileServer;
let client: PhotoService;
let folder: string;
beforeEach(async () => {
  server = await HostileServer.open();
  client = new PhotoService({ baseUrl: server.url, token: 'phs_live_x', maxRetries: 0 });
  folder = await mkdtemp(join(tmpdir(), 'phs-hostile-'));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const photo = photoCalled('a.jpg', 'bytes');
const withPhoto = (changes: Record<string, unknown>) => page([{ ...photo, ...changes }]);

describe('A28: answers are checked', () => {
  it('responses of the API are accepted with unknown members', async () => {
    server.say = () => withPhoto({ news: { of: 'a later version' } });
    expect(await client.photos.list().toArray()).toMatchObject([{ id: 7, news: { of: 'a later version' } }]);
  });

  it.each<[string, unknown]>([
    ['an id that leads elsewhere', withPhoto({ id: 'x/../../../pwned' })],
    ['an id of digits', withPhoto({ id: '7' })],
    ['an id that is none', withPhoto({ id: -1 })],
    ['an id that is not exact', withPhoto({ id: 2 ** 60 })],
    ['an id with a part', withPhoto({ id: 1.5 })],
    ['no id', withPhoto({ id: undefined })],
    ['a name that is no text', withPhoto({ filename: { toString: 'x' } })],
    ['a hash that is none', withPhoto({ sha256: '../../pwned' })],
    ['a size that is none', withPhoto({ sizeBytes: '1' })],
    ['a time that is none', withPhoto({ updatedAt: '9999' })],
    ['no list', { data: {}, pagination: { nextCursor: null, hasMore: false } }],
    ['no pagination', { data: [] }],
    ['a cursor that is no text', page([], { a: 1 })],
    ['null', null],
    ['a number', 7],
  ])('a page of photos with %s is refused', async (_, answer) => {
    server.say = () => answer;
    await expect(client.photos.list().toArray()).rejects.toThrow(PhotoServiceError);
  });

  it.each<[string, () => Promise<unknown>, unknown]>([
    ['a photo', () => client.photos.get(7), { ...photo, id: '7' }],
    ['a photo that was edited', () => client.photos.update(7, {}), []],
    ['outcomes of edits', () => client.photos.updateMany([7], {}), { data: [{ id: '../7', outcome: 'updated' }] }],
    ['outcomes of deletions', () => client.photos.deleteMany([7]), { data: 'none' }],
    ['tags of a photo', () => client.photos.tags(7), { data: [{ id: 'x', name: 'x', photoCount: 1 }] }],
    ['tags', () => client.tags.list().toArray(), page([{ id: 1, name: 7, photoCount: 1 }])],
    ['a tag', () => client.tags.get(7), { id: 0, name: 'x', photoCount: 1 }],
    ['new tags', () => client.tags.createMany([{ name: 'x' }]), { data: [{ index: -1 }] }],
    ['an import', () => client.imports.create(), { id: '1/../2', status: 'open' }],
    ['an import’s end', () => client.imports.finalize(1), { id: 1, status: 'completed', counts: { imported: '1' } }],
    ['the account', () => client.customer(), { formats: [], limits: { importBatchSize: 0 } }],
    ['the key', () => client.me(), { customer: { id: 1, name: 'x' } }],
  ])('%s of other types is refused', async (_, call, answer) => {
    server.say = () => answer;
    await expect(call()).rejects.toThrow(PhotoServiceError);
  });

  it('an upload target that is no web address is refused', async () => {
    const upload = { method: 'PUT', url: 'file:///etc/passwd', headers: {} };
    const item = { id: 1, status: 'awaiting_upload', clientRef: null, error: null, upload };
    server.say = () => ({ data: [{ index: 0, outcome: 'created', photo: item, error: null }] });
    await expect(client.imports.register(1, [{ filename: 'a', sizeBytes: 1 }])).rejects.toThrow('http URL');
  });

  it('a list whose cursor leads back to itself ends', async () => {
    server.say = () => page([photo], 'again');
    await expect(client.photos.list().toArray()).rejects.toThrow('used before');
  });

  it('outcomes for other files than were registered are refused', async () => {
    const path = join(folder, 'a.jpg');
    await writeFile(path, 'bytes');
    const counts = { total: 1, awaitingUpload: 0, processing: 0, ready: 0, imported: 0, duplicate: 0, failed: 0 };
    server.say = (at) => {
      if (at.endsWith('/customer'))
        return { formats: ['image/jpeg'], limits: { importBatchSize: 10, importMaxPhotos: 10, maxFileBytes: 10 } };
      if (!at.endsWith('/photos')) return { id: 1, status: 'open', counts };
      return { data: [{ index: 4711, outcome: 'created', photo: null, error: null }] };
    };
    await expect(importFiles(client, [path])).rejects.toThrow('outcomes for 1 files');
  });
});

describe('A28: ids are not paths', () => {
  it.each(['../../../../admin', '..', '7/../8', '7?x', '', 0, -7, 1.5, Number.NaN, 2 ** 53])(
    '%j is refused before anything is sent',
    async (id) => {
      const given = id as number;
      const calls = [
        () => client.photos.get(given),
        () => client.photos.download(given),
        () => client.photos.deleteMany([given]),
        () => client.tags.delete(given),
        () => client.imports.updatePhoto(1, given, {}),
      ];
      for (const call of calls) await expect(call()).rejects.toThrow(TypeError);
      expect(server.paths).toEqual([]);
    },
  );
});

describe('A28: files', () => {
  const content = 'the bytes of a photo';

  it('a link that was put where a draft or the file would be is not followed', async () => {
    server.say = (_path, _request, response) => sendBytes(response, content);
    const [outside, inside] = [join(folder, 'outside'), join(folder, 'photo.jpg')];
    await writeFile(outside, 'untouched');
    for (const name of ['photo.jpg', 'photo.jpg.part', `photo.jpg.${process.pid}.tmp`])
      await symlink(outside, join(folder, name));
    await downloadFile(client, 7, inside);
    expect((await lstat(inside)).isFile()).toBe(true);
    expect(await readFile(inside, 'utf8')).toBe(content);
    await writeWhole(inside, 'a state');
    expect(await readFile(outside, 'utf8')).toBe('untouched');
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('an invalid digest, and more bytes than announced, are refused', async () => {
    const path = join(folder, 'photo.jpg');
    server.say = (_path, _request, response) =>
      response.writeHead(200, { 'content-length': '3', 'repr-digest': 'sha-256=:%%%:' }).end('abc');
    await expect(downloadFile(client, 7, path)).rejects.toThrow(ChecksumError);
    server.say = (_path, _request, response) => {
      // The end of it never comes.
      response.writeHead(206, { 'content-range': 'bytes 0-2/3' });
      response.write('abcdef');
    };
    await expect(downloadFile(client, 7, path)).rejects.toThrow('More than the declared 3 bytes');
    expect(await readdir(folder)).toEqual([]);
  });

  it('a name that cannot be decoded is ignored', async () => {
    server.say = (_path, _request, response) =>
      response.writeHead(200, { 'content-disposition': "attachment; filename*=UTF-8''%E0%A4%A" }).end();
    expect((await client.photos.download(7)).filename).toBeNull();
  });
});
