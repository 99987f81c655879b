import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext, runInThisContext } from 'node:vm';
import { LocalBlobStore } from '../../src/adapters/local-blobs/local-blob-store.js';
import { type BlobKey, storedKey } from '../../src/core/blobs/blob-key.js';
import type { BlobStore, OpenBlob } from '../../src/core/blobs/blob-store.js';
import { mounted, mountedDisk, unmount } from '../support/mounted.js';

const MIB = 1024 * 1024;
const LINUX = process.platform === 'linux';

let parent: string;
let root: string;
let store: LocalBlobStore;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'local-blobs-'));
  root = join(parent, 'data', 'blobs');
  store = await LocalBlobStore.open(root);
});
afterEach(() => rm(parent, { recursive: true }));

const key = (path: string): BlobKey => storedKey(path);
const fileOf = (path: string): string => join(root, path);
const temps = (): Promise<string[]> => readdir(join(root, 'tmp'));

describe('files and folders', () => {
  it('tells that another program has written to a file, even if it sets the time back', async () => {
    await store.put(key('originals/1/a'), of(Buffer.from('bytes')));
    const at = new Date('2026-01-01');
    await utimes(fileOf('originals/1/a'), at, at);
    const file = await store.file(key('originals/1/a'));
    const opened = await store.get(key('originals/1/a'));
    expect(opened?.state).toEqual(file?.state);
    expect(file?.state.changedAt.getTime()).toBeLessThanOrEqual(Date.now());
    let now = file;
    // Times of files advance in steps.
    while (now?.state.changedAt.getTime() === file?.state.changedAt.getTime()) {
      await writeFile(fileOf('originals/1/a'), 'BYTES');
      await utimes(fileOf('originals/1/a'), at, at);
      now = await store.file(key('originals/1/a'));
    }
    expect(now?.state.fingerprint).not.toBe(file?.state.fingerprint);
  });

  it('keeps a blob in the file of its name, and everything from other accounts', async () => {
    const { etag } = await store.put(key('originals/1/a'), of(Buffer.from('bytes')));
    await store.copy(key('originals/1/a'), key('originals/2/deep/er/b'), etag);
    expect(await readFile(fileOf('originals/1/a'), 'utf8')).toBe('bytes');
    const modes = new Map<string, string>();
    for (const path of [root, ...(await readdir(root, { recursive: true })).map(fileOf)]) {
      modes.set(relative(root, path), ((await stat(path)).mode & 0o777).toString(8));
    }
    expect(Object.fromEntries(modes)).toEqual({
      '': '700',
      tmp: '700',
      originals: '700',
      'originals/1': '700',
      'originals/1/a': '600',
      'originals/2': '700',
      'originals/2/deep': '700',
      'originals/2/deep/er': '700',
      'originals/2/deep/er/b': '600',
    });
  });

  it('writes to a private temporary file, which is gone when the source throws', async () => {
    const seen: { names: string[]; mode: number }[] = [];
    async function* broken(): AsyncIterable<Uint8Array> {
      yield randomBytes(MIB);
      const names = await temps();
      seen.push({ names, mode: (await stat(fileOf(`tmp/${names[0]}`))).mode & 0o777 });
      throw new Error('cut');
    }
    await expect(store.put(key('staging/1/a'), broken())).rejects.toThrow('cut');
    expect(seen).toEqual([{ names: [expect.any(String)], mode: 0o600 }]);
    expect(await temps()).toEqual([]);
    expect(await readdir(root)).toEqual(['tmp']);
  });

  it('copies by a second link to the same file, and leaves no third one, also when it is repeated', async () => {
    const { etag } = await store.put(key('staging/1/a'), of(Buffer.from('bytes')));
    for (let times = 0; times < 2; times += 1) {
      expect(await store.copy(key('staging/1/a'), key('originals/1/a'), etag)).toBe(true);
      const [from, to] = [await stat(fileOf('staging/1/a')), await stat(fileOf('originals/1/a'))];
      expect(to.ino).toBe(from.ino);
      expect(to.nlink).toBe(2);
    }
    expect(await store.copy(key('staging/1/a'), key('originals/1/b'), 'other')).toBe(false);
    expect(await temps()).toEqual([]);
  });

  it('removes the folders that a delete leaves empty, and no others', async () => {
    await store.put(key('staging/1/2/3/4'), of());
    await store.put(key('staging/1/5/6/7'), of());
    await store.delete([key('staging/1/2/3/4')]);
    expect((await readdir(root, { recursive: true })).sort()).toEqual(
      ['staging', 'staging/1', 'staging/1/5', 'staging/1/5/6', 'staging/1/5/6/7', 'tmp'].sort(),
    );
    await store.delete([key('staging/1/5/6/7')]);
    expect(await readdir(root)).toEqual(['tmp']);
  });

  it('works while another store on the same folders removes them all the time', async () => {
    const other = await LocalBlobStore.open(root);
    let putting = true;
    const comingAndGoing = async () => {
      while (putting) {
        await other.put(key('staging/1/2/3/other'), of());
        await other.delete([key('staging/1/2/3/other')]);
      }
    };
    const puttingMine = async () => {
      for (let n = 0; n < 150; n += 1) {
        await store.put(key('staging/1/2/3/mine'), of(Buffer.from(`${n}`)));
        expect(await text(await store.get(key('staging/1/2/3/mine')))).toBe(`${n}`);
        await store.delete([key('staging/1/2/3/mine')]);
      }
    };
    await Promise.all([
      comingAndGoing(),
      puttingMine().finally(() => {
        putting = false;
      }),
    ]);
    expect(await readdir(root)).toEqual(['tmp']);
    expect(await temps()).toEqual([]);
  });

  it('is opened a second time with all that is there', async () => {
    await store.put(key('originals/1/a'), of(Buffer.from('kept')));
    expect(await text(await (await LocalBlobStore.open(root)).get(key('originals/1/a')))).toBe('kept');
  });
});

