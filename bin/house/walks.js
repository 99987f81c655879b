import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { apiOf, commandsOf, freePort, until200 } from '../../bench/service.mjs';

/**
 * Each walk is repeated so often, after once for what is loaded and set up at first use, and the files that ran every time count: what happens
 * to run beside it, such as a periodic task, does not.
 */
const ROUNDS = 4;
/** What a request or a job leaves to be done when its result is seen belongs to it. */
const SETTLE_MS = 150;
/** The API looks at its processes many times a second, with or without a request. */
const IDLE_MS = 1200;
const PHOTO = fileURLToPath(new URL('../../examples/photos/cyclamen.jpg', import.meta.url));
const COVERAGE = new URL('coverage.js', import.meta.url).href;

/**
 * Returns the files of src of which code runs in one request or job, by walk: V8 counts the calls of functions in the program as it was
 * transpiled, a file for each source. The tree in `folder` is built first, and has its packages. The API and the worker are two processes, so
 * that requests run beside no job, and what runs in the API without a request is left out. What may remain of the background is in the worker: a
 * periodic task that ran beside each of the jobs. The processes in which pictures are read are not counted.
 */
export async function walks(folder) {
  const root = resolve(folder);
  execFileSync(process.execPath, [join(root, 'bin', 'build.js'), '--if-needed'], { stdio: ['ignore', 2, 2] });
  const dataDir = mkdtempSync(join(tmpdir(), 'phs-walks-'));
  const { openEmbeddedPostgres } = await import(pathToFileURL(join(root, 'dist', 'adapters', 'embedded-postgres.js')));
  const database = await openEmbeddedPostgres(join(dataDir, 'database'), 'own', () => undefined);
  const { user, password, host, port, database: name } = database.connection;
  const DATABASE_URL = `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`;
  const env = { ...process.env, DATA_DIR: join(dataDir, 'service'), DATABASE_URL, LOG_LEVEL: 'error' };
  const running = [];
  try {
    for (const ROLE of ['api', 'worker']) running.push(await start(root, { ...env, PROCESSES: '1', ROLE }));
    const phs = commandsOf(env, join(root, 'bin', 'phs.js'));
    const { token } = phs('key', 'create', '--customer', '1', '--name', 'walks', '--scopes', 'all');
    return await measured(running[0], running[1], token);
  } finally {
    for (const process of running.reverse()) await process.stop();
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measured(service, worker, token) {
  const api = apiOf({ url: service.url, token });
  const headers = { Authorization: `Bearer ${token}` };
  const get = (path) => () => send('GET', `${service.url}/api/v1${path}`, { headers });
  const idle = await walk(service, () => delay(IDLE_MS));

  let published = 0;
  const bytes = await repeated(async () => {
    published += 1;
    const body = await sharp(PHOTO)
      .withExif({ IFD0: { ImageDescription: `${published}` } })
      .toBuffer();
    const { id } = await api('POST', '/imports', {});
    const photos = [{ filename: `${published}.jpg`, sizeBytes: body.length }];
    const { data } = await api('POST', `/imports/${id}/photos`, { photos });
    const { upload } = data[0].photo;
    await worker.ran();
    const received = await ranIn(service, () => send('PUT', upload.url, { headers: upload.headers, body }));
    const until = async (reached) => {
      while (!reached(await api('GET', `/imports/${id}`))) await delay(50);
      await delay(SETTLE_MS);
    };
    // The request that finalizes the import is another one. It is sent after the first job, so that both jobs do the same each time.
    await until(({ counts }) => counts.ready === 1);
    await api('POST', `/imports/${id}/finalize`);
    await until(({ status }) => status === 'completed');
    return [...received.filter((file) => !idle.includes(file)), ...(await worker.ran())];
  });

  const page = await api('GET', '/photos?limit=1');
  let patched = 0;
  const patch = () => {
    patched += 1;
    const json = { ...headers, 'Content-Type': 'application/merge-patch+json', 'Idempotency-Key': randomUUID() };
    const body = JSON.stringify({ title: `Walk ${patched}` });
    return send('PATCH', `${service.url}/api/v1/photos/${page.data[0].id}`, { headers: json, body });
  };
  const request = (sendOne) => walk(service, sendOne, idle);
  const list = await request(get(`/photos?limit=1&cursor=${page.pagination.nextCursor}`));
  return {
    'PATCH of a photo with an Idempotency-Key': await request(patch),
    'bytes, from PUT to the published photo': bytes,
    // What every request runs that has a key.
    'a key through the guards, and any response': common([
      list,
      await request(get('/me')),
      await request(get('/tags')),
    ]),
    'GET /photos with a cursor': list,
  };
}

/** The files that one request runs every time, without those that run anyway. */
async function walk(service, sendOne, idle = []) {
  const files = await repeated(() => ranIn(service, sendOne));
  return files.filter((file) => !idle.includes(file));
}

async function ranIn(service, sendOne) {
  await service.ran();
  await sendOne();
  await delay(SETTLE_MS);
  return service.ran();
}

async function repeated(round) {
  const rounds = [];
  for (let turn = 0; turn <= ROUNDS; turn += 1) rounds.push(await round());
  return common(rounds.slice(1));
}

function common([first, ...others]) {
  return [...new Set(first)].filter((file) => others.every((files) => files.includes(file))).sort();
}

async function start(root, env) {
  const port = await freePort();
  const child = spawn(process.execPath, ['--import', COVERAGE, join(root, 'dist', 'main.js')], {
    cwd: root,
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await until200(`${url}/healthz`);
  } catch (error) {
    await stop();
    throw error;
  }
  const ran = async () => {
    child.send('take');
    const [scripts] = await Promise.race([once(child, 'message'), ended.then(() => [[]])]);
    // The files of src from which they were transpiled, but for what is of packages or of Node.
    const dist = `${pathToFileURL(join(root, 'dist'))}/`;
    const own = scripts.filter((script) => script.startsWith(dist)).map((script) => script.slice(dist.length));
    const names = own.map((script) => `src/${script.replace(/\.js$/, '')}`);
    return names.flatMap((name) => [`${name}.ts`, `${name}.tsx`]).filter((file) => existsSync(join(root, file)));
  };
  return { url, ran, stop };
}

async function send(method, url, request) {
  const response = await fetch(url, { method, ...request });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text}`);
}
