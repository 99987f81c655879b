import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Where Debian puts what is not on every account's PATH: daemons, and the programs of a Postgres server. */
const FURTHER = ['/usr/sbin', '/sbin', '/usr/lib/postgresql/18/bin', '/usr/lib/postgresql/17/bin'];
const OLDER = ['/usr/lib/postgresql/16/bin', '/usr/lib/postgresql/15/bin'];

/**
 * The path of an installed program. Throws a sentence that names the program and how Debian installs it: a test of this folder fails where
 * something is missing, and is never skipped.
 */
export function program(name: string, debianPackage: string): string {
  const folders = [...(process.env.PATH ?? '').split(':'), ...FURTHER, ...OLDER];
  const found = folders.map((folder) => join(folder, name)).find(isExecutable);
  if (found !== undefined) return found;
  throw new Error(
    `${name} is needed here and is not installed. On Debian: apt-get install --no-install-recommends ${debianPackage}`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
