/* @slow @rest */
import sharp from 'sharp';
import type { Inspection } from '../../src/core/media/media-reader.js';
import { within } from '../../src/core/media/transformation.js';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';
import { makeOf, modelOf, preview, type RawKind, rafExif, rawFile, rawKinds } from '../support/raw-files.js';

const plenty = { customerId: 1, maxPixels: 210_000_000 };
const types: Readonly<Record<RawKind, string>> = {
  dng: 'image/x-adobe-dng',
  cr2: 'image/x-canon-cr2',
  cr3: 'image/x-canon-cr3',
  nef: 'image/x-nikon-nef',
  nrw: 'image/x-nikon-nrw',
  arw: 'image/x-sony-arw',
  sr2: 'image/x-sony-sr2',
  raf: 'image/x-fuji-raf',
  orf: 'image/x-olympus-orf',
  rw2: 'image/x-panasonic-rw2',
};

let media: OpenMedia;
beforeAll(async () => {
  media = await openMedia();
});
afterAll(() => media.close());

const inspect = (bytes: Uint8Array, bounds = plenty): Promise<Inspection> =>
  media.reader.inspect(bytesOf(bytes), bounds);

async function pictureIn(bytes: Uint8Array) {
  const inspection = await inspect(bytes);
  if (inspection.outcome === 'refused') throw new Error(`${inspection.error.code}: ${inspection.error.message}`);
  return inspection;
}

/** A file whose orientation is that of the raw file, or, in a RAF, of its JPEG. */
async function turned(kind: RawKind, orientation: number): Promise<Buffer> {
  const jpeg = await preview(800, 600, kind === 'raf' ? rafExif : undefined, orientation);
  return rawFile(kind, { preview: jpeg, orientation });
}

/** Whether the right upper corner is blue, where it is after a quarter turn clockwise. */
async function isTurned(picture: Uint8Array): Promise<boolean> {
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
  const blue = (x: number) => (data[(5 * info.width + x) * info.channels + 2] ?? 0) > 128;
  return !blue(5) && blue(info.width - 5);
}

const range = (from: number, to: number, step: number) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => from + at * step);

/** Most kinds are TIFFs, which the same code reads: each of these takes a part of the places of damage, every other kind all of them. */
const tiffKinds: readonly RawKind[] = rawKinds.filter((kind) => kind !== 'cr3' && kind !== 'raf');
function shareOf(kind: RawKind, places: readonly number[]): readonly number[] {
  const own = tiffKinds.indexOf(kind);
  return own < 0 ? places : places.filter((_, at) => at % tiffKinds.length === own);
}

