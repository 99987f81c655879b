/* @slow */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { FORBIDDEN, FORBIDDEN_REQUESTS, seccompFilter } from '../../src/adapters/media/isolation/seccomp-filter.js';
import { type IsolationLevel, isolationLevels } from '../../src/core/media/media-reader.js';
import { mediaProcessesContract } from '../contracts/media-processes.contract.js';
import { bytesOf, openMedia } from '../support/media.js';
import { type Attempts, attackerChild } from './support/attacker-child.js';
import { program } from './support/programs.js';

beforeAll(() => {
  program('bwrap', 'bubblewrap');
  program('setpriv', 'util-linux');
  program('prlimit', 'util-linux');
  if (process.geteuid?.() !== 0) throw new Error('The level "user" can only be tested by root.');
});

/** What comes of opening the terminal that these tests were started from: they may have none. */
function ownTerminal(): string {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return 'done';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? '';
  }
}

const plenty = { customerId: 1, maxPixels: 210_000_000 };
const photos = join(__dirname, '../fixtures/photos');

describe('code that has taken over a picture reader', () => {
  let folder: string;
  const ends: (() => unknown)[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'phs-attacker-'));
    // What every account may reach must be refused for another reason than the folder in front of it.
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'data'), { mode: 0o700 });
    await writeFile(join(folder, 'data/secret-key'), 'a secret of the service', { mode: 0o600 });
    await writeFile(join(folder, 'other-picture'), 'another customer’s', { mode: 0o600 });
  });
  afterAll(async () => {
    for (const end of ends) await end();
    await rm(folder, { recursive: true, force: true });
  });

  /** What comes of each attempt at a level; what arrived at the servers that it tried to reach. */
  async function attacked(isolation: IsolationLevel): Promise<{ attempts: Attempts; arrived: string[] }> {
    const arrived: string[] = [];
    const tcp = createServer(() => arrived.push('TCP')).listen(0, '127.0.0.1');
    const socketPath = join(folder, `${isolation}.sock`);
    const local = createServer(() => arrived.push('a unix socket')).listen(socketPath);
    const udp = createSocket('udp4', () => arrived.push('UDP')).bind(0, '127.0.0.1');
    await Promise.all([once(tcp, 'listening'), once(local, 'listening'), once(udp, 'listening')]);
    await chmod(socketPath, 0o777);
    const other = await openMedia({ isolation, processes: 1 });
    await other.reader.isolation();
    const childScript = await attackerChild(folder, process.pid, {
      secretFile: join(folder, 'data/secret-key'),
      otherPicture: join(folder, 'other-picture'),
      otherReader: other.reader.processes[0]?.pid ?? 0,
      folder,
      tcpPort: (tcp.address() as { port: number }).port,
      udpPort: udp.address().port,
      socketPath,
      // There the service sees processes of the account, and ends them all: see the contract of hostile decoders.
      startsProcess: isolation !== 'user',
    });
    const { reader, close } = await openMedia({ isolation, childScript, childFiles: [childScript] });
    try {
      // Large, so that it is given as a file.
      const call = reader.inspect(
        bytesOf(await readFile(join(photos, 'hopper.gif')), Buffer.alloc(2 * 1024 ** 2)),
        plenty,
      );
      const { message } = await call.then(
        () => new Error('it answered as if it were the decoder'),
        (error: Error) => error,
      );
      return { attempts: JSON.parse(message.slice(message.indexOf('{'))), arrived };
    } finally {
      await Promise.all([close(), other.close()]);
      for (const server of [tcp, local, udp]) server.close();
      await rm(join(folder, 'planted'), { force: true });
    }
  }

  it('can read only its own picture in a sandbox', async () => {
    const { attempts, arrived } = await attacked('sandbox');
    expect(attempts).toEqual({
      'environment of the service': 'ENOENT',
      'memory of the service': 'ENOENT',
      'secret file': 'ENOENT',
      'another picture': 'ENOENT',
      'the folder of another reader': 'ENOENT',
      'a signal to another reader': 'ESRCH',
      'a file outside': 'EROFS',
      TCP: 'EPERM',
      UDP: 'EPERM',
      'a unix socket': 'EPERM',
      'a process of its own': 'EPERM',
      'a signal to the service': 'ESRCH',
      'the terminal of the service': 'ENOENT',
      'its own picture': 'done',
    });
    expect(arrived).toEqual([]);
    expect(await readdir(folder)).not.toContain('planted');
  });

  it('can do under another account what every account may do, but nothing with our files and processes', async () => {
    const { attempts } = await attacked('user');
    expect(attempts).toEqual({
      'environment of the service': 'EACCES',
      'memory of the service': 'EACCES',
      'secret file': 'EACCES',
      'another picture': 'EACCES',
      'the folder of another reader': 'EACCES',
      'a signal to another reader': 'EPERM',
      'a file outside': 'EACCES',
      TCP: 'done',
      UDP: 'done',
      'a unix socket': 'done',
      'a signal to the service': 'EPERM',
      'the terminal of the service': ownTerminal(),
      'its own picture': 'done',
    });
    expect(await readdir(folder)).not.toContain('planted');
  });

  it('can do under our own account what the service may do', async () => {
    const { attempts } = await attacked('process');
    const { 'the terminal of the service': terminal, ...others } = attempts;
    expect(new Set(Object.values(others))).toEqual(new Set(['done']));
    expect(terminal).toBe(ownTerminal());
  });
});

