import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { getPriority, hostname, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import type { ChildProcessMediaReader } from '../../src/adapters/media/child-process-media-reader.js';
import { type IsolationLevel, MAX_RENDITIONS_AT_ONCE } from '../../src/core/media/media-reader.js';
import { within } from '../../src/core/media/transformation.js';
import { builtProgram } from '../support/built-program.js';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';
import { until } from '../support/until.js';

const photo = (file: string) => readFile(join(__dirname, '../fixtures/photos', file));
const plenty = { customerId: 1, maxPixels: 210_000_000 };
async function inspected(reader: ChildProcessMediaReader, file = 'hopper.gif'): Promise<string> {
  return (await reader.inspect(bytesOf(await photo(file)), plenty)).outcome;
}

function pidOf(reader: ChildProcessMediaReader): number {
  const [process] = reader.processes;
  if (process === undefined) throw new Error('no process');
  return process.pid;
}

/** sched(7). */
const SCHED_IDLE = 5;
/** Field 41 of /proc/PID/stat, proc_pid_stat(5); the name, its second field, is in parentheses. */
async function policyOf(thread: string): Promise<number> {
  const stat = await readFile(`/proc/${thread}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38]);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Continues a process that was stopped; one that SIGKILL ended meanwhile needs no more. */
function letRun(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Everything under a folder, for what is not there to be missed. */
async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/**
 * What holds of the processes that read pictures, at a level of isolation: what happens to the reader when they die, hang and grow, and
 * what it leaves on disk.
 */
export function mediaProcessesContract(level: IsolationLevel): void {
  const opened: OpenMedia[] = [];

  async function open(options: Parameters<typeof openMedia>[0] = {}): Promise<OpenMedia> {
    const media = await openMedia({ processes: 1, isolation: level, ...options });
    opened.push(media);
    return media;
  }
  afterEach(async () => {
    for (const media of opened.splice(0)) await media.close();
  });

  describe('a child process', () => {
    it('is started when first needed, used again, and gone after close', async () => {
      const { reader, close } = await open();
      expect(reader.processes).toEqual([]);
      await inspected(reader);
      const pid = pidOf(reader);
      await inspected(reader);
      expect(reader.processes).toEqual([{ pid, busy: false }]);
      await close();
      expect([reader.processes.length, isAlive(pid)]).toEqual([0, false]);
    });

    it('is ended when it has been idle, and another is started for the next picture', async () => {
      const { reader } = await open({ idleMs: 100 });
      await inspected(reader);
      const pid = pidOf(reader);
      await until(() => !isAlive(pid));
      expect(reader.processes).toEqual([]);
      expect(await inspected(reader)).toBe('picture');
    });

    it.each([
      ['idle', SCHED_IDLE],
      ['low', 10],
    ] as const)('gets the processors after the service: every thread has priority %s', async (priority, expected) => {
      const { reader } = await open({ priority });
      await inspected(reader);
      const threads = await readdir(`/proc/${pidOf(reader)}/task`);
      const told = threads.map((thread) => (priority === 'idle' ? policyOf(thread) : getPriority(Number(thread))));
      expect(new Set(await Promise.all(told))).toEqual(new Set([expected]));
    });

    it('has no session of its own: each would get as much of the processors as the service', async () => {
      const { reader } = await open();
      await inspected(reader);
      const pid = pidOf(reader);
      // Fields 3 to 6 of proc(5)'s stat: state, parent, group, session. The name before them is in parentheses.
      const session = async (id: number | 'self') =>
        (await readFile(`/proc/${id}/stat`, 'utf8')).split(') ')[1]?.split(' ')[3];
      expect(await session(pid)).toBe(await session('self'));
    });

    it.each(['SIGKILL', 'SIGSEGV', 'SIGABRT'] as const)(
      'that %s ends in the middle of its job fails that call, and is replaced',
      async (signal) => {
        const { reader, scratchDir } = await open();
        await inspected(reader);
        const pid = pidOf(reader);
        // Stopped, it cannot finish before it is killed.
        process.kill(pid, 'SIGSTOP');
        const call = inspected(reader).catch((error: Error) => error.message);
        await until(() => reader.processes.some(({ busy }) => busy));
        process.kill(pid, signal);
        letRun(pid);
        expect(await call).toMatch(`The media process ended (${signal})`);
        expect(await inspected(reader)).toBe('picture');
        expect(pidOf(reader)).not.toBe(pid);
        expect(await filesUnder(scratchDir)).toEqual([]);
      },
    );

    it('ignores signals that a terminal sends to the whole group, and leaves them to us', async () => {
      const { reader } = await open();
      await inspected(reader);
      const pid = pidOf(reader);
      process.kill(pid, 'SIGINT');
      process.kill(pid, 'SIGTERM');
      expect(await inspected(reader)).toBe('picture');
      expect(pidOf(reader)).toBe(pid);
    });

    it('that died while it was idle is replaced without an error', async () => {
      const { reader } = await open();
      await inspected(reader);
      const pid = pidOf(reader);
      process.kill(pid, 'SIGKILL');
      await until(() => !isAlive(pid));
      expect(await inspected(reader)).toBe('picture');
    });

    it('that hangs is ended after its time, and replaced', async () => {
      const { reader } = await open({ timeoutMs: 2000 });
      await inspected(reader);
      const pid = pidOf(reader);
      process.kill(pid, 'SIGSTOP');
      await expect(inspected(reader)).rejects.toThrow('it took more than 2 seconds');
      expect(isAlive(pid)).toBe(false);
      expect(await inspected(reader)).toBe('picture');
    });

    it('that takes too much memory is ended, and replaced', async () => {
      const { reader, scratchDir } = await open({ maxMemoryBytes: 200 * 1024 ** 2 });
      // A progressive JPEG is decoded as a whole: some 3 bytes for each pixel.
      const create = { width: 9000, height: 9000, channels: 3 as const, background: '#336699' };
      const large = await sharp({ create }).jpeg({ progressive: true }).toBuffer();
      await expect(reader.inspect(bytesOf(large), plenty)).rejects.toThrow('it used more than 200 MiB of memory');
      expect(await inspected(reader)).toBe('picture');
      expect(await filesUnder(scratchDir)).toEqual([]);
    });

    it('that cannot be started fails the call with what it said', async () => {
      const { reader } = await open({ childScript: join(__dirname, 'no-such-script.js') });
      await expect(inspected(reader)).rejects.toThrow(/can be started.*no-such-script/s);
    });

    it('sees none of our environment', async () => {
      process.env['SECRET_KEY'] = 'a secret of the service';
      try {
        const { reader } = await open();
        await inspected(reader);
        const environment = await readFile(`/proc/${pidOf(reader)}/environ`, 'utf8');
        const names = environment
          .split('\0')
          .filter((line) => line !== '')
          .map((line) => line.split('=')[0]);
        const allowed = ['MALLOC_ARENA_MAX', 'PATH', 'PWD', 'TMPDIR', 'TZ', 'UV_THREADPOOL_SIZE'];
        expect(names.filter((name) => !allowed.includes(name ?? '') && !name?.startsWith('VIPS_'))).toEqual([]);
      } finally {
        delete process.env['SECRET_KEY'];
      }
    });
  });

  describe('many calls of the media reader', () => {
    it('wait for one of the processes, of which there are never more than allowed', async () => {
      const { reader } = await open({ processes: 2 });
      const counts: number[] = [];
      const calls = Array.from({ length: 12 }, async () => {
        const outcome = await inspected(reader);
        counts.push(reader.processes.length);
        return outcome;
      });
      expect(await Promise.all(calls)).toEqual(Array(12).fill('picture'));
      expect(Math.max(...counts)).toBe(2);
    });

    it('of several customers take turns: one who asks last need not wait for all of another', async () => {
      const { reader } = await open({ processes: 1 });
      // A picture that takes long: the process of the other customer is started meanwhile.
      const file = await photo('el-torcal-rocks.jpg');
      const order = { ...within(2000, 'avif'), rotation: 0 } as const;
      const ended: string[] = [];
      const render = async (customerId: number) => {
        await reader.render(bytesOf(file), { ...order, customerId });
        ended.push(String(customerId));
      };
      await Promise.all([...Array.from({ length: 12 }, () => render(1)), render(2)]);
      expect(ended.indexOf('2')).toBeLessThan(6);
    });

    it('for renditions of one customer are refused above their number; others are not', async () => {
      const { reader } = await open();
      const file = await photo('hopper.gif');
      const order = { ...within(100, 'jpeg'), rotation: 0 } as const;
      const render = (customerId: number) =>
        reader.render(bytesOf(file), { ...order, customerId }).then(
          () => 'rendered',
          ({ code }: { code: string }) => code,
        );
      const own = Array.from({ length: MAX_RENDITIONS_AT_ONCE + 2 }, () => render(1));
      const others = render(2);
      expect((await Promise.all(own)).slice(MAX_RENDITIONS_AT_ONCE)).toEqual(Array(2).fill('service_unavailable'));
      expect(await others).toBe('rendered');
      expect(await render(1)).toBe('rendered');
    });

    it('continue when one of them loses its process', async () => {
      const { reader } = await open();
      await inspected(reader);
      const pid = pidOf(reader);
      process.kill(pid, 'SIGSTOP');
      const calls = [inspected(reader), inspected(reader), inspected(reader)].map((call) => call.catch(() => 'failed'));
      await until(() => reader.processes.some(({ busy }) => busy));
      process.kill(pid, 'SIGKILL');
      expect((await Promise.all(calls)).sort()).toEqual(['failed', 'picture', 'picture']);
    });

    it('end with an error when the reader is closed under them, and so do later ones', async () => {
      const { reader, scratchDir } = await open();
      await inspected(reader);
      process.kill(pidOf(reader), 'SIGSTOP');
      const calls = [inspected(reader), inspected(reader)].map((call) => call.catch((error: Error) => error.message));
      await until(() => reader.processes.some(({ busy }) => busy));
      await reader.close();
      for (const message of await Promise.all(calls)) expect(message).toMatch(/was stopped|is closed/);
      await expect(inspected(reader)).rejects.toThrow('The media reader is closed.');
      expect(await readdir(scratchDir)).toEqual([]);
    });
  });

  describe('the scratch folder', () => {
    it('belongs to the service alone, and contains a large picture only during its inspection', async () => {
      const { reader, scratchDir } = await open();
      await inspected(reader);
      process.kill(pidOf(reader), 'SIGSTOP');
      const large = Buffer.concat([await photo('rating-xmp.jpg'), Buffer.alloc(2 * 1024 ** 2)]);
      const call = reader.inspect(bytesOf(large), plenty);
      await until(async () => (await filesUnder(scratchDir)).length > 0 && reader.processes.some(({ busy }) => busy));
      for (const entry of await readdir(scratchDir, { recursive: true })) {
        expect((await stat(join(scratchDir, entry))).mode & 0o077).toBe(0);
      }
      expect((await stat(scratchDir)).mode & 0o777).toBe(0o700);
      process.kill(pidOf(reader), 'SIGCONT');
      expect((await call).outcome).toBe('picture');
      expect(await filesUnder(scratchDir)).toEqual([]);
    });

    it('never contains a small picture, which is sent to its process', async () => {
      const { reader, scratchDir } = await open();
      await inspected(reader);
      process.kill(pidOf(reader), 'SIGSTOP');
      const call = inspected(reader, 'rating-xmp.jpg');
      await until(() => reader.processes.some(({ busy }) => busy));
      expect(await filesUnder(scratchDir)).toEqual([]);
      process.kill(pidOf(reader), 'SIGCONT');
      expect(await call).toBe('picture');
    });

    it('that cannot be written to ends the source of a large picture', async () => {
      const { reader, scratchDir } = await open();
      await inspected(reader);
      for (const entry of await readdir(scratchDir)) await rm(join(scratchDir, entry), { recursive: true });
      let isEnded = false;
      async function* source() {
        try {
          for (;;) yield Buffer.alloc(2 ** 20);
        } finally {
          isEnded = true;
        }
      }
      await expect(reader.inspect(source(), plenty)).rejects.toThrow();
      expect(isEnded).toBe(true);
    });

    it('may be named by a relative path', async () => {
      const scratchDir = await mkdtemp(join(tmpdir(), 'phs-scratch-'));
      const { reader } = await open({ scratchDir: relative(process.cwd(), scratchDir) });
      expect(await inspected(reader)).toBe('picture');
      expect((await reader.isolation()).level).toBe(level);
      await reader.close();
      await rm(scratchDir, { recursive: true, force: true });
    });

    it('loses the remains of dead processes, and keeps what may be in use', async () => {
      const scratchDir = await mkdtemp(join(tmpdir(), 'phs-scratch-'));
      const here = hostname().replace(/[^A-Za-z0-9-]/g, '-');
      // A process that has ended and was waited for: its id is free.
      const ended = spawn(process.execPath, ['--version']);
      await once(ended, 'exit');
      const started = Math.round(performance.timeOrigin);
      const folders = {
        'of a dead process': `media.${here}.${ended.pid}.${started}.aaaaaa`,
        'of an earlier process with our id': `media.${here}.${process.pid}.${started - 5000}.aaaaaa`,
        'of ourselves': `media.${here}.${process.pid}.${started}.aaaaaa`,
        'of a living process': `media.${here}.${process.ppid}.${started}.aaaaaa`,
        'of another machine, lately': `media.${here}-2.${ended.pid}.${started}.aaaaaa`,
        'of another machine, long ago': `media.${here}-2.${ended.pid}.${started}.bbbbbb`,
        'of something else': 'upload-17',
      };
      for (const name of Object.values(folders)) {
        await mkdir(join(scratchDir, name));
        await writeFile(join(scratchDir, name, 'picture-1'), 'x');
      }
      const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 60 * 60;
      await utimes(join(scratchDir, folders['of another machine, long ago']), twoDaysAgo, twoDaysAgo);
      const { reader, close } = await open({ scratchDir });
      await inspected(reader);
      await reader.close();
      const left = await readdir(scratchDir);
      const kept = Object.entries(folders)
        .filter(([, name]) => left.includes(name))
        .map(([of]) => of);
      expect(kept).toEqual(['of ourselves', 'of a living process', 'of another machine, lately', 'of something else']);
      await rm(scratchDir, { recursive: true, force: true });
      await close();
    });
  });

  describe('the program that uses the media reader', () => {
    const picture = join(__dirname, '../fixtures/photos/hopper.gif');

    /** Plain node running the compiled reader: `reader` looks at `picture`, then `rest` runs. */
    async function run(
      rest: string,
    ): Promise<{ program: ChildProcess; lines: AsyncIterator<string>; scratchDir: string }> {
      const scratchDir = await mkdtemp(join(tmpdir(), 'phs-program-'));
      const built = await builtProgram();
      const module = join(built, 'adapters/media/child-process-media-reader.js');
      const options = { processes: 1, isolation: level, childScript: join(built, 'program/media-child.js') };
      const source = `
      import { createReadStream } from 'node:fs';
      import { ChildProcessMediaReader } from ${JSON.stringify(pathToFileURL(module).href)};
      const reader = new ChildProcessMediaReader({ scratchDir: process.argv[1], ...${JSON.stringify(options)} });
      const inspection = reader.inspect(createReadStream(process.argv[2]), { customerId: 1, maxPixels: 1e6 });
      ${rest}`;
      const program = spawn(process.execPath, ['--input-type=module', '-e', source, scratchDir, picture], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      return { program, lines: createInterface({ input: program.stdout })[Symbol.asyncIterator](), scratchDir };
    }

    async function next(lines: AsyncIterator<string>): Promise<string> {
      return (await lines.next()).value;
    }

    it('ends by itself when it is done, because an idle reader keeps nothing running', async () => {
      const { program, lines, scratchDir } = await run('console.log((await inspection).outcome);');
      const ended = once(program, 'exit');
      expect(await next(lines)).toBe('picture');
      expect(await ended).toEqual([0, null]);
      await rm(scratchDir, { recursive: true, force: true });
    });

    it('survives a lack of file descriptors, during which no picture can be read', async () => {
      const { lines, scratchDir } = await run(`
        import { closeSync, openSync, readdirSync } from 'node:fs';
        const again = () => reader.inspect(createReadStream(process.argv[2]), { customerId: 1, maxPixels: 1e6 });
        await inspection;
        const open = () => readdirSync('/proc/self/fd').length;
        const before = open();
        process.kill(reader.processes[0].pid, 'SIGKILL');
        // Until its pipes are closed.
        while (open() > before - 2) await new Promise(setImmediate);
        const held = [];
        try { for (;;) held.push(openSync('/dev/null', 'r')); } catch {}
        // Enough for files, and not for the pipes of a process.
        for (const fd of held.splice(0, 4)) closeSync(fd);
        console.log(await again().then(() => 'read', ({ code }) => code));
        for (const fd of held) closeSync(fd);
        console.log((await again()).outcome);
        await reader.close();`);
      expect(await next(lines)).toBe('service_unavailable');
      expect(await next(lines)).toBe('picture');
      await rm(scratchDir, { recursive: true, force: true });
    });

    it.each([
      [
        'when its child is idle',
        'await inspection; console.log(reader.processes[0].pid); setInterval(() => {}, 1000);',
      ],
      [
        'while its child starts',
        'while (!reader.processes[0]) await new Promise(setImmediate); console.log(reader.processes[0].pid);',
      ],
    ])('may be killed %s: the child ends too, and its remains are swept', async (_, rest) => {
      const { program, lines, scratchDir } = await run(rest);
      const pid = Number(await next(lines));
      const ended = once(program, 'exit');
      program.kill('SIGKILL');
      await ended;
      await until(() => !isAlive(pid));
      expect(await readdir(scratchDir)).toHaveLength(1);
      const { reader } = await open({ scratchDir });
      await inspected(reader);
      await reader.close();
      expect(await readdir(scratchDir)).toEqual([]);
      await rm(scratchDir, { recursive: true, force: true });
    });

    it('may be killed while its child is busy: the child ends when it notices', async () => {
      const { program, lines, scratchDir } = await run(
        'await inspection; console.log(reader.processes[0].pid); setInterval(() => {}, 1000);',
      );
      const pid = Number(await next(lines));
      // Stopped, it hears nothing of its parent's end until it goes on.
      process.kill(pid, 'SIGSTOP');
      const ended = once(program, 'exit');
      program.kill('SIGKILL');
      await ended;
      // A sandbox is ended by the kernel, whatever it does.
      if (level !== 'sandbox') {
        expect(isAlive(pid)).toBe(true);
        letRun(pid);
      }
      await until(() => !isAlive(pid));
      await rm(scratchDir, { recursive: true, force: true });
    });
  });
}
