import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { transformFile } from '@swc/core';

const root = resolve(__dirname, '../..');
const cache = join(root, 'node_modules/.cache/photo-service-compiled');

/** Below this age another run may still be using what is not of our sources. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * The sources as ES modules that plain node runs, for tests that start processes: a folder like `dist`, made once for each state of
 * the sources. Types are not checked. Any number of test processes may ask at the same time.
 */
export async function compiledSources(): Promise<string> {
  const files = await filesUnder(join(root, 'src'));
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(await readFile(file));
  const target = join(cache, hash.digest('hex').slice(0, 20));
  if (await exists(target)) return target;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, 'draft-'));
  // Processes of other accounts read it, too.
  await chmod(draft, 0o755);
  await Promise.all(files.map((file) => compile(file, join(draft, relative(join(root, 'src'), file)))));
  await writeFile(join(draft, 'package.json'), '{"type":"module"}');
  // One process is the first; the folder of the others is as good, and not needed.
  await rename(draft, target).catch(() => rm(draft, { recursive: true, force: true }));
  await removeOld();
  return target;
}

async function compile(file: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  if (!file.endsWith('.ts')) return cp(file, target);
  if (file.endsWith('.d.ts')) return;
  const { code } = await transformFile(file, {
    swcrc: false,
    sourceMaps: 'inline',
    module: { type: 'es6' },
    jsc: {
      target: 'es2023',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    },
  });
  await writeFile(target.replace(/\.ts$/, '.js'), code);
}

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(cache)) {
    const { mtimeMs } = await stat(join(cache, name)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (mtimeMs < Date.now() - KEPT_MS) await rm(join(cache, name), { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
