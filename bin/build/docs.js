import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transpile } from './transpile.js';

/** Writes the documentation into `site` of the built program, by bin/docs and what that imports of the program. Another process, because the bundle is made meanwhile. */
export async function writeDocs(root, dist) {
  const generator = join(dist, 'docs');
  await transpile(join(root, 'bin', 'docs'), generator);
  // It is one folder nearer to what it imports.
  for (const name of readdirSync(generator, { recursive: true }).filter((each) => each.endsWith('.js'))) {
    const code = readFileSync(join(generator, name), 'utf8');
    writeFileSync(join(generator, name), code.replaceAll('../src/', ''));
  }
  const [status] = await once(
    spawn(process.execPath, [join(generator, 'site.js'), join(dist, 'site')], { stdio: 'inherit' }),
    'exit',
  );
  if (status !== 0) throw new Error('The documentation could not be written.');
  rmSync(generator, { recursive: true });
}