/** Debian's: it needs nothing outside /usr. */
const PYTHON = '/usr/bin/python3';

describe('the filter of system calls', () => {
  /** The errors with which this processor's kernel answers calls under the filter, all made by one Python process. */
  async function errorsOf(calls: readonly { number: number; second?: number }[]): Promise<number[]> {
    const script = `
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
for call in sys.argv[1:]:
    number, second = map(int, call.split(':'))
    ctypes.set_errno(0)
    # Arguments that no call can do harm with.
    libc.syscall(number, -1, second, 0, 0, 0, 0)
    print(ctypes.get_errno())
`;
    const libraries = ['/lib', '/lib64', '/usr', '/etc/ld.so.cache'].flatMap((path) => ['--ro-bind-try', path, path]);
    const args = [
      ...['--unshare-all', '--die-with-parent', ...libraries, '--dev', '/dev'],
      ...['--seccomp', '3', '--', PYTHON, '-c', script],
      ...calls.map(({ number, second = 0 }) => `${number}:${second}`),
    ];
    const child = spawn(program('bwrap', 'bubblewrap'), args, { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
    (child.stdio[3] as NodeJS.WritableStream).end(seccompFilter(process.arch as 'x64' | 'arm64'));
    const [answer] = await Promise.all([text(child.stdout as NodeJS.ReadableStream), once(child, 'exit')]);
    return answer.trim().split('\n').map(Number);
  }

  const EPERM = 1;
  const ENOSYS = 38;
  const column = process.arch === 'x64' ? 0 : 1;

  it('refuses each forbidden call', async () => {
    const rows = Object.entries(FORBIDDEN).flatMap(([name, numbers]) => {
      const number = numbers[column];
      return number === null ? [] : [{ name, number }];
    });
    const errors = await errorsOf(rows);
    const answered = rows.map(({ name }, at) => [name, errors[at]]);
    expect(answered).toEqual(rows.map(({ name }) => [name, EPERM]));
  });

  it('prevents input into a terminal', async () => {
    const number = process.arch === 'x64' ? 16 : 29;
    const [TCGETS, EBADF] = [0x5401, 9];
    const requests = [...Object.values(FORBIDDEN_REQUESTS), TCGETS];
    expect(await errorsOf(requests.map((second) => ({ number, second })))).toEqual([EPERM, EPERM, EBADF]);
  });

  it('has no clone3, and allows what is not forbidden', async () => {
    // close(-1) is EBADF.
    const [close, EBADF] = [process.arch === 'x64' ? 3 : 57, 9];
    expect(await errorsOf([{ number: 435 }, { number: close }])).toEqual([ENOSYS, EBADF]);
  });
});

describe('every level', () => {
  it('reads all pictures with the same results', async () => {
    const files = (await readdir(photos)).filter((name) => !name.endsWith('.json') && !name.endsWith('.md')).sort();
    const readers = await Promise.all(isolationLevels.map((isolation) => openMedia({ isolation, processes: 1 })));
    try {
      const [sandbox, user, own] = await Promise.all(
        readers.map(async ({ reader }, at) => {
          expect((await reader.isolation()).level).toBe(isolationLevels[at]);
          const inspections: unknown[] = [];
          for (const file of files) {
            inspections.push(await reader.inspect(bytesOf(await readFile(join(photos, file))), plenty));
          }
          return inspections;
        }),
      );
      expect(own).toHaveLength(files.length);
      expect(sandbox).toEqual(own);
      expect(user).toEqual(own);
    } finally {
      for (const { close } of readers) await close();
    }
  });
});

describe('in a sandbox', () => mediaProcessesContract('sandbox'));
