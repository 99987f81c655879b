import { chmodSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { transformFile } from '@swc/core';

/**
 * Writes every source of `folder` to `target` as the JavaScript that runs, each file for itself. Types are not checked here but by
 * `npm run lint`: a compiler that reads all of them first takes longer than everything else that happens before a first start.
 * @param modules `es6` or `commonjs`.
 * @param moved A path in the sources that is another one in what is built: `[from, to]`.
 */
export async function transpile(folder, target, modules = 'es6', moved = null) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  await Promise.all(files.map((file) => write(file, join(target, relative(folder, file)), modules, moved)));
  // A command is executable, as npm would make it when it links it.
  const command = files.find((file) => relative(folder, file) === 'phs.ts');
  if (command !== undefined) chmodSync(join(target, 'phs.js'), 0o755);
}

async function write(file, target, type, moved) {
  if (file.endsWith('.d.ts')) return;
  mkdirSync(dirname(target), { recursive: true });
  // Styles of pages, and their scripts in JavaScript, are sent as they stand in the sources.
  if (!/\.tsx?$/.test(file)) return cpSync(file, target);
  const { code } = await transformFile(file, { ...options(file), module: { type } });
  writeFileSync(
    target.replace(/\.tsx?$/, '.js'),
    moved === null ? withoutGlobals(code) : withoutGlobals(code).replaceAll(...moved),
  );
}

/** The types of Express have the names of globals for which Node loads all of fetch, as soon as a decorated parameter asks whether there are any. */
function withoutGlobals(code) {
  return code.replace(/typeof (Request|Response) === "undefined" \? Object : \1\b/g, 'Object');
}

/** What tsconfig.json says of the same: decorators of TypeScript with the types that they ask for, and preact's JSX. */
export function options(file) {
  return {
    swcrc: false,
    jsc: {
      target: 'es2023',
      parser: { syntax: 'typescript', decorators: true, tsx: file.endsWith('.tsx') },
      transform: {
        legacyDecorator: true,
        decoratorMetadata: true,
        useDefineForClassFields: false,
        react: { runtime: 'automatic', importSource: 'preact' },
      },
    },
    module: { type: 'es6' },
  };
}
