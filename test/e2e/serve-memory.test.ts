import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from './support/client.js';
import { until } from './support/processes.js';
import { freePort } from './support/service.js';

const root = join(__dirname, '../..');
const PHS = join(root, 'bin/phs.js');
const photo = new Uint8Array(readFileSync(join(root, 'examples/photos/rocks.jpg')));

/** The working folder of the service, which is also that of its temporary files. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phs-serve-memory-'));
});
afterEach(() => rmSync(folder, { recursive: true, maxRetries: 10 }));

function environment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { NODE_ENV: _, NODE_OPTIONS: __, ...env } = process.env;
  return { ...env, TMPDIR: folder, ...settings };
}

describe('phs serve --memory', () => {
  let service: ChildProcess;
  let output: string;
  let url: string;

  beforeEach(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    output = '';
    const env = environment({ PORT: String(port) });
    service = spawn(process.execPath, [PHS, 'serve', '--memory'], { env, cwd: folder });
    for (const stream of [service.stdout, service.stderr]) {
      stream?.on('data', (text) => {
        output += String(text);
      });
    }
    await until('the service to be ready', () => {
      if (service.exitCode !== null) throw new Error(`the service ended at its start:\n${output}`);
      return output.includes('API key: ');
    });
  });
  afterEach(async () => {
    if (service.exitCode === null && service.kill('SIGKILL')) await once(service, 'exit');
  });

  const keyIn = (text: string) => /^API key: (\S+)$/m.exec(text)?.[1] ?? '';

  it('serves the API and the pages with the key and the link that it prints, and leaves nothing behind', async () => {
    expect(output).toContain(`is ready at ${url}. Nothing is stored: all of it is gone when this process ends`);
    const client = new Client(url, keyIn(output));
    const { id } = (await client.post('/imports', { tagNames: ['rocks'] })).body;
    await client.inline(id, [{ name: 'rocks.jpg', bytes: photo }]);
    await client.post(`/imports/${id}/finalize`);
    await until('the import to end', async () => (await client.get(`/imports/${id}`)).body.status === 'completed');
    const [listed, ...others] = (await client.get('/photos')).body.data;
    expect([listed, others]).toMatchObject([{ filename: 'rocks.jpg', tags: [{ name: 'rocks' }] }, []]);
    expect(Buffer.from(await client.bytes(`/photos/${listed.id}/download`)).equals(Buffer.from(photo))).toBe(true);
    const thumb = await client.download(`/photos/${listed.id}/download?rendition=thumb`);
    expect(thumb.headers.get('content-type')).toBe('image/jpeg');
    const small = await client.download(`/photos/${listed.id}/download?rendition=small`);
    expect(small.bytes.length).toBeGreaterThan(thumb.bytes.length);

    const link = /^Sign in: (\S+)$/m.exec(output)?.[1] ?? '';
    expect(await fetch(link)).toMatchObject({ status: 200 });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);

    service.kill('SIGINT');
    const [status] = await once(service, 'exit');
    expect([status, readdirSync(folder)]).toEqual([0, []]);
  });

  it('checks keys, counts requests, and runs commands of clients', async () => {
    expect(await new Client(url, 'phs_live_unknown').get('/me')).toMatchObject({ status: 401 });
    const client = new Client(url, keyIn(output));
    const remaining = async () => Number((await client.get('/me')).headers.get('x-ratelimit-remaining'));
    const before = await remaining();
    expect(await remaining()).toBe(before - 1);
    const env = environment({ PHOTO_SERVICE_URL: url, PHOTO_SERVICE_TOKEN: keyIn(output) });
    const command = spawn(process.execPath, [PHS, 'import', join(root, 'examples/photos'), '--json'], { env });
    expect(await once(command, 'exit')).toEqual([0, null]);
    expect((await client.get('/photos')).body.data).toHaveLength(3);
  });
});

test.each([
  [{ DATA_DIR: './data' }, ['DATA_DIR names a folder to store in, and --memory stores nothing: remove DATA_DIR,']],
  [{ DATABASE_URL: 'postgres://localhost/photos' }, ['DATABASE_URL names a database, and --memory stores nothing']],
  [{ NODE_ENV: 'production' }, ['NODE_ENV is production, and --memory loses everything when it ends: start without']],
  [{ BLOB_STORE: 's3', PROCESSES: '3' }, ['BLOB_STORE names a store for photos', 'PROCESSES asks for several']],
])('phs serve --memory refuses %j by a sentence for each setting', (settings, sentences) => {
  const options = { env: environment(settings), cwd: folder, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [PHS, 'serve', '--memory'], options);
  expect([status, stdout]).toEqual([4, '']);
  expect(stderr.match(/^ {2}- .*\.$/gm)).toEqual(sentences.map((sentence) => expect.stringContaining(sentence)));
  expect(readdirSync(folder)).toEqual([]);
});
