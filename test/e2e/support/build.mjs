import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { makeTemplate } from './template.mjs';

/** These tests run the program as it is built, so it is built first where sources are newer; with it the template of their databases is made. */
export default function build(_, { rootDir }) {
  const { status } = spawnSync(process.execPath, [join(rootDir, 'bin', 'build.js'), '--if-needed'], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the program could not be built');
  // Node reads them at each start, which takes more than the rest of it; no test trusts an authority of this machine's.
  delete process.env.NODE_EXTRA_CA_CERTS;
  makeTemplate(rootDir);
}
