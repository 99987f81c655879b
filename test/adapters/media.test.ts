/* @rest */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ExifReader from 'exifreader';
import sharp from 'sharp';
import { captureTime } from '../../src/core/media/capture-time.js';
import type { Inspection, PictureFacts, RenderedPicture } from '../../src/core/media/media-reader.js';
import { type Transformation, within } from '../../src/core/media/transformation.js';
import type { ItemErrorCode } from '../../src/core/shared/errors.js';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';

interface Entry {
  readonly file: string;
  readonly sha256: string;
  readonly expected: 'accept' | 'accept_or_unsupported' | 'either' | 'contained' | 'refuse';
  readonly facts: {
    readonly mime?: string;
    readonly width?: number;
    readonly height?: number;
    readonly orientation?: number;
    readonly alpha?: boolean;
    readonly date_time_original?: string;
    readonly offset_time_original?: string;
    readonly sub_sec?: string | number;
    readonly date_time_original_other?: { readonly Composite?: string };
    readonly gps?: { readonly lat: number; readonly lon: number; readonly alt: number | null };
    readonly make?: string;
    readonly model?: string;
  };
}

const folder = join(__dirname, '../fixtures/photos');
const manifest = JSON.parse(readFileSync(join(folder, 'MANIFEST.json'), 'utf8')) as {
  readonly files: readonly Entry[];
};
const expecting = (...expected: Entry['expected'][]) =>
  manifest.files.filter((entry) => expected.includes(entry.expected));
const photo = (file: string) => readFile(join(folder, file));

const hints = { location: null, positionZone: null, defaultTimeZone: 'Asia/Tokyo' };
const plenty = { customerId: 1, maxPixels: 210_000_000 };

let media: OpenMedia;
beforeAll(async () => {
  media = await openMedia();
});
afterAll(() => media.close());

async function inspect(bytes: Uint8Array): Promise<Inspection> {
  return media.reader.inspect(bytesOf(bytes), plenty);
}

/** Of a file, which is inspected once: that the answer is always the same is shown elsewhere. */
function pictureOf(file: string): ReturnType<typeof pictureIn> {
  const known = pictures.get(file) ?? photo(file).then(pictureIn);
  pictures.set(file, known);
  return known;
}
const pictures = new Map<string, ReturnType<typeof pictureIn>>();

async function pictureIn(bytes: Uint8Array): Promise<{ facts: PictureFacts; thumb: RenderedPicture }> {
  const inspection = await inspect(bytes);
  if (inspection.outcome === 'refused') throw new Error(`${inspection.error.code}: ${inspection.error.message}`);
  return inspection;
}

async function render(bytes: Uint8Array, order: Transformation & { rotation: number }) {
  const rendered = await media.reader.render(bytesOf(bytes), { customerId: 1, ...order });
  if (rendered === null) throw new Error('not rendered');
  return rendered;
}

/** Small enough that only the picture matters, and not how it was compressed. */
async function miniature(picture: Uint8Array): Promise<Buffer> {
  const png = await sharp(picture).png().toBuffer();
  return sharp(png).resize(12, 12, { fit: 'fill' }).removeAlpha().raw().toBuffer();
}

function difference(a: Buffer, b: Buffer): number {
  return a.reduce((sum, value, index) => sum + Math.abs(value - (b[index] ?? 0)), 0) / a.length;
}

