import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The database of an installation as `phs migrate` makes it, which suites copy instead of making one each. One for all projects of a run. */
export function makeTemplate(rootDir) {
  if (process.env.INSTALLATION_TEMPLATE) return;
  const folder = mkdtempSync(join(tmpdir(), 'phs-template-'));
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR, DATA_DIR: folder };
  const phs = join(rootDir, 'bin', 'phs.js');
  const { status, stderr } = spawnSync(process.execPath, [phs, 'migrate'], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the template could not be made: ${stderr}`);
  for (const other of ['blobs', 'secret-key', 'postgres.lock', 'postgres.log'])
    rmSync(join(folder, other), { recursive: true, force: true });
  process.env.INSTALLATION_TEMPLATE = folder;
}

export function removeTemplate() {
  rmSync(process.env.INSTALLATION_TEMPLATE, { recursive: true, force: true });
}
