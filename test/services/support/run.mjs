import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import build from '../../e2e/support/build.mjs';
import { removeTemplate } from '../../e2e/support/template.mjs';

/** Held open for writing by this process alone, so whoever reads it learns of the end of the run, however it comes. */
let lifeline;
let folder;

/** Before the first suite: the program as it is built, and the folder of what suites of this run share (shared.ts). */
export default function begin(globalConfig, projectConfig) {
  build(globalConfig, projectConfig);
  folder = mkdtempSync(join(tmpdir(), 'services-'));
  execFileSync('mkfifo', [join(folder, 'lifeline')]);
  lifeline = openSync(join(folder, 'lifeline'), 'r+');
  process.env.SERVICES_RUN = folder;
}

/** After the last suite, whether it passed or failed: what was shared ends. */
export async function end() {
  closeSync(lifeline);
  while (isRead()) await delay(20);
  rmSync(folder, { recursive: true, force: true });
  removeTemplate();
}

/** Whether a guard of a daemon is still there (daemon.ts). */
function isRead() {
  try {
    closeSync(openSync(join(folder, 'lifeline'), constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    if (error.code === 'ENXIO') return false; // fifo(7): no reader.
    throw error;
  }
}
