/* @rest */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackage } from '../e2e/support/installed-adapter.js';
import { processesOn, until } from '../e2e/support/processes.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'postgres-readme-'));
  chmodSync(folder, 0o755);
  installPackage(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const blocks = [...readFileSync(join(__dirname, '../../postgres/README.md'), 'utf8').matchAll(/```js\n([\s\S]*?)```/g)];

/** As somebody would who copies it into a file of a new project. */
function run(script: string): { stdout: string; stderr: string; status: number | null } {
  writeFileSync(join(folder, 'example.mjs'), script);
  return spawnSync(process.execPath, ['example.mjs'], { cwd: folder, encoding: 'utf8' });
}

test('the example prints what the README says, and leaves no server behind', async () => {
  const [, example = ''] = blocks[0] ?? [];
  expect(example).toContain("from 'photo-service-postgres'");
  expect(run(example)).toMatchObject({ stdout: '{ notes: 1 }\n', stderr: '', status: 0 });
  expect(run(example)).toMatchObject({ stdout: '{ notes: 2 }\n', stderr: '', status: 0 });
  await until('no process on the data folder', () => processesOn(join(folder, 'data')).length === 0);
});

test('the example of errors gives the advice of the application', () => {
  const [, example = ''] = blocks[1] ?? [];
  const first = "import { openPostgres } from 'photo-service-postgres';\nconst first = await openPostgres('./data');\n";
  const script = `${first}try {\n${example}\n} catch (error) { console.log(error.name, error.message); }\nawait first.stop();\n`;
  rmSync(join(folder, 'data'), { recursive: true, force: true });
  const { stdout, stderr } = run(script);
  expect(stderr).toBe('');
  expect(stdout).toMatch(
    /^DataDirInUseError The data folder \S+data is in use by another App process \(pid \d+\): quit the other window first\.\n$/,
  );
});
