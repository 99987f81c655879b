import { randomBytes } from 'node:crypto';
import { chmod, link, lstat, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { MediaReaderOptions } from '../../src/adapters/media/child-process-media-reader.js';
import type { IsolationLevel } from '../../src/core/media/media-reader.js';
import {
  hostileChild,
  isThere,
  PICTURE_ANSWER,
  processesWith,
  REFUSED,
  swapping,
  victimIn,
} from '../support/hostile-child.js';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';
import { until } from '../support/until.js';

/** docs/threat-model.md, A37 and A38: what a decoder that was taken over can do to the service, at a level of isolation. */
export function hostileDecoderContract(level: IsolationLevel): void {
  const plenty = { customerId: 1, maxPixels: 210_000_000 };
  let folder: string;
  beforeEach(async () => {
    folder = await newFolder();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function newFolder(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), 'phs-hostile-'));
    // Every account may read the script.
    await chmod(path, 0o755);
    return path;
  }

  async function open(script: string, more: Partial<MediaReaderOptions> = {}, inside = folder) {
    const childScript = await hostileChild(inside, script);
    const options = { childScript, childFiles: [childScript], processes: 1, isolation: level, ...more };
    const media = await openMedia(options);
    expect((await media.reader.isolation()).level).toBe(level);
    return media;
  }
  const picture = () => readFile(join(__dirname, '../fixtures/photos/hopper.gif'));

  /** Opened once for the cases of a suite, each of which ends its process: a decoder does what the case says whose name it is given as a picture. */
  function opened(works: readonly (readonly [name: string, work: string])[], more: Partial<MediaReaderOptions> = {}) {
    let own: string;
    let media: OpenMedia;
    beforeAll(async () => {
      own = await newFolder();
      const cases = works.map(([name, work]) => `case ${JSON.stringify(name)}: { ${work}; break; }`);
      media = await open(`switch (String(bytes)) { ${cases.join(' ')} default: answer(${REFUSED}); }`, more, own);
    });
    afterAll(async () => {
      await media.close();
      await rm(own, { recursive: true });
    });
    return () => media;
  }

  describe('a decoder that was taken over', () => {
    const answers = [
      [
        'a length of four gigabytes',
        `raw(Buffer.concat([Buffer.from('ffffffff00000000', 'hex'), Buffer.alloc(1 << 20, 65)]))`,
      ],
      ['too many bytes of a picture', 'raw(header(10, 2 ** 31))'],
      [
        'what ended the service on the channel of Node',
        `raw(Buffer.concat([Buffer.from('fffffff0', 'hex'), Buffer.alloc(1 << 20, 65)]))`,
      ],
      ['no JSON', `answer('{')`],
      ['JSON of the wrong kind', `answer('[null]')`],
      ['JSON of 100,000 levels', `answer('['.repeat(1e5) + ']'.repeat(1e5))`],
      ['a prototype', `answer('{"kind":"refused","__proto__":{"error":1}}')`],
      ['half an answer and its end', `channel.end(frame(${REFUSED}).subarray(0, 20))`],
      ['nothing and its end', 'channel.end()'],
      ['another answer after its answer', `raw(Buffer.concat([frame(${REFUSED}), frame(${REFUSED})]))`],
      ['a picture without bytes', `answer(${PICTURE_ANSWER})`],
      [
        'a rendition instead of an inspection',
        `answer({ kind: 'rendered', contentType: 'image/jpeg' }, Buffer.alloc(9))`,
      ],
      ['more than its standard error may hold', `for (;;) fs.writeSync(2, 'x'.repeat(1 << 16))`],
    ] as const;
    const media = opened(answers);
    it.each(answers)(
      'and answers %s fails at its picture, and the next one is read by another process',
      async (name) => {
        const { reader } = media();
        const failure = reader.inspect(bytesOf(Buffer.from(name)), plenty);
        await expect(failure).rejects.toMatchObject({ name: 'ReaderFailure' });
        const next = await reader.inspect(bytesOf(Buffer.from('abc')), plenty);
        expect(next).toEqual({ outcome: 'refused', error: { code: 'decode_failed', message: 'Not read.' } });
      },
    );
  });

  describe('a decoder that was taken over', () => {
    it('and swaps folders for links where the service cleans up has no foreign file removed', async () => {
      const victim = await victimIn(folder);
      const { reader, close } = await open(`
        ${swapping}
        const trees = ['picture', 'tmp/tree'];
        attempt(() => fs.unlinkSync('picture'));
        for (const tree of trees) attempt(() => plant(tree, 1500));
        answer(${REFUSED});
        const left = new Set(trees);
        for (const end = Date.now() + 1000; Date.now() < end; )
          for (const tree of left) if (attempt(() => swap(tree, 1500, ${JSON.stringify(victim.path)})) !== false) left.delete(tree);
      `);
      try {
        for (let turn = 0; turn < 3; turn += 1) {
          await reader.inspect(bytesOf(await picture()), plenty).catch(() => undefined);
        }
      } finally {
        await close();
      }
      expect(await victim.left()).toBe(victim.files);
    });

    it.each([
      ['small', 1000],
      ['large', 2 * 1024 ** 2],
    ])(
      'and changes what it was given of a %s picture changes neither the staged file nor the original',
      async (_, size) => {
        const [staged, original] = [join(folder, 'staged'), join(folder, 'original')];
        const photo = randomBytes(size);
        await writeFile(staged, photo);
        await link(staged, original);
        const { ino, mode, mtimeMs, nlink } = await stat(original);
        const before = { ino, mode, mtimeMs, nlink };
        const { reader, close } = await open(`
        const { ino } = attempt(() => fs.statSync('picture')) ?? { ino: null };
        bytes.fill(0);
        attempt(() => fs.chmodSync('picture', 0o777));
        attempt(() => fs.utimesSync('picture', 1, 1));
        attempt(() => fs.writeFileSync('picture', 'changed'));
        attempt(() => fs.truncateSync('picture', 1));
        attempt(() => fs.renameSync('picture', 'tmp/moved'));
        answer({ kind: 'failed', message: JSON.stringify({ path: job.path, sent: bytes.length, ino }) });
      `);
        try {
          const bytes = { file: async () => staged, [Symbol.asyncIterator]: () => bytesOf(photo) };
          const { message }: Error = await reader.inspect(bytes, plenty).then(
            () => new Error('read'),
            (error) => error,
          );
          const given = JSON.parse(message.slice(message.indexOf('{')));
          expect([given.path, given.sent]).toEqual(size === 1000 ? [null, size] : ['picture', 0]);
          expect(given.ino).not.toBe(before.ino);
        } finally {
          await close();
        }
        for (const file of [staged, original]) {
          expect((await readFile(file)).equals(photo)).toBe(true);
          const { ino, mode, mtimeMs, nlink } = await stat(file);
          expect({ ino, mode, mtimeMs, nlink }).toEqual(before);
        }
      },
    );

    it('and answers without end, as seven others do, has the service hold no more than their bounds', async () => {
      const { reader, close } = await open(
        `for (raw(header(250_000, 1_000_000)); ; await until(0)) raw(Buffer.alloc(1 << 20, 65));`,
        { processes: 8 },
      );
      const before = process.memoryUsage().arrayBuffers;
      let most = 0;
      const watch = setInterval(() => {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      }, 5);
      try {
        const calls = Array.from({ length: 16 }, async (_, customerId) =>
          reader.inspect(bytesOf(await picture()), { ...plenty, customerId }).catch(({ name }: Error) => name),
        );
        expect(await Promise.all(calls)).toEqual(Array(16).fill('ReaderFailure'));
      } finally {
        clearInterval(watch);
        await close();
      }
      expect(most).toBeLessThan(64 * 1024 ** 2);
    });

    it('and speaks after its answer is ended', async () => {
      const { reader, close } = await open(`answer(${REFUSED}); await until(100); answer(${REFUSED});`);
      try {
        await reader.inspect(bytesOf(await picture()), plenty);
        const [pid] = reader.processes.map((process) => process.pid);
        await until(() => !isThere(pid ?? 0));
      } finally {
        await close();
      }
    });

    describe('a decoder that, once it has answered,', () => {
      const MIB = 1024 ** 2;
      const limits = { maxMemoryBytes: 300 * MIB, maxTemporaryBytes: 48 * MIB };

      const works = [
        [
          'takes more memory than it may',
          'for (const held = []; ; await until(5)) held.push(Buffer.alloc(64 << 20, 1));',
        ],
        ['takes more memory than the kernel gives it', 'for (const held = []; ; ) held.push(Buffer.alloc(256 << 20));'],
        [
          'makes thousands of empty files',
          `for (let at = 0; ; at += 1) attempt(() => fs.writeFileSync('tmp/' + at, ''));`,
        ],
        [
          'makes folders',
          `for (let at = 0; ; at += 1) attempt(() => fs.mkdirSync('tmp/' + at)), at % 100 || (await until(1));`,
        ],
        [
          'starts threads without end',
          `const { Worker } = await import('node:worker_threads');
          for (;; await until(1)) new Worker('setInterval(() => {}, 1000)', { eval: true }).on('error', () => process.exit());`,
        ],
        ...(level === 'sandbox'
          ? []
          : [
              [
                'writes without end to files that it has deleted',
                `const block = Buffer.alloc(1 << 20, 1);
                for (let at = 0; ; at += 1) {
                  const file = fs.openSync('tmp/gone', 'w');
                  fs.unlinkSync('tmp/gone');
                  for (let part = 0; part < 40; part += 1) fs.writeSync(file, block);
                }`,
              ] as const,
            ]),
      ] as const;
      const FILL = [
        'fills the disk',
        `const block = Buffer.alloc(1 << 20, 1);
        for (let at = 0; ; at += 1)
          for (const name of ['fill', 'tmp/fill'])
            attempt(() => fs.writeFileSync(name + at, block));`,
      ] as const;
      const afterAnswer = [FILL, ...works].map(
        ([name, work]) => [name, `answer(${REFUSED}); await until(100); ${work}`] as const,
      );
      const media = opened(afterAnswer, limits);

      /** Answers a picture, then does this; resolves when its process has ended, long before it would for having nothing to do. */
      async function endedAfter(name: string, watch = async () => {}): Promise<void> {
        const { reader } = media();
        await reader.inspect(bytesOf(Buffer.from(name)), plenty);
        const [pid = 0] = reader.processes.map((process) => process.pid);
        await until(async () => {
          await watch();
          return !isThere(pid);
        });
      }

      it.each(works)('%s is ended', (name) => endedAfter(name));

      it('fills the disk is ended, and has filled no more than it may', async () => {
        const { scratchDir } = media();
        let most = 0;
        await endedAfter(FILL[0], async () => {
          const sizes = (await readdir(scratchDir, { recursive: true })).map((name) =>
            lstat(join(scratchDir, name)).then(
              ({ blocks }) => blocks * 512,
              () => 0,
            ),
          );
          const size = (await Promise.all(sizes)).reduce((sum, each) => sum + each, 0);
          most = Math.max(most, size);
        });
        // What is written between two looks, apart.
        expect(most).toBeLessThan(level === 'sandbox' ? MIB : 1024 * MIB);
      });
    });

    if (level === 'user') {
      it('and starts a process of its own is ended with it', async () => {
        const { reader, close } = await open(`
          const rest = 'setInterval(() => {}, 1000); // started from ' + ${JSON.stringify(folder)};
          spawn(process.execPath, ['-e', rest], { detached: true, stdio: 'ignore' });
        `);
        try {
          await expect(reader.inspect(bytesOf(await picture()), plenty)).rejects.toThrow('it started another process');
          await until(async () => (await processesWith(`// started from ${folder}`)).length === 0);
        } finally {
          await close();
        }
      });
    }

    it('and starts processes of its own leaves none behind, where the level can tell them from others', async () => {
      const { reader, close } = await open(`
        const rest = 'setInterval(() => {}, 1000); // started from ' + ${JSON.stringify(folder)};
        attempt(() => spawn(process.execPath, ['-e', rest], { detached: true, stdio: 'ignore' }).on('error', () => undefined));
        await until(300);
        answer(${REFUSED});
      `);
      await reader.inspect(bytesOf(await picture()), plenty).catch(() => undefined);
      const started = () => processesWith(`// started from ${folder}`);
      // Under an account of its own it is ended with it already, which another test shows.
      if (level !== 'user') expect(await started()).toHaveLength(level === 'sandbox' ? 0 : 1);
      await close();
      if (level === 'process') for (const pid of await started()) process.kill(pid, 'SIGKILL');
      await until(async () => (await started()).length === 0);
    });
  });

  it('a decoder reads a picture of nearly 200 MB, whatever the bound of temporary files is', async () => {
    const create = { width: 8000, height: 8000, channels: 3 as const, background: '#336699' };
    const large = await sharp({ create }).tiff({ compression: 'none' }).toBuffer();
    expect(large.length).toBeGreaterThan(190e6);
    const { reader, close } = await openMedia({ processes: 1, isolation: level, maxTemporaryBytes: 1024 ** 2 });
    try {
      expect(await reader.inspect(bytesOf(large), plenty)).toMatchObject({ outcome: 'picture' });
    } finally {
      await close();
    }
  });
}