describe('nothing outside the root', () => {
  it.each(['../outside', 'a/../../outside', '/outside', '..', 'tmp/x', 'a/./b', 'a\u0000b', '..\\outside'])(
    'refuses the key %j',
    async (hostile) => {
      await writeFile(join(parent, 'data', 'outside'), 'secret');
      const before = await readdir(parent, { recursive: true });
      const { etag } = await store.put(key('good'), of());
      await expect(store.put(key(hostile), of(Buffer.from('x')))).rejects.toThrow('Not a blob key');
      await expect(store.get(key(hostile))).rejects.toThrow('Not a blob key');
      await expect(store.head(key(hostile))).rejects.toThrow('Not a blob key');
      await expect(store.copy(key('good'), key(hostile), etag)).rejects.toThrow('Not a blob key');
      await expect(store.copy(key(hostile), key('good'), etag)).rejects.toThrow('Not a blob key');
      await expect(store.delete([key(hostile)])).rejects.toThrow('Not a blob key');
      await store.delete([key('good')]);
      expect(await readdir(parent, { recursive: true })).toEqual(before);
      expect(await readFile(join(parent, 'data', 'outside'), 'utf8')).toBe('secret');
    },
  );

  it('does not list its temporary files', async () => {
    await expect(keys(store, 'tmp/')).rejects.toThrow('Not a blob key');
  });

  it('takes a symbolic link for nothing', async () => {
    await writeFile(join(parent, 'secret'), 'secret');
    await store.put(key('originals/1/a'), of());
    await symlink(join(parent, 'secret'), fileOf('originals/1/link'));
    expect(await store.get(key('originals/1/link'))).toBeNull();
    expect(await store.head(key('originals/1/link'))).toBeNull();
    expect(await store.copy(key('originals/1/link'), key('originals/1/b'), 'any')).toBe(false);
    expect(await keys(store, 'originals/')).toEqual(['originals/1/a']);
    await store.put(key('originals/1/link'), of(Buffer.from('new')));
    expect(await readFile(join(parent, 'secret'), 'utf8')).toBe('secret');
    expect(await text(await store.get(key('originals/1/link')))).toBe('new');
  });

  it('does not list what others put there', async () => {
    await store.put(key('originals/1/a'), of());
    await writeFile(fileOf('originals/1/.DS_Store'), '');
    await mkdir(fileOf('originals/lost+found'));
    await writeFile(fileOf('originals/lost+found/x'), '');
    expect(await keys(store, 'originals/')).toEqual(['originals/1/a']);
  });
});

