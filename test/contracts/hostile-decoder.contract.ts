import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MediaReaderOptions } from '../../src/adapters/media/child-process-media-reader.js';
import type { IsolationLevel } from '../../src/core/media/isolation.js';
import { hostileChild, processesWith, REFUSED, swapping, type Victim, victimIn } from '../support/hostile-child.js';
import { bytesOf, openMedia } from '../support/media.js';
import { until } from '../support/until.js';

/** docs/threat-model.md, A37 and A38: what a decoder that was taken over can do to the service, at a level of isolation. */
export function hostileDecoderContract(level: IsolationLevel): void {
  const plenty = { customerId: 1, maxPixels: 210_000_000 };
  let folder: string;
  let victim: Victim;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'phs-hostile-'));
    victim = await victimIn(folder);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function open(script: string, options: Partial<MediaReaderOptions> = {}) {
    const childScript = await hostileChild(folder, script);
    return openMedia({ childScript, childFiles: [childScript], processes: 1, isolation: level, ...options });
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

    it('and starts processes of its own leaves none behind, where the level can tell them from others', async () => {
      const { reader, close } = await open(`
        const rest = 'setInterval(() => {}, 1000); // ' + ${JSON.stringify(folder)};
        attempt(() => spawn(process.execPath, ['-e', rest], { detached: true, stdio: 'ignore' }).on('error', () => undefined));
        await until(300);
        answer(${REFUSED});
      `);
      await reader.inspect(bytesOf(await picture()), plenty).catch(() => undefined);
      await close();
      const left = async () => (await processesWith(folder)).length;
      if (level !== 'process') return until(async () => (await left()) === 0);
      expect(await left()).toBe(1);
      for (const pid of await processesWith(folder)) process.kill(pid, 'SIGKILL');
    });
  });
}
