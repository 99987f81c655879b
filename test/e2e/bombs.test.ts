/* @rest */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { peakMemory } from './support/peak-memory.js';
import { until } from './support/processes.js';
import { Installation } from './support/service.js';
import { expectSound } from './support/sound.js';

const fixture = (name: string) => readFileSync(join(__dirname, '../fixtures/photos', name));

/** A PNG of one colour: a few hundred kilobytes that become this many pixels. */
function flood(side: number): Promise<Buffer> {
  const background = { r: 10, g: 10, b: 10 };
  // By more effort it is not smaller.
  return sharp({ create: { width: side, height: side, channels: 3, background }, limitInputPixels: false })
    .png({ compressionLevel: 3 })
    .toBuffer();
}

const followedBy = (bytes: Buffer, number: number) => Buffer.concat([bytes, Buffer.from([number])]);

describe('RELIABILITY A1, A2, F27: ten bombs at once', () => {
  it('leave GET /me answering and the memory of the API bounded, and each is refused or accepted as it must be', async () => {
    const installation = await Installation.make();
    try {
      await installation.start();
      const client = await installation.client();
      const [allowed, larger] = await Promise.all([flood(14_400), flood(14_600)]);
      const justAllowed = [1, 2, 3].map((number) => followedBy(allowed, number));
      const tooLarge = [1, 2, 3].map((number) => followedBy(larger, number));
      const declared = [1, 2].map((number) => followedBy(fixture('made-declares-60000x60000.jpg'), number));
      const texts = [1, 2].map((number) => followedBy(fixture('bomb-text-chunk.png'), number));
      const bombs = [...justAllowed, ...tooLarge, ...declared, ...texts];
      const { id } = (await client.post('/imports')).body;
      const sent = await client.inline(
        id,
        bombs.map((bytes, index) => ({ name: `${index}`, bytes })),
      );
      expect(sent.status).toBe(201);
      expect((await client.post(`/imports/${id}/finalize`)).status).toBe(202);
      let answered = 0;
      const ended = await until('the import to end', async () => {
        expect((await client.get('/me')).status).toBe(200);
        answered += 1;
        const now = (await client.get(`/imports/${id}?include=photos`)).body;
        return now.status === 'processing' ? false : now;
      });
      expect(answered).toBeGreaterThan(1);
      const outcomes = ended.photos.data.map((item: { status: string; error: { code: string } | null }) => [
        item.status,
        item.error?.code ?? null,
      ]);
      expect(outcomes).toEqual([
        ...justAllowed.map(() => ['imported', null]),
        ...tooLarge.map(() => ['failed', 'too_many_pixels']),
        ...declared.map(() => ['failed', 'too_many_pixels']),
        ...texts.map(() => ['imported', null]),
      ]);
      expect(peakMemory(installation.pid)).toBeLessThan(300 * 1000 * 1000);
      await expectSound(installation);
    } finally {
      await installation.remove();
    }
  });
});
