import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

// Makes an installation with a version of this program, as that version leaves it behind: what the tests of upgrades start from.
//   DATABASE_URL=postgres://… node test/support/make-installation.mjs NAME [CHECKOUT]
// The database is empty, and pg_dump at least as new as its server. CHECKOUT is a built checkout of that version; default: this one.
const fixtures = join(dirname(fileURLToPath(import.meta.url)), '../fixtures');
const [name, checkout = join(fixtures, '../..')] = process.argv.slice(2);
const { DATABASE_URL, PATH, PORT = '3999' } = process.env;
if (name === undefined || DATABASE_URL === undefined)
  throw new Error('DATABASE_URL=… make-installation.mjs NAME [CHECKOUT]');
const program = join(resolve(checkout), 'bin', 'phs.js');
const target = join(fixtures, 'installations', name);
const dataDir = mkdtempSync(join(tmpdir(), 'phs-installation-'));
const env = { PATH, DATABASE_URL, PORT, DATA_DIR: dataDir, WEBHOOK_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'warn' };
const api = `http://127.0.0.1:${PORT}/api/v1`;

const service = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
const ended = new Promise((end) => service.once('exit', end));
try {
  await until(async () => (await fetch(`http://127.0.0.1:${PORT}/readyz`).catch(() => null))?.ok);
  const left = await use();
  service.kill();
  await ended;
  write(left);
} finally {
  service.kill();
  rmSync(dataDir, { recursive: true });
}

/** Does what people do, and says what they were answered. */
async function use() {
  const limits = ['--read-limit', '100000', '--write-limit', '100000'];
  const token = phs('key', 'create', '--customer', '1', '--name', 'all', '--scopes', 'all', ...limits).token;
  const reader = phs('key', 'create', '--customer', '1', '--name', 'reader', '--scopes', 'photos:read', '--ip', '::1');
  const { id: otherId } = phs('customer', 'create', '--name', 'Étude', '--time-zone', 'Europe/Oslo');
  const other = phs(
    'key',
    'create',
    '--customer',
    String(otherId),
    '--name',
    'all',
    '--scopes',
    'all',
    ...limits,
  ).token;
  phs('user', 'invite', '--customer', '1', '--email', 'anna@example.com');
  phs('user', 'invite', '--customer', '1', '--email', 'ben@example.com', '--role', 'editor');
  phs('webhook', 'create', '--customer', '1', '--url', 'http://127.0.0.1:9/hook', '--events', 'tag.deleted');

  const client = clientOf(token);
  await client.json('POST', '/tags', { name: 'Ferien', color: '#3366ff', description: 'sun' });
  const done = await client.bring(
    ['date-and-gps-no-offset.jpg', 'gps-datetime-only.jpg', 'date-priority.jpg', 'webp-orientation-6.webp'],
    ['made-declares-60000x60000.jpg'],
  );
  const { data: photos } = await client.json('GET', '/photos?sort=id');
  const [first, second, third] = photos.map(({ id }) => id);
  await client.json('PATCH', `/photos/${first}`, { title: 'Ærø', rating: 5, description: 'a “quoted” ﬁeld' });
  await client.json('PUT', `/photos/${second}/tags`, { tagNames: ['Ferien', '家族', 'C++'] });
  await client.json('DELETE', `/photos/${third}`);
  await clientOf(other).bring(['keywords-picasa.jpg'], []);

  const waiting = await client.json('POST', '/imports', { name: 'waiting', clientRef: 'upgrade' });
  const sizeBytes = bytesOf('png-plot.png').length;
  const registered = { filename: 'png-plot.png', sizeBytes, clientRef: 'plot', tagNames: ['later'] };
  await client.json('POST', `/imports/${waiting.id}/photos`, { photos: [registered] });
  await client.inline(waiting.id, ['hopper.gif']);
  await until(async () => (await client.json('GET', `/imports/${waiting.id}`)).counts.ready === 1);

  const idempotencyKey = '8e03978e-40d5-43e8-bc93-6894a57f9324';
  const repeatable = { path: '/tags', body: { name: 'once' }, idempotencyKey };
  const answer = await client.json('POST', repeatable.path, repeatable.body, { 'Idempotency-Key': idempotencyKey });
  const path = '/photos?sort=filename&limit=1';
  return {
    madeAt: new Date().toISOString(),
    version: JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')).version,
    tokens: { all: token, reader: reader.token, other },
    photos: (await client.json('GET', '/photos?trashed=any&sort=id')).data,
    tags: (await client.json('GET', '/tags')).data,
    done: await client.json('GET', `/imports/${done.id}?include=photos`),
    waiting: { id: waiting.id, registered },
    repeatable: { ...repeatable, answer },
    list: { path, cursor: (await client.json('GET', path)).pagination.nextCursor },
  };
}

function clientOf(token) {
  const call = async (method, path, body, headers = {}) => {
    const response = await fetch(api + path, {
      method,
      body,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? null : response.json();
  };
  const json = (method, path, body, headers) =>
    call(method, path, JSON.stringify(body), { ...headers, ...(body && { 'content-type': 'application/json' }) });
  const inline = (id, names) => {
    const form = new FormData();
    for (const each of names) form.append('file', new Blob([bytesOf(each)]), each);
    return call('POST', `/imports/${id}/photos`, form);
  };
  /** Imports sound files and failing ones, and waits for the end. */
  const bring = async (sound, failing) => {
    const { id } = await json('POST', '/imports', { name: 'first', tagNames: ['Ferien'] });
    await inline(id, [...sound, ...failing]);
    await json('POST', `/imports/${id}/finalize`);
    const done = () => json('GET', `/imports/${id}`);
    await until(async () => (await done()).completedAt !== null);
    const { counts } = await done();
    if (counts.imported !== sound.length) throw new Error(`not imported: ${JSON.stringify(counts)}`);
    return { id };
  };
  return { json, inline, bring };
}

/** The tables and rows as SQL that any client can send, the originals, and what the tests expect. Renditions are made again. */
function write(expected) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  const options = ['--no-owner', '--no-privileges', '--inserts', '--rows-per-insert=100'];
  const { status, stdout, stderr } = spawnSync('pg_dump', [...options, DATABASE_URL], {
    encoding: 'utf8',
    env: { PATH, PGTZ: 'UTC' },
  });
  if (status !== 0) throw new Error(stderr);
  // What begins with a backslash is for psql alone; comments say nothing here.
  const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('\\') && !line.startsWith('--'));
  writeFileSync(join(target, 'database.sql'), `${lines.join('\n')}\n`);
  cpSync(join(dataDir, 'secret-key'), join(target, 'secret-key'));
  cpSync(join(dataDir, 'blobs'), join(target, 'blobs'), {
    recursive: true,
    filter: (source) => !/\/(renditions|delivered)(\/|$)/.test(source),
  });
  writeFileSync(join(target, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
}

function phs(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args, '--json'], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`phs ${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout);
}

function bytesOf(file) {
  return readFileSync(join(fixtures, 'photos', file));
}

async function until(condition) {
  const patience = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > patience) throw new Error('it took longer than a minute');
    await delay(50);
  }
}