describe('reading', () => {
  it('throws when a file turns out shorter than it was', async () => {
    await store.put(key('originals/1/a'), of(randomBytes(2 * MIB)));
    const blob = await store.get(key('originals/1/a'));
    await truncate(fileOf('originals/1/a'), MIB);
    await expect(text(blob)).rejects.toThrow('before its recorded end');
  });

  it('closes its file however a reader ends', async () => {
    if (!LINUX) return leftOut('open files are counted', 'there is no /proc/self/fd');
    const { etag } = await store.put(key('a'), of(randomBytes(MIB)));
    const before = await openFiles();
    for (let times = 0; times < 20; times += 1) {
      await text(await store.get(key('a')));
      await text(await store.get(key('a'), { start: 5, end: 300_000 }));
      await (await store.get(key('a')))?.bytes[Symbol.asyncIterator]().return?.();
      for await (const _ of (await store.get(key('a')))?.bytes ?? []) break;
      await expect(store.get(key('a'), { start: 0, end: MIB })).rejects.toThrow(RangeError);
      expect(await store.get(key('absent'))).toBeNull();
      for await (const _ of store.list('b/')) break;
      await store.copy(key('a'), key('b/c'), 'other');
      await store.copy(key('a'), key('b/c'), etag);
      await store.delete([key('b/c')]);
      await expect(store.put(key('d'), failing())).rejects.toThrow('cut');
    }
    expect(await openFiles()).toBe(before);
  });

  it('closes the files of readers that were forgotten', async () => {
    if (!LINUX) return leftOut('forgotten files are counted', 'there is no /proc/self/fd');
    await store.put(key('a'), of(randomBytes(MIB)));
    const before = await openFiles();
    const warnings: string[] = [];
    const warn = (warning: Error) => warnings.push(warning.message);
    // The process itself; a test only gets a copy, which is told nothing.
    const real: NodeJS.Process = runInThisContext('process');
    real.on('warning', warn);
    for (let times = 0; times < 10; times += 1) expect((await store.get(key('a')))?.sizeBytes).toBe(MIB);
    expect(await openFiles()).toBeGreaterThan(before);
    setFlagsFromString('--expose-gc');
    while ((await openFiles()) > before) runInNewContext('gc')();
    real.off('warning', warn);
    // Node closes them too, but complains, and says that it will throw one day.
    expect(warnings.filter((text) => text.includes('garbage collection'))).toEqual([]);
  });

  it('holds little of a large blob in memory, coming and going', async () => {
    const size = 150 * MIB;
    let most = 0;
    const start = heldBytes();
    const watch = () => {
      most = Math.max(most, heldBytes() - start);
    };
    async function* large(): AsyncIterable<Uint8Array> {
      const chunk = randomBytes(64 * 1024);
      for (let sent = 0; sent < size; sent += chunk.length) {
        watch();
        yield chunk;
      }
    }
    expect((await store.put(key('large'), large())).sizeBytes).toBe(size);
    let got = 0;
    for await (const chunk of (await store.get(key('large')))?.bytes ?? []) {
      got += chunk.length;
      watch();
    }
    expect(got).toBe(size);
    // What was read waits for the garbage collector; half of the blob is far above what that lets grow.
    expect(most).toBeLessThan(size / 2);
  });
});

