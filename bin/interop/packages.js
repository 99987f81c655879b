import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeOf, run } from './run.js';

/** publint on the packages, as they are packed, and @arethetypeswrong/cli on those that others import. */
export async function check({ root, tools }) {
  const folder = await mkdtemp(join(tmpdir(), 'photo-service-packages-'));
  try {
    await run(process.execPath, ['bin/packages.js', folder], { cwd: root });
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.tgz'))) {
      const file = join(folder, name);
      await run(nodeOf(tools), [join(tools, 'publint/src/cli.js'), 'run', file, '--strict'], { cwd: root });
      console.log(`${name}: publint has no finding`);
      if (!/^photo-service-(\d|sdk-|postgres-|uploader-)/.test(name)) continue;
      // Of the ways to resolve a package, only that of Node 10 is left out: it knows no exports, and such a Node cannot run any of this.
      const attw = join(tools, '@arethetypeswrong/cli/dist/index.js');
      await run(nodeOf(tools), [attw, file, '--profile', profileOf(name), '--format', 'ascii'], { cwd: root });
      console.log(`${name}: attw has no finding`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function profileOf(name) {
  return name.startsWith('photo-service-sdk') ? 'node16' : 'esm-only';
}
