/* @rest */
import { connect, type Socket } from 'node:net';
import type { BlobStore } from '../../src/core/blobs/blob-store.js';
import { until } from '../support/until.js';
import { importPhotos, picture, sha256 } from './support/photos.js';
import { type PostgresPorts, postgresPorts } from './support/postgres-ports.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

const CONNECTIONS = 2;
const SLOW_CLIENTS = 3 * CONNECTIONS;

/** More than sockets and streams hold between them: who does not read keeps the answer from ending. */
const LARGE = 32 * 1024 * 1024;

describe('RELIABILITY: clients that are slow hold no connection to the database', () => {
  let rows: PostgresPorts;
  let app: RunningApp;
  let actor: Actor;
  let underWay = 0;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    rows = await postgresPorts(CONNECTIONS);
    app = await startApp({ ports: ({ blobs }) => ({ ...rows.ports, blobs: watched(blobs) }), leases: rows.leases });
    actor = await app.customer();
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await app.close();
    await rows.close();
  });

  test('uploads that are slow hold none in the middle', async () => {
    const files = Array.from({ length: SLOW_CLIENTS }, (_, index) => picture(`slow ${index}`));
    const { id } = (await actor.post('/imports')).body;
    const photos = files.map((bytes, index) => ({
      filename: `${index}.jpg`,
      sizeBytes: bytes.length,
      sha256: sha256(bytes),
    }));
    const registered = (await actor.post(`/imports/${id}/photos`, { photos })).body.data;
    const uploads = files.map((bytes, index) => {
      const socket = begin('PUT', registered[index].photo.upload.url, `Content-Length: ${bytes.length}`);
      socket.write(bytes.subarray(0, 10));
      return { socket, rest: bytes.subarray(10) };
    });
    await until(() => underWay === SLOW_CLIENTS);
    await expectServed('uploading');
    const answers = uploads.map(({ socket }) => statusOf(socket));
    for (const { socket, rest } of uploads) socket.write(rest);
    expect(await Promise.all(answers)).toEqual(Array(SLOW_CLIENTS).fill('HTTP/1.1 204 No Content'));
  });

  test('downloads that are slow hold none in the middle', async () => {
    const [photo] = await importPhotos(app, actor, [{ filename: 'large.jpg', content: large() }]);
    const url = `${app.url}/api/v1/photos/${photo.id}/download`;
    const downloads = Array.from({ length: SLOW_CLIENTS }, () => {
      const socket = begin('GET', url, `Authorization: Bearer ${actor.token}`);
      return { socket, status: statusOf(socket).finally(() => socket.pause()) };
    });
    const statuses = await Promise.all(downloads.map(({ status }) => status));
    expect(statuses).toEqual(Array(SLOW_CLIENTS).fill('HTTP/1.1 200 OK'));
    await expectServed('downloading');
    for (const { socket } of downloads) expect(socket.bytesRead).toBeLessThan(LARGE);
  });

  /** More at once than there are connections, reading and writing. */
  async function expectServed(meanwhile: string): Promise<void> {
    const asked = Array.from({ length: SLOW_CLIENTS }, (_, index) =>
      Promise.all([actor.get('/photos'), actor.post('/tags', { name: `${meanwhile} ${index}` })]),
    );
    for (const [read, written] of await Promise.all(asked)) expect([read.status, written.status]).toEqual([200, 201]);
  }

  /** Counts those whose bytes the service has begun to take. */
  function watched(blobs: BlobStore): BlobStore {
    const watching = Object.create(blobs) as BlobStore;
    watching.put = (key, bytes, ...rest) => blobs.put(key, counted(bytes), ...rest);
    return watching;
  }

  async function* counted(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    underWay += 1;
    yield* bytes;
  }

  function begin(method: string, url: string, header: string): Socket {
    const { pathname, search } = new URL(url);
    const { host, hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.write(`${method} ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n${header}\r\nConnection: close\r\n\r\n`);
    return socket;
  }
});

/** The first line of the answer. */
function statusOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once('data', (chunk) => resolve(String(chunk).split('\r\n', 1)[0] ?? ''));
    socket.once('close', () => reject(new Error('closed before an answer')));
  });
}

function large(): Uint8Array {
  const small = picture('large');
  const bytes = new Uint8Array(LARGE).fill(0x20);
  bytes.set(small);
  return bytes;
}
