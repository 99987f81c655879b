/* @slow */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Client, sha256 } from '../e2e/support/client.js';
import { until } from '../e2e/support/processes.js';
import { Installation } from '../e2e/support/service.js';
import { expectSound } from '../e2e/support/sound.js';

const MIB = 1024 ** 2;
const RESUMABLE = ['Tus-Resumable: 1.0.0', 'Upload-Offset: 0', 'Content-Type: application/offset+octet-stream'];
const photo = new Uint8Array(readFileSync(join(__dirname, '../fixtures/photos/notocactus.jpg')));

/** Blobs on a disk of 64 MiB of their own. Mounting one takes root. */
describe('RELIABILITY A27: uploads that want to fill the disk or hold all sockets', () => {
  let installation: Installation;
  let client: Client;
  let disk: string;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    installation = await Installation.make();
    disk = join(installation.dataDir, 'blobs');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m,mode=0700', 'phs-small-disk', disk]);
    await installation.start();
    client = await installation.client();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    rmSync(join(disk, 'filler'), { force: true });
    await until('the bytes of broken uploads to be gone', () => drafts().length === 0);
  });
  afterAll(async () => {
    expect(await installation.stop()).toBe(0);
    execFileSync('umount', [disk]);
    await installation.remove();
  });

  it('below the floor uploads are answered 507; reading, deleting and everything else goes on', async () => {
    const { importId, url } = await registered(photo.length, sha256(photo));
    expect((await client.upload({ url, headers: {} }, photo)).status).toBe(204);
    await client.post(`/imports/${importId}/finalize`, {}, { Prefer: 'wait=15' });
    const [{ photoId }] = (await client.get(`/imports/${importId}?include=photos`)).body.photos.data;
    // 5 % of 64 MiB stay free. Before the other tests: what they discard is removed within a minute, and would make room again.
    fillBut(3 * MIB);
    const next = await registered(photo.length + 1);
    const refused = await client.upload({ url: next.url, headers: {} }, Buffer.concat([photo, Buffer.alloc(1)]));
    expect([refused.status, refused.body.error.code]).toEqual([507, 'storage_full']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const inline = await client.inline(next.importId, [{ name: 'a.jpg', bytes: photo }]);
    expect([inline.status, inline.body.error.code]).toEqual([507, 'storage_full']);
    const ready = await (await fetch(`${installation.url}/readyz`)).json();
    expect(ready).toMatchObject({ status: 'degraded', checks: { diskSpace: 'degraded', database: 'ok' } });
    expect(sha256(await client.bytes(`/photos/${photoId}/download`))).toBe(sha256(photo));
    expect((await client.delete(`/photos/${photoId}?permanent=true`)).status).toBe(204);
    rmSync(join(disk, 'filler'));
    expect((await client.inline(next.importId, [{ name: 'a.jpg', bytes: photo }])).status).toBe(201);
    await client.post(`/imports/${next.importId}/finalize`, { action: 'discard' });
  });

  it('40 to one address, each one byte short of the whole: one is received at a time', async () => {
    const size = 8 * MIB;
    const { importId, url } = await registered(size);
    const almost = Buffer.alloc(size - 1);
    const uploads: { socket: Socket; answer: Promise<string> }[] = [];
    const answered = new Set<Socket>();
    for (let at = 0; at < 40; at += 1) {
      const socket = await begin(url, size);
      const answer = firstLine(socket).finally(() => answered.add(socket));
      uploads.push({ socket, answer });
      socket.write(almost);
    }
    // The service may begin with them in another order than that in which they connected.
    const refused = await answeredBut(
      1,
      uploads.map(({ answer }) => answer),
    );
    expect(new Set(refused)).toEqual(new Set(['HTTP/1.1 409 Conflict']));
    await until('one file to be left', () => drafts().length === 1);
    expect(used()).toBeLessThan(2 * size);
    // A newer one ends the one that was left. What it brings is its own affair: the bytes are no picture.
    const newest = await begin(url, size);
    expect(await uploads.find(({ socket }) => !answered.has(socket))?.answer).toBe('HTTP/1.1 409 Conflict');
    const answer = firstLine(newest);
    newest.write(Buffer.alloc(size));
    expect(await answer).toBe('HTTP/1.1 204 No Content');
    await client.post(`/imports/${importId}/finalize`, { action: 'discard' });
  });

  it('40 requests to continue one upload: one is received, and a HEAD ends it, so that its sender can go on', async () => {
    const size = 8 * MIB;
    const { importId, url } = await registered(size);
    const answers: Promise<string>[] = [];
    for (let at = 0; at < 40; at += 1) {
      const socket = await begin(url, size, RESUMABLE);
      answers.push(firstLine(socket));
      socket.write(Buffer.alloc(size - 1));
    }
    const refused = await answeredBut(1, answers);
    expect(new Set(refused)).toEqual(new Set(['HTTP/1.1 409 Conflict']));
    expect(used()).toBeLessThan(2 * size);
    const { headers } = await fetch(url, { method: 'HEAD', headers: { 'Tus-Resumable': '1.0.0' } });
    expect(Number(headers.get('upload-offset'))).toBe(size - 1);
    expect(await answeredBut(0, answers)).toHaveLength(40);
    await client.post(`/imports/${importId}/finalize`, { action: 'discard' });
  });

  it('5,000 sockets: so many uploads of a key are received, and others are served', async () => {
    const size = 1000;
    const photos = Array.from({ length: 40 }, (_, at) => ({ filename: `${at}.jpg`, sizeBytes: size }));
    const { id } = (await client.post('/imports')).body;
    const { data } = (await client.post(`/imports/${id}/photos`, { photos })).body;
    const urls: string[] = data.map(({ photo: item }: { photo: { upload: { url: string } } }) => item.upload.url);
    const answers = urls.map((url) => begin(url, size).then(firstLine));
    expect(new Set(await answeredBut(32, answers))).toEqual(new Set(['HTTP/1.1 429 Too Many Requests']));
    for (let at = 40; at < 5000; at += 1) await begin(urls[at % 40] ?? '', size);
    expect((await client.get('/me')).status).toBe(200);
    expect((await client.get('/photos')).status).toBe(200);
    // The file of an upload that a newer one ended is removed after its slot is free again.
    await until('no more files than uploads that are received', () => drafts().length <= 32);
    await client.post(`/imports/${id}/finalize`, { action: 'discard' });
  });

  it('lose nothing, and leave nothing over', () => expectSound(installation));

  const drafts = () => readdirSync(join(disk, 'tmp'));

  function used(): number {
    return drafts().reduce((sum, name) => sum + statSync(join(disk, 'tmp', name)).size, 0);
  }

  function free(): number {
    const { bavail, bsize } = statfsSync(disk);
    return bavail * bsize;
  }

  function fillBut(bytes: number): void {
    writeFileSync(join(disk, 'filler'), Buffer.alloc(Math.max(0, free() - bytes)));
  }

  async function registered(sizeBytes: number, hash?: string) {
    const importId: number = (await client.post('/imports', { duplicatePolicy: 'allow' })).body.id;
    const photos = [{ filename: 'a.jpg', sizeBytes, ...(hash && { sha256: hash }) }];
    const { body } = await client.post(`/imports/${importId}/photos`, { photos });
    return { importId, url: body.data[0].photo.upload.url as string };
  }

  /** Resolves when all but so many have an answer. */
  function answeredBut(open: number, answers: readonly Promise<string>[]): Promise<string[]> {
    const lines: string[] = [];
    return new Promise((resolve) => {
      for (const answer of answers) {
        void answer.then((line) => {
          lines.push(line);
          if (lines.length === answers.length - open) resolve([...lines]);
        });
      }
    });
  }

  /** A connection with the head of an upload: of a whole file, or of one that is continued. */
  function begin(url: string, length: number, resumable: readonly string[] = []): Promise<Socket> {
    const { pathname, host } = new URL(url);
    const socket = connect(installation.port, '127.0.0.1');
    sockets.push(socket);
    // The service may cut it at any time.
    socket.on('error', () => undefined);
    const method = resumable.length > 0 ? 'PATCH' : 'PUT';
    const head = [`${method} ${pathname} HTTP/1.1`, `Host: ${host}`, `Content-Length: ${length}`, ...resumable];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    return new Promise((resolve) => {
      socket.once('connect', () => resolve(socket));
      socket.once('close', () => resolve(socket));
    });
  }

  function firstLine(socket: Socket): Promise<string> {
    return new Promise((resolve) => {
      socket.once('data', (bytes) => resolve(bytes.toString('latin1').split('\r\n')[0] ?? ''));
      socket.once('close', () => resolve('closed'));
    });
  }
});
