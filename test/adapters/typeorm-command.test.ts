import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../src/adapters/typeorm/data-source.js';
import { migrations } from '../../src/adapters/typeorm/registry.js';
import { emptyDatabase, type TestDatabase, urlOf } from '../support/postgres.js';

const root = join(__dirname, '../..');
/** As the comment of ormconfig.ts says. */
const command = String(/`(npm run typeorm [^`]+)`/.exec(readFileSync(join(root, 'ormconfig.ts'), 'utf8'))?.[1]);

function run(settings: Record<string, string>): { status: number | null; output: string } {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, NO_COLOR: '1', ...settings };
  const { status, stdout, stderr } = spawnSync(command, { cwd: root, env, shell: true, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

let database: TestDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
});
afterAll(() => database.close());

test('TypeORM’s own command shows which migrations have been run, and which have not', async () => {
  const names = migrations.map(({ name }) => name);
  const [first = '', second = ''] = names;
  await migrate(database, migrations.slice(0, 2));
  const { status, output } = run({ DATABASE_URL: urlOf(database) });
  expect({ status, output }).toMatchObject({ status: 0 });
  const shown = [...output.matchAll(/\[([X ])\] (?:\d+ )?(\w+)/g)].map(([, mark, name]) => [name, mark === 'X']);
  const done = [first, second];
  expect(new Map(shown as [string, boolean][])).toEqual(new Map(names.map((name) => [name, done.includes(name)])));
});

test('the TypeORM command reports a missing DATABASE_URL', () => {
  const { status, output } = run({});
  expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining('Set DATABASE_URL.') });
});
