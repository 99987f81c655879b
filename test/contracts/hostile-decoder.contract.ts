import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MediaReaderOptions } from '../../src/adapters/media/child-process-media-reader.js';
import type { IsolationLevel } from '../../src/core/media/isolation.js';
import {
  hostileChild,
  PICTURE_ANSWER,
  processesWith,
  REFUSED,
  swapping,
  type Victim,
  victimIn,
} from '../support/hostile-child.js';
import { bytesOf, openMedia } from '../support/media.js';
import { until } from '../support/until.js';

/** docs/threat-model.md, A37 and A38: what a decoder that was taken over can do to the service, at a level of isolation. */
export function hostileDecoderContract(level: IsolationLevel): void {
  const plenty = { customerId: 1, maxPixels: 210_000_000 };
  let folder: string;
  let victim: Victim;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'phs-hostile-'));
    // Every account may read the script.
    await chmod(folder, 0o755);
    victim = await victimIn(folder);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function open(script: string, more: Partial<MediaReaderOptions> = {}) {
    const childScript = await hostileChild(folder, script);
    const options = { childScript, childFiles: [childScript], processes: 1, isolation: level, ...more };
    const media = await openMedia(options);
    expect((await media.reader.isolation()).level).toBe(level);
    return media;
  }
  const picture = () => readFile(join(__dirname, '../fixtures/photos/hopper.gif'));

  describe('a decoder that was taken over', () => {
    it('and swaps folders for links where the service removes what it left has no foreign file removed', async () => {
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
    ])('and answers %s fails at its picture, and the next one is read by another process', async (_, work) => {
      const { reader, close } = await open(
        `if (fs.readFileSync('picture').length > 3) { ${work}; } else answer(${REFUSED});`,
      );
      try {
        const failure = reader.inspect(bytesOf(await picture()), plenty);
        await expect(failure).rejects.toMatchObject({ name: 'ReaderFailure' });
        const next = await reader.inspect(bytesOf(Buffer.from('abc')), plenty);
        expect(next).toEqual({ outcome: 'refused', error: { code: 'decode_failed', message: 'Not read.' } });
      } finally {
        await close();
      }
    });

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
        await until(async () => !(await processesWith('hostile-child')).includes(pid ?? 0));
      } finally {
        await close();
      }
    });

    it('and starts processes of its own leaves none behind, where the level can tell them from others', async () => {
      const { reader, close } = await open(`
        const rest = 'setInterval(() => {}, 1000); // started from ' + ${JSON.stringify(folder)};
        attempt(() => spawn(process.execPath, ['-e', rest], { detached: true, stdio: 'ignore' }).on('error', () => undefined));
        await until(300);
        answer(${REFUSED});
      `);
      await reader.inspect(bytesOf(await picture()), plenty).catch(() => undefined);
      const started = () => processesWith(`// started from ${folder}`);
      expect(await started()).toHaveLength(level === 'sandbox' ? 0 : 1);
      await close();
      if (level === 'process') for (const pid of await started()) process.kill(pid, 'SIGKILL');
      await until(async () => (await started()).length === 0);
    });
  });
}