describe('when the store cannot serve', () => {
  const unavailable = (code: string) =>
    expect.objectContaining({
      code: 'service_unavailable',
      message: expect.stringMatching(/^[A-Z].*\.$/),
      cause: expect.objectContaining({ code }),
    });

  it('reports an outage, and no blob as absent, while its folder is missing, and continues when it is back', async () => {
    const { etag } = await store.put(key('originals/1/a'), of(Buffer.from('bytes')));
    await rename(root, `${root}-away`);
    const away = unavailable('ENOENT');
    await expect(store.put(key('originals/1/b'), of())).rejects.toEqual(away);
    await expect(store.get(key('originals/1/a'))).rejects.toEqual(away);
    await expect(store.head(key('originals/1/a'))).rejects.toEqual(away);
    await expect(store.copy(key('originals/1/a'), key('originals/1/b'), etag)).rejects.toEqual(away);
    await expect(store.delete([key('originals/1/a')])).rejects.toEqual(away);
    await expect(keys(store, 'originals/')).rejects.toEqual(away);
    expect(existsSync(root)).toBe(false);
    await rename(`${root}-away`, root);
    expect(await text(await store.get(key('originals/1/a')))).toBe('bytes');
    await store.put(key('originals/1/b'), of());
    expect((await keys(store, 'originals/')).sort()).toEqual(['originals/1/a', 'originals/1/b']);
  });

  it('reports an outage when a file is where a folder should be', async () => {
    await writeFile(fileOf('originals'), 'a stray file');
    await expect(store.put(key('originals/1/a'), of())).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await temps()).toEqual([]);
  });

  it('refuses to open where a file is in the way', async () => {
    await writeFile(join(parent, 'file'), '');
    await expect(LocalBlobStore.open(join(parent, 'file', 'blobs'))).rejects.toEqual(unavailable('ENOTDIR'));
  });

  it('reports a full disk, leaves nothing, and continues when there is space', async () => {
    const small = join(parent, 'small');
    await mkdir(small);
    if (!(await mountedDisk(small, '2m'))) return leftOut('a full disk', 'mounting is not permitted');
    try {
      const full = await LocalBlobStore.open(join(small, 'blobs'));
      const old = await full.put(key('a'), of(randomBytes(MIB)));
      await expect(full.put(key('a'), of(randomBytes(512 * 1024), randomBytes(MIB)))).rejects.toEqual(
        unavailable('ENOSPC'),
      );
      expect(await full.head(key('a'))).toEqual(old);
      expect(await readdir(join(small, 'blobs', 'tmp'))).toEqual([]);
      await full.delete([key('a')]);
      expect((await full.put(key('b'), of(randomBytes(MIB)))).sizeBytes).toBe(MIB);
    } finally {
      await unmount(small);
    }
  });

  it('reports a disk that is read-only, and continues to read', async () => {
    const disk = join(parent, 'disk');
    await mkdir(disk);
    if (!(await mountedDisk(disk, '2m'))) return leftOut('a read-only disk', 'mounting is not permitted');
    try {
      const frozen = await LocalBlobStore.open(disk);
      const { etag } = await frozen.put(key('a'), of(Buffer.from('bytes')));
      await mounted('-o', 'remount,ro', disk);
      await expect(frozen.put(key('b'), of())).rejects.toEqual(unavailable('EROFS'));
      await expect(frozen.copy(key('a'), key('b'), etag)).rejects.toEqual(unavailable('EROFS'));
      await expect(frozen.delete([key('a')])).rejects.toEqual(unavailable('EROFS'));
      expect(await text(await frozen.get(key('a')))).toBe('bytes');
    } finally {
      await unmount(disk);
    }
  });

  it('copies the bytes where links cannot be made', async () => {
    const { etag } = await store.put(key('staging/1/a'), of(Buffer.from('bytes')));
    // No links across mounts, not even of one file system.
    if (!(await mounted('--bind', fileOf('staging'), fileOf('staging')))) {
      return leftOut('copying without links', 'mounting is not permitted');
    }
    try {
      expect(await store.copy(key('staging/1/a'), key('originals/1/b'), 'other')).toBe(false);
      expect(await store.head(key('originals/1/b'))).toBeNull();
      expect(await store.copy(key('staging/1/a'), key('originals/1/b'), etag)).toBe(true);
      expect(await text(await store.get(key('originals/1/b')))).toBe('bytes');
      expect((await stat(fileOf('originals/1/b'))).nlink).toBe(1);
      expect(await store.copy(key('staging/1/never'), key('originals/1/c'), etag)).toBe(false);
      expect(await temps()).toEqual([]);
    } finally {
      await unmount(fileOf('staging'));
    }
  });
});

