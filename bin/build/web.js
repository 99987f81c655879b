import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { licences } from './licences.js';
import { transpile } from './transpile.js';

const COMMONJS = 'cjs';

/** The same modules for programs that use `require`. */
export async function writeCommonJs(folder, dist) {
  await transpile(join(folder, 'src'), join(dist, COMMONJS), 'commonjs');
  writeFileSync(join(dist, COMMONJS, 'package.json'), '{"type":"commonjs"}\n');
}

/** A declaration says of itself what module it is by the package.json above it, so both kinds need their own. */
export function declareCommonJs(folder) {
  const dist = join(folder, 'dist');
  const names = readdirSync(dist, { recursive: true }).map(String);
  for (const name of names.filter((each) => each.endsWith('.d.ts') && !each.startsWith(COMMONJS))) {
    mkdirSync(dirname(join(dist, COMMONJS, name)), { recursive: true });
    cpSync(join(dist, name), join(dist, COMMONJS, name));
  }
}

/** What of the SDK needs nothing of Node, for edge runtimes and for pages without a bundler. */
export async function packSdkForWeb(dist) {
  const modules = await packForWeb(join(dist, 'entry.js'), join(dist, 'web.js'));
  writeFileSync(join(dist, 'web.licences.txt'), licences(modules));
}

/** Packs a module, with all that it loads, as one file without imports. @returns the modules in it */
export async function packForWeb(input, file) {
  const draft = await rolldown({ input, platform: 'browser', cwd: dirname(input), logLevel: 'warn' });
  const { output } = await draft.write({ file, format: 'esm', codeSplitting: false });
  await draft.close();
  return output[0].moduleIds;
}
