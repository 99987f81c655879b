import { mkdir, realpath, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Binaries, findBinaries } from './binaries.js';
import { readOrMakePassword } from './cluster.js';
import { DataDirInUseError, EmbeddedPostgresError } from './embedded-postgres-error.js';
import {
  type Connection,
  type EmbeddedPostgresOptions,
  type Log,
  resolveOptions,
  type ServerOptions,
} from './options.js';
import { startOwnServer } from './own-server.js';
import { askOwner, type DataLock, publishOwner, tryLock } from './ownership.js';

export interface RunningPostgres {
  /** Options for pg and TypeORM. They change with every start of the server. */
  readonly connection: Readonly<Connection>;
  /** Resolves with a reason if the server ends without stop() having been called. Call stop() then, too. */
  readonly ended: Promise<string>;
  /**
   * Fast shutdown, and wait; a second call waits for the first. Close your own connections before. An owner in mode 'share' waits until the
   * other commands that use its database have finished. On a database that another process owns it only lets go.
   */
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 50;
/** The time for which a folder may be locked with no owner to ask: a start, or the shutdown after a kill. */
const WAIT_FOR_LOCK_MS = 30_000;
/** A service that meets a command at work lets it finish. */
const WAIT_FOR_COMMAND_MS = 10_000;

interface Start {
  readonly dataDir: string;
  readonly mode: 'own' | 'share';
  readonly binaries: Binaries;
  readonly options: ServerOptions;
  readonly log: Log;
}

/**
 * Opens the database of a data folder, which is created if it is missing, and resolves when the server accepts connections. At most one process owns
 * the server of a folder, even if several start at once, and the server ends with its owner, even after kill -9
 * (`superviseServer`, server-process.ts).
 * @param dataDir path of the folder, absolute or relative to the working directory.
 * @throws DataDirInUseError in mode 'own' when another process owns the server, and in both modes when that process does not answer.
 * @throws OtherVersionError when the database was created by another major version of Postgres.
 * @throws EmbeddedPostgresError with one sentence that says what to do, when the database cannot run here.
 * @throws TypeError for invalid options.
 */
export async function openPostgres(dataDir: string, given: EmbeddedPostgresOptions = {}): Promise<RunningPostgres> {
  const { mode = 'own', log = () => undefined } = given;
  const options = resolveOptions(given);
  const binaries = findBinaries();
  try {
    // Root's folder lets other accounts pass, not look: the server runs as one of them.
    await mkdir(dataDir, { recursive: true, mode: process.geteuid?.() === 0 ? 0o711 : 0o700 });
    return await attachOrOwn({ dataDir: await realpath(dataDir), mode, binaries, options, log });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC'].includes(code ?? '')) throw error;
    throw new EmbeddedPostgresError(
      'data_dir_unusable',
      `The data folder ${dataDir} cannot be used by this user (${message})`,
      'run as its owner, or use another data folder',
    );
  }
}

async function attachOrOwn(start: Start): Promise<RunningPostgres> {
  const { dataDir, mode, options } = start;
  const started = performance.now();
  const waited = () => performance.now() - started;
  for (;;) {
    const owner = await askOwner(dataDir);
    if (owner === 'silent') {
      const article = /^[aeiou]/i.test(options.application) ? 'an' : 'a';
      throw new DataDirInUseError(dataDir, `${article} ${options.application} process that does not respond`);
    }
    if (owner !== undefined) {
      if (mode === 'share') {
        const password = await readOrMakePassword(dataDir);
        let left = false;
        const ended = new Promise<string>((resolve) => {
          void owner.gone.then(() => {
            if (!left) resolve(`the process that owns the database (pid ${owner.facts.pid}) has stopped`);
          });
        });
        const stop = async () => {
          left = true;
          owner.leave();
        };
        return { connection: { ...owner.facts.address, password }, ended, stop };
      }
      owner.leave();
      const isCommand = owner.facts.mode === 'share';
      if (!isCommand || waited() > WAIT_FOR_COMMAND_MS) {
        throw new DataDirInUseError(dataDir, `another ${options.application} process (pid ${owner.facts.pid})`);
      }
    } else {
      const lock = await tryLock(dataDir, await stat(dataDir));
      if (lock !== undefined) {
        const running = await ownWith(lock, start).catch(async (error: unknown) => {
          lock.release();
          // Without a certain lock, Postgres' own tells the second of two starts that it is too late.
          if (lock.certain || !(error instanceof DataDirInUseError) || waited() > WAIT_FOR_LOCK_MS) throw error;
        });
        if (running !== undefined) return running;
      } else if (waited() > WAIT_FOR_LOCK_MS) {
        throw new DataDirInUseError(dataDir, 'another process that is starting or stopping');
      }
    }
    await delay(LOOK_EVERY_MS);
  }
}

async function ownWith(lock: DataLock, { dataDir, mode, binaries, options, log }: Start): Promise<RunningPostgres> {
  const own = await startOwnServer(dataDir, binaries, lock, options, log);
  const { password, ...address } = own.connection;
  const facts = { pid: process.pid, mode, address };
  const socket = await publishOwner(dataDir, own.socketFolder, options.label, facts).catch(async (error: unknown) => {
    await own.close();
    throw error;
  });
  log(`the embedded database is running in ${dataDir}`);
  const release = async () => {
    await socket.hide();
    if (mode === 'share')
      await socket.guestsGone((guests) => log(`waiting for ${guests} other command(s) that are using the database`));
    try {
      await own.close();
    } finally {
      socket.close();
      lock.release();
    }
  };
  let stopping: Promise<void> | undefined;
  return {
    connection: { ...address, password },
    ended: new Promise((resolve) => {
      void own.server.gone.then((reason) => {
        if (stopping === undefined) resolve(reason);
      });
    }),
    stop() {
      stopping ??= release();
      return stopping;
    },
  };
}
