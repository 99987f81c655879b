/* @rest */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from './support/client.js';
import { until } from './support/processes.js';
import { Installation } from './support/service.js';
import { expectSound } from './support/sound.js';

const root = join(__dirname, '../..');
const bytes = new Uint8Array(readFileSync(join(root, 'examples/photos/rocks.jpg')));

/** As people write it, from the working folder: that of the project. */
const BLOB_STORE = './examples/blob-store/folder-store.mjs';

let folder: string;
const made: Installation[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phs-outside-'));
});
afterEach(async () => {
  for (const installation of made.splice(0)) await installation.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function installationWith(extra: Record<string, string>): Promise<Installation> {
  const installation = await Installation.make(extra);
  made.push(installation);
  return installation;
}

async function importOne(client: Client): Promise<number> {
  const { id } = (await client.post('/imports')).body;
  await client.inline(id, [{ name: 'rocks.jpg', bytes }]);
  await client.post(`/imports/${id}/finalize`);
  await until('the import to end', async () => (await client.get(`/imports/${id}`)).body.status === 'completed');
  return (await client.get('/photos')).body.data[0].id;
}

const isSame = async (client: Client, id: number) =>
  Buffer.from(bytes).equals(Buffer.from(await client.bytes(`/photos/${id}/download`)));

test('a service in several processes stores photos in a blob store of another package', async () => {
  const installation = await installationWith({ BLOB_STORE, STORE_FOLDER: folder, PROCESSES: '2' });
  await installation.start();
  const client = await installation.client();
  const id = await importOne(client);
  expect(await isSame(client, id)).toBe(true);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['originals', 'renditions']));
  expect(readdirSync(installation.dataDir)).not.toContain('blobs');
  expect(await installation.stop()).toBe(0);
  await installation.start();
  expect(await isSame(client, id)).toBe(true);
  await expectSound(installation);
  const doctor = await installation.command('doctor', '--json');
  expect(doctor.stderr + doctor.stdout).toContain(`the folder ${folder}`);
  const verified = await installation.command('verify', '--fast');
  expect(verified.stderr).toContain(`photos in the folder ${folder}`);
});

test('an installation is moved into a blob store of another package, and back', async () => {
  const local = await installationWith({});
  await local.start();
  const client = await local.client();
  const id = await importOne(client);
  await local.stop();
  const copied = await local.commandWith({ TO_STORE_FOLDER: folder }, 'blobs', 'copy', '--to', BLOB_STORE, '--json');
  expect(JSON.parse(copied.stdout)).toMatchObject({ ok: true, copied: 2, wrong: [] });
  rmSync(join(local.dataDir, 'blobs'), { recursive: true });
  const outside = local.with({ BLOB_STORE, STORE_FOLDER: folder });
  await outside.start();
  expect(await isSame(client, id)).toBe(true);
  await outside.stop();
  const back = await outside.command('blobs', 'copy', '--to', `file://${local.dataDir}`, '--json');
  expect(JSON.parse(back.stdout)).toMatchObject({ ok: true, copied: 2, unchanged: 0 });
});

test('a settings file in the data folder cannot choose what runs', async () => {
  const installation = await installationWith({});
  const file = join(installation.dataDir, 'phs.env');
  writeFileSync(file, `BLOB_STORE=${join(root, BLOB_STORE)}\nSTORE_FOLDER=${folder}\n`);
  const { status, output } = await installation.startInVain();
  expect(status).toBe(4);
  expect(output).toContain(`BLOB_STORE in ${file} names a module, which a file of settings may not.`);
  const doctor = await installation.command('doctor');
  expect([doctor.status, doctor.stdout]).toEqual([4, expect.stringContaining('which a file of settings may not')]);
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['./none.mjs', 'there is no module'],
  ['./package.json', 'cannot be loaded|has no default export'],
  ['gcs', 'BLOB_STORE must be local, s3, azure or the path of a module such as ./my-store.mjs, not "gcs"'],
])('BLOB_STORE=%s is refused at the start with a sentence', async (value, sentence) => {
  const installation = await installationWith({ BLOB_STORE: value });
  const { status, output } = await installation.startInVain();
  expect(status).toBe(4);
  expect(output).toMatch(new RegExp(sentence));
});