describe.each(rawKinds)('%s', (kind) => {
  test('is what its largest preview shows, with its own metadata', async () => {
    const bytes = await turned(kind, 6);
    const { facts, thumb } = await pictureIn(bytes);
    expect(facts).toMatchObject({
      contentType: types[kind],
      width: 600,
      height: 800,
      orientation: 6,
      alpha: false,
      damaged: false,
      camera: { make: makeOf(kind), model: modelOf(kind), lens: 'A 35mm lens' },
      exposure: { iso: 400, fNumber: 2.8, exposureTime: '1/250', focalLength: 35 },
      times: { original: '2024:05:06 07:08:09', originalOffset: '+02:00' },
      location: { latitude: 48.8583333, longitude: 2.35 },
      positionZone: 'Europe/Paris',
      exif: { Make: makeOf(kind), Orientation: 6 },
    });
    expect(await sharp(thumb.bytes).metadata()).toMatchObject({ width: 240, height: 320 });
    expect(await isTurned(thumb.bytes)).toBe(true);
  });

  test('is recognized by its first bytes, or as a TIFF', async () => {
    const sniffed = await media.reader.sniff((await turned(kind, 1)).subarray(0, 4100));
    expect(sniffed.kind).toBe('accepted');
    expect([types[kind], 'image/tiff']).toContain((sniffed as { contentType: string }).contentType);
    expect(media.reader.formats).toContain(types[kind]);
  });

  test('is rendered from its preview', async () => {
    const order = { customerId: 1, ...within(400, 'jpeg'), rotation: 90 };
    const rendered = await media.reader.render(bytesOf(await turned(kind, 1)), order);
    expect(await sharp(rendered?.bytes).metadata()).toMatchObject({ width: 300, height: 400, format: 'jpeg' });
    expect(await isTurned(rendered?.bytes ?? new Uint8Array())).toBe(true);
  });

  test('without a preview that is large enough is refused', async () => {
    const bytes = rawFile(kind, { preview: await preview(638, 480) });
    expect(await inspect(bytes)).toEqual({
      outcome: 'refused',
      error: { code: 'unsupported_format', message: expect.stringContaining('no preview of at least 640 pixels') },
    });
    expect(
      await media.reader.render(bytesOf(bytes), { customerId: 1, ...within(100, 'jpeg'), rotation: 0 }),
    ).toBeNull();
  });

  test('has no more pixels than allowed', async () => {
    const bytes = await turned(kind, 1);
    expect(await inspect(bytes, { customerId: 1, maxPixels: 800 * 600 - 1 })).toMatchObject({
      error: { code: 'too_many_pixels' },
    });
  });

  test('cut off anywhere is refused or read', async () => {
    const bytes = await turned(kind, 1);
    for (const part of shareOf(kind, range(1, 50, 1))) {
      expectEnd(await inspect(bytes.subarray(0, Math.floor((bytes.length * part) / 50))));
    }
  });

  test('with changed bytes is refused or read', async () => {
    const bytes = await turned(kind, 1);
    // The places of everything are near the beginning; the pictures are not.
    for (const at of shareOf(kind, range(0, Math.min(bytes.length, 1500), 13))) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      expectEnd(await inspect(changed));
    }
    expect(media.reader.processes.length).toBeLessThanOrEqual(3);
  });
});

function expectEnd(inspection: Inspection): void {
  if (inspection.outcome === 'refused') {
    expect(['not_an_image', 'unsupported_format', 'decode_failed', 'too_many_pixels']).toContain(inspection.error.code);
  } else if (inspection.facts.contentType !== 'image/tiff') {
    expect([800, 600]).toContain(inspection.facts.width);
  }
}

describe('the orientation', () => {
  test.each(rawKinds.filter((kind) => kind !== 'raf'))(
    'of the preview of a %s is its own if it has one',
    async (kind) => {
      const jpeg = await preview(800, 600, { IFD0: { Make: 'Maker' } });
      const { facts, thumb } = await pictureIn(rawFile(kind, { preview: jpeg, orientation: 6 }));
      expect(facts).toMatchObject({ width: 800, height: 600, orientation: 1 });
      expect(await isTurned(thumb.bytes)).toBe(false);
    },
  );

  test.each([0, 9])('%s does not exist', async (orientation) => {
    expect((await pictureIn(await turned('nef', orientation))).facts).toMatchObject({ width: 800, orientation: 1 });
  });
});

describe('the sensor data', () => {
  test.each(['dng', 'cr2', 'cr3', 'nef', 'raf'] as const)('of a %s that are cut off are damage', async (kind) => {
    const bytes = await turned(kind, 1);
    const at = bytes.lastIndexOf(kind === 'dng' || kind === 'cr2' ? Buffer.alloc(100, 0x33) : Buffer.alloc(100, 0x5a));
    expect(at).toBeGreaterThan(0);
    const { facts } = await pictureIn(bytes.subarray(0, at));
    expect(facts).toMatchObject({ damaged: true, contentType: types[kind], width: 800 });
  });

  test('that are a JPEG are not the picture, although they are larger', async () => {
    const { facts } = await pictureIn(await turned('dng', 1));
    expect(facts).toMatchObject({ width: 800, height: 600 });
  });
});

