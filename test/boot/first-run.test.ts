import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  examplePhotos,
  firstRun,
  firstSteps,
  keyNotWritten,
  ownCommand,
  writeSecrets,
} from '../../src/start/serving/welcome.js';
import { world } from '../support/core-world.js';
import { present } from '../support/tenant.js';

const URL = 'https://photos.example.com';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phs-first-run-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (name: string) => readFileSync(join(folder, name), 'utf8');

test('in a terminal the link is printed, and the key is in a file that only its owner can read', async () => {
  const first = present(await firstRun(world()));
  const printed = firstSteps(URL, await writeSecrets(first, folder, true));
  expect(printed).toContain(`\n  ${first.link}\n`);
  expect(printed).not.toContain(first.token);
  expect(printed).toContain(`export PHOTO_SERVICE_TOKEN=$(cat ${join(folder, 'first-key')})\n`);
  expect(read('first-key')).toBe(`${first.token}\n`);
  expect(statSync(join(folder, 'first-key')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['first-key']);
});

test('without a terminal neither is printed, and older files are replaced, whatever their mode was', async () => {
  for (const name of ['first-key', 'first-link'])
    writeFileSync(join(folder, name), 'of another database', { mode: 0o644 });
  const first = present(await firstRun(world()));
  const printed = firstSteps(URL, await writeSecrets(first, folder, false));
  for (const secret of [first.token, first.link]) expect(printed).not.toContain(secret);
  expect([read('first-key'), read('first-link')]).toEqual([`${first.token}\n`, `${first.link}\n`]);
  for (const name of readdirSync(folder)) {
    expect(printed).toContain(`\n  ${join(folder, name)}\n`);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  }
});

test('the path of the key file is one word of the shell', () => {
  const printed = firstSteps(URL, { keyFile: "/srv/anna's photos/first-key", link: 'https://x' });
  expect(printed).toContain(`$(cat '/srv/anna'\\''s photos/first-key')`);
});

test('a folder that takes no files fails, and what is said then names the commands that help', async () => {
  const first = present(await firstRun(world()));
  await expect(writeSecrets(first, join(folder, 'missing'), false)).rejects.toThrow('ENOENT');
  const told = keyNotWritten(first, 'no space left');
  expect(told).toContain(`npx phs key create --customer ${first.customerId} `);
  expect(told).toContain(`npx phs user link ${first.userId} --customer ${first.customerId}`);
  expect(told).not.toContain(first.token);
});

test('commands are those of the folder: npx phs only where phs is installed', () => {
  expect(ownCommand(folder)).toBe('npx photo-service');
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/.bin/phs'), '');
  expect(ownCommand(folder)).toBe('npx phs');
  expect(ownCommand(join(__dirname, '../..'))).toBe('npx phs');
});

test('the photos to try are near, or those of the program', () => {
  expect(examplePhotos(join(__dirname, '../..'))).toBe('examples/photos');
  expect(existsSync(join(examplePhotos(folder), 'cyclamen.jpg'))).toBe(true);
});
