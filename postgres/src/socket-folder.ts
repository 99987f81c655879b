import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from './account.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

/** Names the socket file only; several servers share it because each has a socket folder of its own. */
export const SOCKET_PORT = 5432;

/** sun_path holds 104 bytes on macOS and 108 on Linux, the closing NUL among them. */
const LONGEST_SOCKET_PATH = 103;

/**
 * A folder of sockets, closed to other users: inside the data folder, where containers that share the volume find it too, or, if that path is
 * too long or its file system has no sockets, under the temporary folder.
 * @param label tells it from those of other programs under the temporary folder.
 * @param clear removes what earlier runs left; only for one who knows that no other server lives.
 * @throws EmbeddedPostgresError when another user owns the path.
 */
export async function makeSocketFolder(dataDir: string, label: string, clear: boolean): Promise<string> {
  const problems: string[] = [];
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const places = [join(dataDir, 'socket'), join(tmpdir(), `${label}-${hash}`), `/tmp/${label}-${hash}`];
  const fits = (path: string) =>
    Buffer.byteLength(join(path, 'pgXXXXXX', `.s.PGSQL.${SOCKET_PORT}`)) <= LONGEST_SOCKET_PATH;
  for (const path of new Set(places.filter(fits))) {
    try {
      await makePrivate(path, dataDir, clear);
      if (clear) for (const name of await readdir(path)) await rm(join(path, name), { recursive: true, force: true });
      const server = createServer().listen(join(path, `try.${randomBytes(4).toString('hex')}`));
      await once(server, 'listening');
      await once(server.close(), 'close');
      return path;
    } catch (error) {
      problems.push(`${path}: ${(error as Error).message}`);
    }
  }
  throw new EmbeddedPostgresError(
    'no_socket_folder',
    `No folder is suitable for the embedded database's socket (${problems.join('; ')})`,
    'use a shorter path for the data folder, or set TMPDIR to a folder of the current user',
  );
}

/** @returns a new folder in it for the server's own socket, which belongs to the account that the server runs as. */
export async function makeServerFolder(folder: string, account: Account): Promise<string> {
  const path = await mkdtemp(join(folder, 'pg'));
  if (account.ids !== undefined) {
    await chown(path, account.ids.uid, account.ids.gid);
    await chmod(folder, 0o711);
  }
  return path;
}

/** False for a folder that another user could have put there to hand us a server of theirs. */
export async function isTrusted(folder: string, dataDir: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory() || (found.mode & 0o022) !== 0) return false;
  return [0, process.geteuid?.(), (await stat(dataDir)).uid].includes(found.uid);
}

async function makePrivate(path: string, dataDir: string, isOurs: boolean): Promise<void> {
  const owner = await stat(dataDir);
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  if (!(await isTrusted(path, dataDir))) throw new Error('it is not a folder that belongs only to this user');
  // Without a lock, a server may be starting in it at this moment, under an account of its own that must get through (0711).
  const isClosed = ((await stat(path)).mode & 0o066) === 0;
  if (isOurs || !isClosed) await chmod(path, 0o700);
  if (process.geteuid?.() === 0) await chown(path, owner.uid, owner.gid);
}
