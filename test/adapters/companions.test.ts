/* @slow @rest */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';
import { film, microVideo, motionHeic, motionPhoto, samsungPhoto } from '../support/motion-photos.js';

const fixture = (name: string) => readFileSync(join(__dirname, '../fixtures/photos', name));

let media: OpenMedia;
beforeAll(async () => {
  media = await openMedia();
});
afterAll(() => media.close());

async function factsOf(bytes: Uint8Array) {
  const inspection = await media.reader.inspect(bytesOf(bytes), { customerId: 1, maxPixels: 210_000_000 });
  if (inspection.outcome === 'refused') throw new Error(`${inspection.error.code}: ${inspection.error.message}`);
  return inspection.facts;
}
const companionOf = async (bytes: Uint8Array) => (await factsOf(bytes)).companion;

const kinds: readonly [string, (behind: Buffer) => Promise<Buffer>][] = [
  ['a motion photo', motionPhoto],
  ['a micro video', microVideo],
  ['a photo of Samsung', samsungPhoto],
  ['a HEIC', async (behind) => motionHeic(readFileSync(join(__dirname, '../fixtures/colours/p3-8.heic')), behind)],
];

describe.each(kinds)('the film of %s', (_, photoWith) => {
  test.each([
    ['isom', 'video/mp4'],
    ['qt  ', 'video/quicktime'],
  ])('of the brand %j is found, and the picture is what it is without', async (brand, contentType) => {
    const behind = film(brand);
    const bytes = await photoWith(behind);
    const { companion, damaged } = await factsOf(bytes);
    expect(companion).toEqual({ type: 'video', contentType, offset: expect.any(Number), sizeBytes: behind.length });
    const { offset = 0, sizeBytes = 0 } = companion ?? {};
    expect(bytes.subarray(offset, offset + sizeBytes).equals(behind)).toBe(true);
    expect(damaged).toBe(false);
  });

  test.each<[string, Buffer]>([
    ['text', Buffer.alloc(5000, 'not a film ')],
    ['a still picture of that family', film('heic')],
    ['the beginning of a film', film().subarray(0, 24)],
    ['a box without an end', Buffer.concat([film().subarray(0, 24), Buffer.alloc(400)])],
  ])('is ignored if it is %s', async (_name, behind) => {
    expect(await companionOf(await photoWith(behind))).toBeNull();
  });
});

test.each(['cyclamen.jpg', 'iphone7-gps.heic', 'png-alpha.png', 'avif-8bit-srgb.avif'])(
  '%s has no film',
  async (name) => {
    expect(await companionOf(fixture(name))).toBeNull();
  },
);

test.each([0, 1, 2 ** 40, 999_999_999_999])('a length of %s is no film', async (length) => {
  expect(await companionOf(await motionPhoto(film(), length))).toBeNull();
});

test.each(kinds.slice(0, 3))(
  '%s that is cut off or changed has a film inside itself, or none',
  async (_, photoWith) => {
    const bytes = await photoWith(film());
    const changed = Array.from({ length: 60 }, (_each, index) => {
      const copy = Buffer.from(bytes);
      const at = bytes.length - 1 - index;
      copy[at] = (copy[at] ?? 0) ^ 0xff;
      return copy;
    });
    const cut = Array.from({ length: 25 }, (_each, part) =>
      bytes.subarray(0, bytes.length - Math.floor((3300 * part) / 25)),
    );
    for (const each of [...changed, ...cut]) {
      const companion = await companionOf(each);
      expect((companion?.offset ?? 0) + (companion?.sizeBytes ?? 0)).toBeLessThanOrEqual(each.length);
    }
  },
);