describe('a TIFF', () => {
  test('with tags that raw files have, too, remains a TIFF', async () => {
    const tiff = await sharp({ create: { width: 700, height: 500, channels: 3, background: 'red' } })
      .withExif({ IFD0: { Make: 'NIKON CORPORATION', Model: 'NIKON Z 6' } })
      .tiff()
      .toBuffer();
    expect((await pictureIn(tiff)).facts).toMatchObject({ contentType: 'image/tiff', width: 700, height: 500 });
  });

  test('of a camera whose raw files are not accepted is refused', async () => {
    const nef = await turned('nef', 1);
    const make = nef.indexOf('NIKON CORPORATION');
    nef.write('PENTAX', make, 'latin1');
    expect(await inspect(nef)).toMatchObject({ outcome: 'refused', error: { code: 'unsupported_format' } });
  });
});

describe('a hostile file', () => {
  const entry = (tag: number, type: number, count: number, value: number) => {
    const bytes = Buffer.alloc(12);
    bytes.writeUInt16LE(tag);
    bytes.writeUInt16LE(type, 2);
    bytes.writeUInt32LE(count, 4);
    bytes.writeUInt32LE(value, 8);
    return bytes;
  };
  /** A DNG of one directory, followed by `rest`. */
  const dng = (entries: readonly Buffer[], next = 0, rest = Buffer.alloc(0)) => {
    const count = Buffer.from([entries.length + 1, 0]);
    const end = Buffer.alloc(4);
    end.writeUInt32LE(next);
    return Buffer.concat([
      Buffer.from('II*\0\x08\0\0\0', 'latin1'),
      count,
      ...entries,
      entry(50_706, 1, 4, 1),
      end,
      rest,
    ]);
  };

  test.each<[string, Buffer]>([
    ['whose directory follows itself', dng([], 8)],
    ['whose directory contains itself', dng([entry(330, 4, 1, 8)])],
    ['with more directories than anything has', dng([entry(330, 4, 16_000, 8)], 0, Buffer.alloc(64_000, 0x11))],
    ['with a list of four thousand million directories', dng([entry(330, 4, 0xffffffff, 8)])],
    ['with a value beyond the end', dng([entry(700, 1, 0xfffffff0, 0xfffffff0)])],
    ['with a preview beyond the end', dng([entry(513, 4, 1, 0xfffffff0), entry(514, 4, 1, 0xfffffff0)])],
    ['with a preview of the whole file', dng([entry(513, 4, 1, 0), entry(514, 4, 1, 60)])],
  ])('%s is refused', async (_, bytes) => {
    expect(await inspect(bytes)).toMatchObject({
      outcome: 'refused',
      error: { code: expect.stringMatching(/^(unsupported_format|decode_failed)$/) },
    });
  });

  test('whose boxes contain themselves, or have no end, is refused', async () => {
    const ftyp = Buffer.from('\0\0\0\x14ftypcrx \0\0\0\x01crx ', 'latin1');
    const huge = Buffer.from('\0\0\0\x01moov\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0', 'latin1');
    const small = Buffer.concat(Array.from({ length: 5000 }, () => Buffer.from('\0\0\0\x08free', 'latin1')));
    for (const rest of [huge, small, Buffer.from('\0\0\0\0moov\0\0\0\0trak', 'latin1')]) {
      expect(await inspect(Buffer.concat([ftyp, rest]))).toMatchObject({ outcome: 'refused' });
    }
  });

  test('whose preview declares more pixels than it can have is refused', async () => {
    const jpeg = await preview();
    const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
    jpeg.writeUInt16BE(9000, frame + 5);
    jpeg.writeUInt16BE(20_000, frame + 7);
    for (const kind of rawKinds) {
      expect(await inspect(rawFile(kind, { preview: jpeg }))).toMatchObject({ error: { code: 'decode_failed' } });
    }
  });

  test('whose preview is broken is decoded as any JPEG is', async () => {
    const jpeg = await preview();
    const { facts } = await pictureIn(rawFile('dng', { preview: jpeg.subarray(0, jpeg.length * 0.6) }));
    expect(facts).toMatchObject({ width: 800, damaged: true });
  });
});
