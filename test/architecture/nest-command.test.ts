/* @rest */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'phs-nest-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const filesIn = (path: string) => readdirSync(join(folder, path), { recursive: true, encoding: 'utf8' }).sort();
const read = (path: string) => readFileSync(join(folder, path), 'utf8');

function run(program: string, ...args: string[]): void {
  const options = { cwd: folder, encoding: 'utf8' as const, env: { ...process.env, NO_COLOR: '1' } };
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin', program), args, options);
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout, stderr: '' });
}

test('the commands of CONTRIBUTING.md for a new resource make its files where they belong, as Biome and the compiler want them', () => {
  for (const name of ['src', 'nest-cli.json', 'package.json', 'tsconfig.json', 'biome.json', '.gitignore']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const before = filesIn('src');
  const commands = [...readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(/`npx nest ([^`]+)`/g)];
  expect(commands.length).toBe(2);
  for (const [, args = ''] of commands) run('nest', ...args.split(' '));
  const made = ['albums', 'albums/albums.controller.ts', 'albums/albums.module.ts'].map((name) => `api/${name}`);
  expect(filesIn('src').filter((name) => !before.includes(name))).toEqual(made);

  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/biome'),
    ['check', '--write', '--vcs-enabled=false', 'src/api/resources.module.ts', 'src/api/albums'],
    { cwd: folder, encoding: 'utf8' },
  );
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout, stderr });
  expect(read('src/api/albums/albums.module.ts')).toContain("from './albums.controller.js'");
  const resources = read('src/api/resources.module.ts');
  expect(resources).toContain("import { AlbumsModule } from './albums/albums.module.js';");
  expect(resources).toMatch(/@Module\(\{\s*imports: \[[\s\S]*AlbumsModule,?\s*\],?\s*\}\)/);
});
