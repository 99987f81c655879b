import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// F23: whether the version of a tag or commit runs on what this version has migrated (docs/decisions/0075): its own end-to-end tests, built from
// its sources, on databases that this version has made. Part of `npm run release`.
//   node bin/previous.js REF
const SUITES = ['main-job', 'webhooks', 'resumable-uploads', 'export', 'crash'];

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [ref] = process.argv.slice(2);
if (ref === undefined) throw new Error('name the version before: node bin/previous.js vX.Y.Z');

const folder = mkdtempSync(join(tmpdir(), 'photo-service-previous-'));
const [sources, database] = [join(folder, 'sources'), join(folder, 'database')];
try {
  run(root, {}, process.execPath, join(root, 'bin/build.js'), '--if-needed');
  run(root, { DATA_DIR: database }, process.execPath, join(root, 'bin/phs.js'), 'migrate');
  // What a test copies is the database alone; each installation makes its own secret.
  for (const other of ['blobs', 'secret-key', 'postgres.lock', 'postgres.log'])
    rmSync(join(database, other), { recursive: true, force: true });
  run(root, {}, 'git', 'worktree', 'add', '--quiet', '--detach', sources, ref);
  run(sources, {}, 'npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error');
  const suites = SUITES.map((name) => `test/e2e/${name}.test.ts`);
  run(
    sources,
    { INSTALLATION_TEMPLATE: database },
    'npx',
    'jest',
    ...['--selectProjects', 'e2e'],
    ...['--maxWorkers', '2'],
    ...suites,
  );
} finally {
  spawnSync('git', ['worktree', 'remove', '--force', sources], { cwd: root });
  rmSync(folder, { recursive: true, force: true });
}

function run(cwd, settings, program, ...args) {
  const { status } = spawnSync(program, args, { cwd, stdio: 'inherit', env: { ...process.env, ...settings } });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed`);
}
