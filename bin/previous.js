import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTemplate, removeTemplate } from '../test/e2e/support/template.mjs';

// F23: whether the version of a tag or commit runs on what this version has migrated (docs/decisions/0075): its own end-to-end tests, built from
// its sources, on databases that this version has made. Part of `npm run release`.
//   node bin/previous.js REF
const SUITES = ['main-job', 'webhooks', 'resumable-uploads', 'export', 'crash'];

const root = join(import.meta.dirname, '..');
const [ref] = process.argv.slice(2);
if (ref === undefined) throw new Error('name the version before: node bin/previous.js vX.Y.Z');

const folder = mkdtempSync(join(tmpdir(), 'photo-service-previous-'));
const sources = join(folder, 'sources');
run(root, process.execPath, 'bin/build.js', '--if-needed');
// The tests of the version before copy it: they inherit its place by the environment.
makeTemplate(root);
try {
  run(root, 'git', 'worktree', 'add', '--quiet', '--detach', sources, ref);
  run(sources, 'npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error');
  const suites = SUITES.map((name) => `test/e2e/${name}.test.ts`);
  run(sources, 'npx', 'jest', ...['--selectProjects', 'e2e', 'rest'], ...['--maxWorkers', '2'], ...suites);
} finally {
  spawnSync('git', ['worktree', 'remove', '--force', sources], { cwd: root });
  rmSync(folder, { recursive: true, force: true });
  removeTemplate();
}

function run(cwd, program, ...args) {
  const { status } = spawnSync(program, args, { cwd, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed`);
}
