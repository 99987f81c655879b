import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { type Client, sha256 } from '../e2e/support/client.js';
import { until } from '../e2e/support/processes.js';
import { freePort, Installation } from '../e2e/support/service.js';
import { program } from './support/programs.js';

// Every command is a process of its own: on a busy machine many of them take long.
jest.setTimeout(600_000);

const root = join(__dirname, '../..');
const examples = join(root, 'examples');
const photos = join(examples, 'photos');
const sample = (name: string) => readFileSync(join(photos, name));

let installation: Installation;
let client: Client;
let place: string;

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'phs-recipes-'));
  installation = await Installation.make({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  await installation.start();
  client = await installation.client();
});
afterAll(async () => {
  await installation.remove();
  rmSync(place, { recursive: true, force: true });
});

function begun(command: string, args: readonly string[], settings: Record<string, string> = {}): ChildProcess {
  const { PATH } = process.env;
  const login = { PHOTO_SERVICE_URL: installation.url, PHOTO_SERVICE_TOKEN: installation.token() ?? '' };
  return spawn(command, args, { cwd: place, env: { PATH, HOME: place, ...login, ...settings } });
}

async function run(command: string, args: readonly string[], settings: Record<string, string> = {}): Promise<string> {
  const child = begun(command, args, settings);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
    ended,
  ]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

const names = async () => {
  const { body } = await client.get('/photos?sort=filename');
  return body.data.map(({ filename }: { filename: string }) => filename);
};

it('import.sh imports a few photos with curl', async () => {
  program('curl', 'curl');
  const files = ['cyclamen.jpg', 'rocks.jpg'].map((name) => join(photos, name));
  const shown = JSON.parse(await run('sh', [join(examples, 'import.sh'), ...files]));
  expect(shown).toMatchObject({ status: 'completed', counts: { imported: 2 }, photos: { data: [] } });
  expect(await names()).toEqual(['cyclamen.jpg', 'rocks.jpg']);
});

it('import.py imports a folder with Python’s standard library, and nothing twice', async () => {
  const python = program('python3', 'python3');
  const folder = join(place, 'folder');
  cpSync(photos, folder, { recursive: true });
  expect(await run(python, [join(examples, 'import.py'), folder])).toBe('1 imported, 2 there already, 0 failed\n');
  expect(await run(python, [join(examples, 'import.py'), folder])).toBe('0 imported, 3 there already, 0 failed\n');
  expect(await names()).toEqual(['cyclamen.jpg', 'notocactus.jpg', 'rocks.jpg']);
});

it('rated.ts tags the best photos, and verifies a download', async () => {
  const { body } = await client.get('/photos?filename=cyclamen.jpg');
  await client.patch(`/photos/${body.data[0].id}`, { rating: 5, takenAt: '2024-05-01T10:00:00Z' });
  const source = readFileSync(join(examples, 'rated.ts'), 'utf8');
  const options = { module: ModuleKind.ESNext, target: ScriptTarget.ES2023 };
  // Beside the packages that it imports.
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const compiled = join(cache, `rated-${process.pid}.mjs`);
  writeFileSync(compiled, transpileModule(source, { compilerOptions: options }).outputText);
  try {
    const said = await run(process.execPath, [compiled, '2020-01-01', place]);
    expect(said).toContain('1 photos, 1 of them new among the best');
    expect(said).toContain(sha256(sample('cyclamen.jpg')));
    expect(sha256(readFileSync(join(place, 'best.jpg')))).toBe(sha256(sample('cyclamen.jpg')));
  } finally {
    rmSync(compiled);
  }
});

it('nightly-sync.sh updates a copy', async () => {
  const folder = join(place, 'copy');
  const settings = { PHS: `${process.execPath} ${join(root, 'cli/dist/phs.js')}` };
  const night = () => run('sh', [join(examples, 'nightly-sync.sh'), folder], settings);
  const files = () =>
    readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .sort();
  expect(await night()).toContain('up to date');
  expect(files()).toEqual(['cyclamen.jpg', 'notocactus.jpg', 'rocks.jpg']);
  const { body } = await client.get('/photos?filename=rocks.jpg');
  await client.delete(`/photos/${body.data[0].id}`);
  await night();
  expect(files()).toEqual(['cyclamen.jpg', 'notocactus.jpg']);
});

it('webhook-receiver.mjs accepts genuine events only', async () => {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}/`;
  const made = await installation.operate('webhook', 'create', '--customer', '1', '--url', url, '--json');
  const { id, secret } = JSON.parse(made.stdout);
  const receiver = begun(process.execPath, [join(examples, 'webhook-receiver.mjs')], {
    PORT: port,
    WEBHOOK_SECRET: secret,
  });
  let said = '';
  receiver.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  try {
    await until('the receiver to listen', () => said.includes('listening'));
    const forged = await fetch(url, { method: 'POST', body: '{"type":"photo.deleted"}' });
    expect(forged.status).toBe(401);
    await installation.operate('webhook', 'test', String(id), '--customer', '1');
    await until('the event to come', () => said.includes('webhook.test'));
    expect(said).not.toContain('photo.deleted');
  } finally {
    receiver.kill();
  }
});

it('gallery.mjs serves a page whose images load without a key', async () => {
  const page = await run(process.execPath, [join(examples, 'gallery.mjs')]);
  expect(page).not.toContain(installation.token());
  const images = [...page.matchAll(/<img src="([^"]+)"/g)].map(([, address]) => address as string);
  expect(images).toHaveLength(2);
  for (const address of images) {
    const answer = await fetch(address);
    expect(answer.headers.get('content-type')).toMatch(/^image\//);
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1000);
  }
});