describe('pictures that must be taken', () => {
  test.each(expecting('accept', 'accept_or_unsupported').map((entry) => [entry.file, entry] as const))(
    'give type, size and camera: %s',
    async (file, { facts: known }) => {
      const { facts } = await pictureOf(file);
      expect(facts).toMatchObject({
        contentType: known.mime,
        width: known.width,
        height: known.height,
        damaged: false,
      });
      expect(facts.alpha).toBe(known.alpha ?? false);
      expect(facts.camera?.make ?? null).toBe(known.make ?? null);
      expect(facts.camera?.model ?? null).toBe(known.model ?? null);
      expect(facts.thumbhash).toMatch(/^[A-Za-z0-9+/]{20,40}={0,2}$/);
      expect(facts.dominantColor).toMatch(/^#[0-9a-f]{6}$/);
      expect(Buffer.byteLength(JSON.stringify(facts.exif))).toBeLessThanOrEqual(64 * 1024);
    },
  );

  test.each(expecting('accept', 'accept_or_unsupported').map((entry) => [entry.file, entry] as const))(
    'give time and place: %s',
    async (file, { facts: known }) => {
      const { facts } = await pictureOf(file);
      const { takenAtLocal, timeZone, takenAtSource } = captureTime(facts.times, hints);
      const composite = known.date_time_original_other?.Composite;
      // The manifest's tool leaves out xmp:CreateDate, when a picture was digitized.
      const digitized = file === 'cmyk.jpg' ? '2009:03:06 22:15:00' : undefined;
      const written = known.date_time_original ?? composite?.slice(0, 19) ?? digitized;
      const offset = known.offset_time_original ?? composite?.slice(19);
      // The manifest's tool reads other clocks too; those without one here are told below.
      expect(takenAtLocal?.slice(0, 19) ?? null).toBe(
        written?.replace(':', '-').replace(':', '-').replace(' ', 'T') ?? null,
      );
      if (known.sub_sec !== undefined) {
        expect(takenAtLocal?.slice(20)).toBe(String(known.sub_sec).slice(0, 3).padEnd(3, '0'));
      }
      if (offset !== undefined) expect([timeZone, takenAtSource]).toEqual([offset, 'exif_offset']);
      if (known.gps === undefined) expect(facts.location).toBeNull();
      else {
        expect(facts.location?.latitude).toBeCloseTo(known.gps.lat, 6);
        expect(facts.location?.longitude).toBeCloseTo(known.gps.lon, 6);
        if (known.gps.alt === null) expect(facts.location?.altitude).toBeNull();
        else expect(facts.location?.altitude).toBeCloseTo(known.gps.alt, 6);
      }
    },
  );

  test('give their instants, by each of the ways to find a zone', async () => {
    const instantOf = async (file: string) => {
      const { times, positionZone } = (await pictureOf(file)).facts;
      const { takenAt, timeZone, takenAtSource } = captureTime(times, { ...hints, positionZone });
      return [takenAt?.toISOString() ?? null, timeZone, takenAtSource];
    };
    expect(await instantOf('nokia83-gps-offset.jpg')).toEqual(['2022-08-14T11:12:31.000Z', '+03:00', 'exif_offset']);
    expect(await instantOf('gps-west.jpg')).toEqual(['2022-01-10T19:15:44.310Z', '-04:00', 'exif_offset']);
    expect(await instantOf('iphone7-gps.heic')).toEqual(['2019-03-21T16:04:22.348Z', '-05:00', 'gps_time']);
    expect(await instantOf('date-and-gps-no-offset.jpg')).toEqual([
      '2025-12-01T18:30:00.000Z',
      'America/Denver',
      'gps_position',
    ]);
    expect(await instantOf('date-priority.jpg')).toEqual([
      '2023-02-01T17:00:00.000Z',
      'Asia/Tokyo',
      'customer_default',
    ]);
    expect(await instantOf('gps-datetime-only.jpg')).toEqual([null, null, 'none']);
  });

  test('give what people wrote about them', async () => {
    const { facts } = await pictureOf('rating-xmp.jpg');
    expect(facts).toMatchObject({ rating: 3, title: 'Mongol Els', description: 'Mongol Els' });
    expect(facts.exposure).toEqual({
      iso: 200,
      fNumber: 11,
      exposureTime: '1/250',
      focalLength: 40,
      focalLength35mm: null,
      flash: false,
    });
    expect(facts.exif).toMatchObject({
      Model: 'Canon EOS 500D',
      ISOSpeedRatings: 200,
      'XMP:CreatorTool': 'Picasa 3.0',
    });
    expect((await pictureOf('el-torcal-rocks.jpg')).facts.description).toBeNull();
    expect((await pictureOf('iphone7-gps.heic')).facts.camera?.lens).toBe('iPhone 7 back camera 3.99mm f/1.8');
  });
});

describe('files that must be refused', () => {
  const codes: Readonly<Record<string, ItemErrorCode>> = {
    'bomb-huge-canvas.gif': 'too_many_pixels',
    'made-declares-60000x60000.jpg': 'too_many_pixels',
    'zero-width.gif': 'decode_failed',
    'svg-with-script.svg': 'not_an_image',
    'html-script.html': 'not_an_image',
    'made-text-renamed.jpg': 'not_an_image',
    'made-zero-byte.jpg': 'file_empty',
  };

  test.each(expecting('refuse').map(({ file }) => file))('%s', async (file) => {
    const inspection = await inspect(await photo(file));
    expect(inspection).toEqual({
      outcome: 'refused',
      error: { code: codes[file], message: expect.stringMatching(/^[A-Z].+\.$/) },
    });
    expect(JSON.stringify(inspection)).not.toContain(media.scratchDir);
  });

  test('are all known in this list', () => {
    expect(
      expecting('refuse')
        .map(({ file }) => file)
        .sort(),
    ).toEqual(Object.keys(codes).sort());
  });
});

describe('damaged and hostile files', () => {
  const damaged = ['truncated.jpg', 'truncated.png', 'broken-stream.png'];

  test.each(expecting('either', 'contained').map((entry) => [entry.file, entry] as const))(
    '%s: the same answer twice',
    async (file, { facts: known }) => {
      const first = await inspect(await photo(file));
      expect(await inspect(await photo(file))).toStrictEqual(first);
      // This decoder takes all of them, except one of which there are no pixels.
      if (file === 'ultrahdr-cut-gps-offset.jpg') {
        expect(first).toMatchObject({ outcome: 'refused', error: { code: 'decode_failed' } });
        return;
      }
      expect(first).toMatchObject({
        outcome: 'picture',
        facts: { width: known.width, height: known.height, damaged: damaged.includes(file) },
      });
    },
  );

  test('values out of range are null, and the rest stays', async () => {
    const { facts } = await pictureOf('gps-out-of-range.jpg');
    expect(facts).toMatchObject({
      location: null,
      positionZone: null,
      camera: { make: 'Make', model: 'XXX-XXX', lens: null },
    });
    expect(facts.exposure).toBeNull();
    expect(captureTime(facts.times, hints).takenAtLocal).toBe('2099-09-29T10:10:10');
  });

  test('metadata is read although the pixels are cut short', async () => {
    const whole = await photo('nokia83-gps-offset.jpg');
    const { facts } = await pictureIn(whole.subarray(0, Math.round(0.8 * whole.length)));
    expect(facts.damaged).toBe(true);
    expect(facts.location?.latitude).toBeCloseTo(60.1467);
    expect(captureTime(facts.times, hints)).toMatchObject({
      takenAtLocal: expect.stringContaining('2022-08-14T14:12:31'),
      timeZone: '+03:00',
    });
  });

  test('a HEIC that is cut short is taken for damaged, or for no picture', async () => {
    const whole = await photo('iphone7-gps.heic');
    expect((await pictureIn(whole.subarray(0, 400_000))).facts).toMatchObject({
      damaged: true,
      width: 4032,
      height: 3024,
    });
    expect(await inspect(whole.subarray(0, 30_000))).toMatchObject({ error: { code: 'decode_failed' } });
    expect(
      await media.reader.render(bytesOf(whole.subarray(0, 30_000)), {
        customerId: 1,
        ...within(100, 'jpeg'),
        rotation: 0,
      }),
    ).toBeNull();
  });
});

describe('renditions', () => {
  const taken = expecting('accept', 'accept_or_unsupported', 'either', 'contained').filter(
    ({ file }) => file !== 'ultrahdr-cut-gps-offset.jpg',
  );

  test.each(taken.map(({ file, facts }) => [file, facts] as const))(
    'of %s say nothing of their origin',
    async (file, known) => {
      const bytes = await photo(file);
      const { facts, thumb } = await pictureOf(file);
      const [width, height] = [known.width ?? 0, known.height ?? 0];
      const longest = Math.min(640, Math.max(width, height));
      const renditions = [
        thumb,
        await render(bytes, { ...within(640, 'jpeg'), rotation: 0 }),
        await render(bytes, { ...within(640, 'webp'), rotation: 90 }),
      ];
      for (const [index, { bytes: rendered, contentType }] of renditions.entries()) {
        const header = await sharp(rendered).metadata();
        expect(`image/${header.format}`).toBe(contentType);
        expect(header).toMatchObject({ space: 'srgb', depth: 'uchar' });
        for (const part of ['exif', 'xmp', 'iptc', 'icc', 'orientation', 'comments'] as const)
          expect(header[part]).toBeUndefined();
        const { exif, xmp, iptc, gps } = ExifReader.load(Buffer.from(rendered), { expanded: true });
        expect({ exif, xmp, iptc, gps }).toEqual({ exif: undefined, xmp: undefined, iptc: undefined, gps: undefined });
        if (index > 0) expect(Math.max(header.width, header.height)).toBe(longest);
        if (index === 2 && width !== height) expect(header.width > header.height).toBe(width < height);
        expect(header.hasAlpha).toBe(facts.alpha && header.format === 'webp');
      }
    },
  );

  test.each([2, 3, 4, 5, 6, 7, 8])(
    'of orientation %s show the picture that orientation 1 shows',
    async (orientation) => {
      const upright = await miniature((await pictureOf('orientation-landscape-1.jpg')).thumb.bytes);
      const bytes = await photo(`orientation-landscape-${orientation}.jpg`);
      const { facts, thumb } = await pictureIn(bytes);
      expect(facts).toMatchObject({ orientation, width: 1800, height: 1200 });
      expect(difference(await miniature(thumb.bytes), upright)).toBeLessThan(4);
      const turned = await render(bytes, { ...within(320, 'jpeg'), rotation: 90 });
      const back = await sharp(turned.bytes).rotate(270).png().toBuffer();
      expect(difference(await miniature(back), upright)).toBeLessThan(4);
      expect(difference(await miniature(turned.bytes), upright)).toBeGreaterThan(10);
    },
  );

  test('of the portraits are one picture too', async () => {
    const thumbs = [3, 6, 8].map(
      async (orientation) => (await pictureOf(`orientation-portrait-${orientation}.jpg`)).thumb,
    );
    const [first, ...others] = await Promise.all(thumbs.map(async (thumb) => miniature((await thumb).bytes)));
    for (const other of others) expect(difference(other, first ?? other)).toBeLessThan(4);
  });

  test('are flattened on white when JPEG, and keep transparency when WebP', async () => {
    const clear = await sharp({
      create: { width: 40, height: 40, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    })
      .png()
      .toBuffer();
    const jpeg = await render(clear, { ...within(20, 'jpeg'), rotation: 0 });
    expect((await sharp(jpeg.bytes).stats()).channels.map(({ min }) => min)).toEqual([255, 255, 255]);
    const webp = await render(clear, { ...within(20, 'webp'), rotation: 0 });
    expect((await sharp(webp.bytes).stats()).isOpaque).toBe(false);
  });

  test('leave the original as it was', async () => {
    for (const { file, sha256 } of manifest.files) {
      expect(
        createHash('sha256')
          .update(await photo(file))
          .digest('hex'),
      ).toBe(sha256);
    }
  });
});
