import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrimaryFile } from '../../src/start/processes/primary-file.js';

let dataDir: string;
let file: PrimaryFile;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'primary-file-'));
  file = new PrimaryFile({ dataDir, port: 3000 });
});
afterEach(() => rm(dataDir, { recursive: true }));

const path = () => join(dataDir, 'primary-3000.json');

test('names the process that wrote it, as long as it runs', async () => {
  expect(await file.find()).toBeNull();
  await file.write();
  expect(await file.find()).toBe(process.pid);
  await file.remove();
  expect(await file.find()).toBeNull();
});

test('names no process when another one has the number by now', async () => {
  await file.write();
  const identity = JSON.parse(await readFile(path(), 'utf8'));
  await writeFile(path(), JSON.stringify({ ...identity, started: '1' }));
  expect(await file.find()).toBeNull();
});

test('names no process when its writer was killed while it wrote', async () => {
  await file.write();
  const text = await readFile(path(), 'utf8');
  await writeFile(path(), text.slice(0, text.length / 2));
  expect(await file.find()).toBeNull();
});