describe('temporary files that were left', () => {
  /** The name of a temporary file that this process is writing, in its parts. */
  async function nameInUse(): Promise<{ scope: string; pid: string; start: string; random: string }> {
    let name = '';
    async function* looking(): AsyncIterable<Uint8Array> {
      name = (await temps())[0] ?? '';
      yield Buffer.from('x');
    }
    await store.put(key('a'), looking());
    const [scope = '', pid = '', start = '', random = ''] = name.split('-');
    expect(pid).toBe(`${process.pid}`);
    return { scope, pid, start, random };
  }

  it('are removed at the next opening when their process is dead or has not written for a day', async () => {
    const mine = await nameInUse();
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    const fresh = {
      dead: `${mine.scope}-${child.pid}-${mine.start}-${mine.random}`,
      live: `${mine.scope}-${mine.pid}-${mine.start}-${mine.random}`,
      liveParent: `${mine.scope}-${process.ppid}-${await startOf(process.ppid)}-${mine.random}`,
      elsewhere: `${'0'.repeat(12)}-${child.pid}-${mine.start}-${mine.random}`,
      stranger: 'notes.txt',
    };
    const old = {
      elsewhere: `${'1'.repeat(12)}-${mine.pid}-${mine.start}-${mine.random}`,
      stranger: 'old-notes.txt',
    };
    for (const name of [...Object.values(fresh), ...Object.values(old)]) await writeFile(fileOf(`tmp/${name}`), 'half');
    const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
    for (const name of Object.values(old)) await utimes(fileOf(`tmp/${name}`), yesterday, yesterday);
    await LocalBlobStore.open(root);
    expect((await temps()).sort()).toEqual(
      [fresh.live, fresh.liveParent, fresh.elsewhere, fresh.stranger, old.stranger].sort(),
    );
  });

  it('are removed when a later process has the number of the one that made them', async () => {
    if (!LINUX)
      return leftOut('a process number that came back', 'processes of one number are told apart on Linux only');
    const mine = await nameInUse();
    await writeFile(fileOf(`tmp/${mine.scope}-${mine.pid}-${Number(mine.start) - 1}-${mine.random}`), 'half');
    await LocalBlobStore.open(root);
    expect(await temps()).toEqual([]);
  });

  it('are left alone while another opening goes on and the file is still written', async () => {
    async function* interrupted(): AsyncIterable<Uint8Array> {
      yield Buffer.from('first ');
      await LocalBlobStore.open(root);
      yield Buffer.from('second');
    }
    await store.put(key('a'), interrupted());
    expect(await text(await store.get(key('a')))).toBe('first second');
  });
});

async function* of(...chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* chunks;
}

async function* failing(): AsyncIterable<Uint8Array> {
  yield Buffer.from('half');
  throw new Error('cut');
}

async function text(blob: OpenBlob | null): Promise<string> {
  if (blob === null) throw new Error('the blob is absent');
  const chunks: Uint8Array[] = [];
  for await (const chunk of blob.bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function keys(from: BlobStore, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const blob of from.list(prefix)) found.push(blob.key);
  return found;
}

async function openFiles(): Promise<number> {
  return (await readdir('/proc/self/fd')).length;
}

function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function startOf(pid: number): Promise<string> {
  if (!LINUX) return '0';
  const line = await readFile(`/proc/${pid}/stat`, 'utf8');
  return line.slice(line.lastIndexOf(')')).split(' ')[20] ?? '';
}

function leftOut(what: string, why: string): void {
  console.warn(`LEFT OUT: ${what} (local blobs): ${why}`);
}
