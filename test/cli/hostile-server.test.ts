import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import type { Photo } from 'photo-service-sdk';
import { clientCommands } from '../../cli/src/commands.js';
import { explain } from '../../cli/src/explain.js';
import { fetchThumbs } from '../../cli/src/export/export-library.js';
import { tell } from '../../cli/src/print.js';
import { STATE_NAME } from '../../cli/src/sync/synced-files.js';
import { HostileServer, page, photoCalled, sendBytes } from '../support/hostile-server.js';

const content = 'the bytes of a photo';

let server: HostileServer;
/** Holds everything; what is not below `to` must stay as it is. */
let world: string;
let to: string;
beforeEach(async () => {
  server = await HostileServer.open();
  world = mkdtempSync(join(tmpdir(), 'phs-hostile-'));
  to = join(world, 'photos');
  mkdirSync(to);
  writeFileSync(join(world, 'outside'), 'untouched');
  Object.assign(process.env, { PHOTO_SERVICE_URL: server.url, PHOTO_SERVICE_TOKEN: 'phs_live_x' });
});
afterEach(async () => {
  await server.close();
  rmSync(world, { recursive: true, force: true });
});

/** Runs a command line in this process; its exit code and what it says of a failure. */
async function phs(...args: string[]): Promise<{ code: number; message: string | null }> {
  const program = new Command('phs');
  for (const command of clientCommands()) program.addCommand(command);
  for (const command of withSubcommands(program)) command.exitOverride();
  try {
    await program.parseAsync([...args, '--quiet'], { from: 'user' });
    return { code: 0, message: null };
  } catch (error) {
    const known = explain(error);
    if (known === null) throw error;
    return { code: known.exitCode, message: known.message };
  }
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap((each) => withSubcommands(each as Command))];
}

/** A library with these photos, all of the same bytes. */
function library(...photos: readonly Record<string, unknown>[]): void {
  server.say = (path, _request, response) => {
    if (path.includes('/download')) return sendBytes(response, content);
    return page(photos);
  };
}

function expectUntouched(): void {
  expect(readdirSync(world).sort()).toEqual(['outside', 'photos']);
  expect(readFileSync(join(world, 'outside'), 'utf8')).toBe('untouched');
}

const files = () =>
  readdirSync(to)
    .filter((name) => name !== STATE_NAME)
    .sort();

describe.each([
  ['download', () => phs('download', '--all', '--to', to)],
  ['sync', () => phs('sync', to)],
] as const)('A28: phs %s', (_, run) => {
  it.each([
    ['folders', '../../outside', '__.._outside'],
    ['an absolute path', '/etc/passwd', '_etc_passwd'],
    ['folders of Windows', '..\\..\\outside', '__.._outside'],
    ['control characters', 'a\u0000b\u001b[31m\r\n.jpg', 'a_b_[31m__.jpg'],
    ['characters that turn the text round', 'a\u202egpj.exe', 'a_gpj.exe'],
    ['a device of Windows', 'CON.jpg', '_CON.jpg'],
    ['a stream of NTFS', 'a.jpg:hidden', 'a.jpg_hidden'],
    ['half a character', 'a\ud800.jpg', 'a_.jpg'],
    ['its own state', STATE_NAME, '_photo-service-sync.json'],
  ])('a name with %s stays in the folder', async (_what, filename, name) => {
    library(photoCalled(filename, content));
    expect(await run()).toEqual({ code: 0, message: null });
    expect(files()).toEqual([name]);
    expectUntouched();
  });

  it('a name of a million characters is cut in little time and to few bytes', async () => {
    library(photoCalled(`${'ß'.repeat(1_000_000)}.jpg`, content), photoCalled(' '.repeat(1_000_000), content, 8));
    expect(await run()).toEqual({ code: 0, message: null });
    expect(files().map((name) => Buffer.byteLength(name) <= 255)).toEqual([true, true]);
  });

  it('files whose names differ only in case, or are the same, are all kept', async () => {
    library(...['a.jpg', 'A.JPG', 'a.jpg'].map((name, at) => photoCalled(name, content, at + 1)));
    expect((await run()).code).toBe(0);
    expect(files()).toEqual(['A (2).JPG', 'a (3).jpg', 'a.jpg']);
  });

  it('a photo whose id is a path is refused, and nothing is written', async () => {
    library(photoCalled('a.jpg', content, 'x/../../../pwned'));
    expect(await run()).toEqual({ code: 4, message: expect.stringContaining('must be an id') });
    expect(files()).toEqual([]);
    expectUntouched();
  });

  it('links that were put in the folder are not followed', async () => {
    library(photoCalled('a.jpg', content));
    for (const name of ['a.jpg', 'a.jpg.part', 'a (7).jpg.part', `${STATE_NAME}.${process.pid}.tmp`]) {
      symlinkSync(join(world, 'outside'), join(to, name));
    }
    expect((await run()).code).toBe(0);
    expect(readFileSync(join(to, 'a (7).jpg'), 'utf8')).toBe(content);
    expectUntouched();
  });

  it('a pipe of the name of a photo is not read', async () => {
    library(photoCalled('a.jpg', content));
    expect(spawnSync('mkfifo', [join(to, 'a.jpg')]).status).toBe(0);
    expect((await run()).code).toBe(0);
    expect(files()).toEqual(['a (7).jpg', 'a.jpg']);
  });

  it('files that a killed run left a day ago are removed, and files of others are not', async () => {
    library(photoCalled('a.jpg', content));
    const [stale, young] = ['.photo-service-0123456789abcdef.part', '.photo-service-fedcba9876543210.part'];
    for (const name of [stale, young, 'mine.part']) writeFileSync(join(to, name), '');
    const longAgo = new Date(Date.now() - 3 * 86_400_000);
    for (const name of [stale, 'mine.part']) utimesSync(join(to, name), longAgo, longAgo);
    expect((await run()).code).toBe(0);
    expect(files()).toEqual([young, 'a.jpg', 'mine.part']);
  });
});

