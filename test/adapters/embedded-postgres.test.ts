import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasEmbeddedDatabase, openEmbeddedPostgres } from '../../src/adapters/embedded-postgres.js';
import { reasonOf } from '../../src/core/shared/errors.js';

let dataDir: string;
beforeEach(() => {
  dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'embedded-adapter-')));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

async function refusal(folder = dataDir): Promise<string> {
  const error: Error = await openEmbeddedPostgres(folder, 'own').catch((thrown) => thrown);
  // What `phs doctor` prints: the innermost cause, so there must be none that says less.
  expect(reasonOf(error)).toBe(error.message);
  return error.message;
}

function put(name: string, text: string): void {
  mkdirSync(join(dataDir, 'pg18'));
  writeFileSync(join(dataDir, 'pg18', name), text);
}

test("a refusal says what to do in the words of the service's own settings and commands", async () => {
  put('PG_VERSION', '17\n');
  expect(await refusal()).toBe(
    `The database in ${dataDir}/pg18 was created by Postgres 17, but this program contains Postgres 18: take a backup with the version that created it (phs backup) and restore it into an empty DATA_DIR (phs restore), or run it on a Postgres 17 server of your own and set DATABASE_URL.`,
  );
});

test('a data folder with files that are no database is left unchanged', async () => {
  put('notes.txt', 'hello');
  expect(await refusal()).toBe(
    `${dataDir}/pg18 is not empty but does not contain a Postgres database: move it away, or restore a backup into an empty DATA_DIR.`,
  );
});

test('a file in the place of the data folder is left unchanged', async () => {
  const file = join(dataDir, 'file');
  writeFileSync(file, '');
  expect(await refusal(file)).toMatch(
    /^The data folder \S+file cannot be used by this user \(EEXIST: .*\): run as its owner, choose another DATA_DIR, or set DATABASE_URL\.$/,
  );
});

test('looking for an embedded database creates none', () => {
  expect(hasEmbeddedDatabase(dataDir)).toBe(false);
  mkdirSync(join(dataDir, 'pg18'));
  expect(hasEmbeddedDatabase(dataDir)).toBe(true);
});
