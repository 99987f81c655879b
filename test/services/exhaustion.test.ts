import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Client, sha256 } from '../e2e/support/client.js';
import { liveThrough, photoNamed } from '../e2e/support/life.js';
import { until } from '../e2e/support/processes.js';
import { Installation } from '../e2e/support/service.js';
import { collectGarbage, expectSound } from '../e2e/support/sound.js';
import { atOnce, present } from '../support/tenant.js';
import { program } from './support/programs.js';

let installation: Installation;
let client: Client;
beforeAll(async () => {
  installation = await Installation.make();
  await installation.start();
  client = await installation.client();
  await liveThrough(client, 'warm');
});
afterAll(() => installation?.remove());

/** Of ten uploads each. */
const ROUNDS = 30;

/** As many connections as there ever are, to the database too: a pool lets go of them after half a minute. */
async function filesOfBusyProcess(): Promise<number> {
  await atOnce(40, () => client.get('/photos'));
  return openFiles();
}

const openFiles = () => readdirSync(`/proc/${installation.pid}/fd`).length;
const temporary = () => readdirSync(join(installation.dataDir, 'blobs/tmp'));

interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An import that waits for these files, and the addresses that it waits for them at. */
async function awaiting(files: readonly Uint8Array[]): Promise<{ importId: number; targets: readonly Target[] }> {
  const { id } = (await client.post('/imports')).body;
  const photos = files.map((bytes, n) => ({ filename: `${n}.jpg`, sizeBytes: bytes.length, sha256: sha256(bytes) }));
  const { data } = (await client.post(`/imports/${id}/photos`, { photos })).body;
  return { importId: id, targets: data.map(({ photo }: { photo: { upload: Target } }) => photo.upload) };
}

/** The most files that the process may have open from now on. */
function limitFiles(count: number): void {
  execFileSync(program('prlimit', 'util-linux'), ['--pid', String(installation.pid), `--nofile=${count}:`]);
}

test('docs/reliability.md F25: no further file can be opened: 503 or no connection, and then all is as before', async () => {
  const before = await filesOfBusyProcess();
  const files = [photoNamed('the last file'), photoNamed('no more files')];
  const { importId, targets } = await awaiting(files);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** Over one connection that is kept: no new one can be had. */
  const put = (n: number) =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const { url, headers } = present(targets[n]);
      const sent = request(url, { method: 'PUT', headers, agent }, async (answer) =>
        resolve({ status: answer.statusCode, body: await text(answer) }),
      );
      sent.once('error', reject).end(files[n]);
    });
  const sockets: Socket[] = [];
  try {
    expect((await put(0)).status).toBe(204);
    limitFiles(openFiles() + 8);
    for (let n = 0; n < 200; n += 1) {
      const socket = createConnection(installation.port, '127.0.0.1');
      socket.on('error', () => undefined);
      sockets.push(socket);
    }
    await until('the process to have no file left', () => openFiles() >= before + 8);
    const refused = await put(1);
    expect([refused.status, JSON.parse(refused.body).error.code]).toEqual([503, 'service_unavailable']);
  } finally {
    for (const socket of sockets) socket.destroy();
    limitFiles(1024);
    agent.destroy();
  }
  await until('the service to go on', () =>
    client.get('/me').then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  const { url, headers } = present(targets[1]);
  expect((await client.upload({ url, headers: { ...headers } }, present(files[1]))).status).toBe(204);
  await expectImported(importId, 2);
  await until('what was open to be closed', () => openFiles() <= before * 1.1);
});

test('docs/reliability.md F26: 300 uploads that their senders break off leave no file, no connection and no bytes behind', async () => {
  const before = await filesOfBusyProcess();
  const files = Array.from({ length: 10 }, (_, n) => photoNamed(`broken off ${n}`));
  const { importId, targets } = await awaiting(files);
  for (let round = 1; round <= ROUNDS; round += 1) {
    await atOnce(files.length, (n) => breakOff(present(targets[n]), present(files[n]), round));
  }
  await until('nothing to be left over', () => temporary().length === 0 && openFiles() <= before * 1.1);
  const sent = await atOnce(files.length, (n) => {
    const { url, headers } = present(targets[n]);
    return client.upload({ url, headers: { ...headers } }, present(files[n]));
  });
  expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([204]));
  await expectImported(importId, files.length);
});

async function expectImported(importId: number, count: number): Promise<void> {
  await client.post(`/imports/${importId}/finalize`);
  const ended = await until('the import to end', async () => {
    const { body } = await client.get(`/imports/${importId}`);
    return body.status === 'processing' ? false : body;
  });
  expect(ended).toMatchObject({ status: 'completed', counts: { imported: count } });
}

/** A little later in each round, and in the last one when everything is sent and no answer has come. */
function breakOff({ url, headers }: Target, bytes: Uint8Array, round: number): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(url, { method: 'PUT', headers, agent: false });
    sent.on('error', () => undefined).once('close', () => resolve());
    const part = bytes.subarray(0, Math.ceil((bytes.length * round) / ROUNDS));
    sent.write(part, () => sent.destroy());
  });
}

test('all data are sound after exhaustion, and no orphans are left', async () => {
  await collectGarbage(installation);
  await expectSound(installation, { graceSeconds: 0 });
});