describe('A28: a state of sync that another program wrote', () => {
  const poisoned = (change: (state: Record<string, unknown>) => unknown) => {
    const state = { version: 1, service: server.url, since: null, completedAt: null, comparedAt: null };
    return JSON.stringify(change({ ...state, files: {}, pending: [] }));
  };
  const file = { name: 'a.jpg', sha256: 'a'.repeat(64), sizeBytes: 9, mtimeMs: 1 };

  it.each<[string, (state: Record<string, unknown>) => unknown]>([
    ['a file outside', (state) => ({ ...state, files: { 7: { ...file, name: '../outside' } } })],
    ['an absolute path', (state) => ({ ...state, files: { 7: { ...file, name: '/etc/passwd' } } })],
    ['the folder itself', (state) => ({ ...state, files: { 7: { ...file, name: '.' } } })],
    ['a file of no name', (state) => ({ ...state, files: { 7: { ...file, name: 7 } } })],
    ['an id that is none', (state) => ({ ...state, files: { '../7': file } })],
    ['files that are none', (state) => ({ ...state, files: [file] })],
    ['ids to try again that are none', (state) => ({ ...state, pending: ['7/../8'] })],
    ['a time that is none', (state) => ({ ...state, since: 'yesterday' })],
    ['nothing', () => null],
  ])('with %s is refused, and nothing is touched', async (_, change) => {
    library();
    writeFileSync(join(to, STATE_NAME), poisoned(change));
    expect(await phs('sync', to)).toEqual({
      code: 2,
      message: expect.stringContaining('not a state file of phs sync'),
    });
    expectUntouched();
    expect(server.paths).toEqual([]);
  });

  it('that is a link to elsewhere is refused, too', async () => {
    writeFileSync(
      join(to, 'elsewhere.json'),
      poisoned((state) => state),
    );
    symlinkSync(join(to, 'elsewhere.json'), join(to, STATE_NAME));
    expect((await phs('sync', to)).code).toBe(2);
  });

  it('that names a link as its own file neither removes nor renames it', async () => {
    library(photoCalled('b.jpg', content));
    symlinkSync(join(world, 'outside'), join(to, 'a.jpg'));
    const sizeBytes = 'untouched'.length;
    writeFileSync(
      join(to, STATE_NAME),
      poisoned((state) => ({ ...state, files: { 9: { ...file, sizeBytes } } })),
    );
    expect((await phs('sync', to)).code).toBe(0);
    expect(files()).toEqual(['a.jpg', 'b.jpg']);
    expectUntouched();
  });
});

describe('a folder that cannot be used ends with 2 and a message', () => {
  it.each(['/proc/x', '/proc/x/y', '/etc/passwd', '/etc/passwd/x', '/dev/null'])('%s', async (folder) => {
    library();
    const refused = { code: 2, message: expect.stringContaining(`${folder} cannot be used as a folder`) };
    expect(await phs('download', '--all', '--to', folder)).toEqual(refused);
    expect(await phs('sync', folder)).toEqual(refused);
  });

  it('is reported as a file, without messages of the system', async () => {
    const file = join(world, 'file');
    writeFileSync(file, '');
    for (const folder of [file, join(file, 'inside')]) {
      const message = `${folder} cannot be used as a folder: it is a file, or inside of one. Choose another one.`;
      expect(await phs('download', '--all', '--to', folder)).toEqual({ code: 2, message });
    }
  });

  it('ends phs import of a missing path with 2, before anything is sent', async () => {
    const missing = join(world, 'missing');
    expect(await phs('import', to, missing)).toEqual({ code: 2, message: `There is no file or folder ${missing}.` });
    expect(server.paths).toEqual([]);
  });
});

test('A28: a message of a server is shown without control characters of a terminal', async () => {
  const said = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  tell({ exitCode: 2, message: 'a\u001b]0;title\u0007\nb\u202ec', code: 'x' }, []);
  expect(said.mock.calls).toEqual([['phs: a\ufffd]0;title\ufffd\nb\ufffdc']]);
  said.mockRestore();
});

test('A28: the output of commands has no control characters of a terminal', async () => {
  const error = { code: 'x', message: 'a\u001b]0;title\u0007' };
  server.say = () => ({ data: [{ id: 7, outcome: 'error', photo: null, error }] });
  const printed = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  try {
    await phs('photos', 'edit', '7', '--title', 'x');
    await phs('photos', 'restore', '7');
    expect(printed.mock.calls).toEqual(Array(2).fill(['photo 7: a\ufffd]0;title\ufffd']));
  } finally {
    printed.mockRestore();
  }
});

test('A28: an export reads no more of a false thumbnail than a real one has', async () => {
  const mebibyte = Buffer.alloc(2 ** 20);
  const ended = new Promise<boolean>((resolve) => {
    server.say = (_path, _request, response) => {
      response.once('close', () => resolve(response.writableFinished));
      response.writeHead(200).flushHeaders();
      Readable.from(Array.from({ length: 64 }, () => mebibyte)).pipe(response);
    };
  });
  const photo = { id: 1, rotation: 0, urls: { thumb: `${server.url}/thumb` } } as Photo;
  expect(await fetchThumbs([photo], to, new AbortController().signal)).toEqual(new Set());
  expect([await ended, readdirSync(join(to, 'thumbs'))]).toEqual([false, []]);
});

test('an invalid rating is refused, because it would clear the rating', async () => {
  const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    for (const rating of ['good', '6', '4.5', '-1'])
      expect([rating, (await phs('photos', 'edit', '7', '--rating', rating)).code]).toEqual([rating, 2]);
    expect(server.paths).toEqual([]);
  } finally {
    said.mockRestore();
  }
});

test.each([
  ['-1h30m', -5400],
  ['+3600s', 3600],
  ['2d', 172_800],
  ['-1d2h3m4s', -93_784],
])('--shift %s is %d seconds', async (duration, seconds) => {
  const bodies: unknown[] = [];
  server.say = (_path, request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    void text(request).then((body) => {
      bodies.push(JSON.parse(body));
      response.end(JSON.stringify({ data: [{ id: 7, outcome: 'updated', photo: null, error: null }] }));
    });
  };
  expect(await phs('photos', 'edit', '7', '--shift', duration)).toEqual({ code: 0, message: null });
  expect(bodies).toEqual([{ shiftTakenAt: { seconds } }]);
});

test('a shift that is not a duration, or is given with another time, is refused', async () => {
  const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const shifts = ['', '-', '0s', '-0h', '90', '1.5h', '1h 30m', '30m1h', '−1h', '1w'].map((shift) => [
      '--shift',
      shift,
    ]);
    const beside = [
      ['--shift', '1h', '--time-zone', 'UTC'],
      ['--shift', '1h', '--taken-at', ''],
    ];
    for (const options of [...shifts, ...beside])
      expect([options, (await phs('photos', 'edit', '7', ...options)).code]).toEqual([options, 2]);
    expect(server.paths).toEqual([]);
  } finally {
    said.mockRestore();
  }
});

test('an edit of many photos that fails halfway names the photos that were not edited', async () => {
  const ids = Array.from({ length: 102 }, (_, at) => at + 1);
  server.say = (path, _request, response) => {
    if (!decodeURIComponent(path).endsWith('/101,102')) return { data: [] };
    const error = { code: 'scope_required', message: 'no', details: null, requestId: 'r', timestamp: 't' };
    return response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  };
  const printed = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  try {
    await phs('photos', 'edit', ids.join(), '--shift', '1h');
    expect(printed.mock.calls).toEqual([
      ['Before this error, the first 100 of 102 photos were done. The others:'],
      ['101,102'],
    ]);
  } finally {
    printed.mockRestore();
  }
});
