import type { MediaReader, RenditionOrder } from '../../src/core/media/media-reader.js';
import { pictureFormats, type Size, within } from '../../src/core/media/transformation.js';
import type { ItemErrorCode } from '../../src/core/shared/errors.js';

export interface OpenReader {
  readonly reader: MediaReader;
  readonly samples: {
    /** A sound picture of more than 320 pixels, wider than high; `width` and `height` are upright. */
    readonly sound: {
      readonly bytes: Uint8Array;
      readonly contentType: string;
      readonly width: number;
      readonly height: number;
    };
    readonly transparent: Uint8Array;
    /** With a title of 300 times `é`, and a description of 10,001. */
    readonly wordy: Uint8Array;
    readonly text: Uint8Array;
    /** Begins as an accepted type does, and cannot be decoded. */
    readonly broken: Uint8Array;
    /** Of a kind that is known and not taken. */
    readonly unsupported: Uint8Array;
  };
  sizeOf(rendition: Uint8Array): Promise<{ readonly width: number; readonly height: number }>;
  close(): Promise<void>;
}

const plenty = { customerId: 1, maxPixels: 210_000_000 };
const sizeOf = (width: number, height: number): Size => ({ width: Math.round(width), height: Math.round(height) });
const square = (side: number): Size => ({ width: side, height: side });

const small: RenditionOrder = { customerId: 1, ...within(100, 'jpeg'), rotation: 0 };

/** What `MediaReader` promises, for any reader. `open` is called once. */
export function mediaReaderContract(name: string, open: () => Promise<OpenReader>): void {
  describe(`MediaReader: ${name}`, () => {
    let opened: OpenReader;
    let reader: MediaReader;
    let samples: OpenReader['samples'];

    beforeAll(async () => {
      opened = await open();
      ({ reader, samples } = opened);
    });
    afterAll(() => opened.close());

    describe('sniff', () => {
      it('recognizes an accepted type by the first bytes', async () => {
        const { bytes, contentType } = samples.sound;
        expect(await reader.sniff(bytes.subarray(0, 4100))).toEqual({ kind: 'accepted', contentType });
        expect(reader.formats).toContain(contentType);
      });

      it('accepts a file that only a decoder would find broken', async () => {
        expect((await reader.sniff(samples.broken)).kind).toBe('accepted');
      });

      it('names a type that is not accepted', async () => {
        const sniffed = await reader.sniff(samples.unsupported);
        expect(sniffed).toEqual({ kind: 'unsupported', contentType: expect.stringMatching(/^(image|video)\//) });
        expect(reader.formats).not.toContain((sniffed as { contentType: string }).contentType);
      });

      it('takes nothing else for a picture', async () => {
        expect(await reader.sniff(samples.text)).toEqual({ kind: 'not_an_image' });
        expect(await reader.sniff(new Uint8Array())).toEqual({ kind: 'not_an_image' });
        expect(await reader.sniff(samples.sound.bytes.subarray(0, 2))).toEqual({ kind: 'not_an_image' });
      });
    });

    describe('inspect', () => {
      it('finds type and size, and creates a thumb of at most 320 pixels', async () => {
        const { bytes, contentType, width, height } = samples.sound;
        const { facts, thumb } = await pictureIn(bytes);
        expect(facts).toMatchObject({ contentType, width, height, alpha: false, damaged: false });
        expect(thumb.contentType).toBe('image/jpeg');
        const size = await opened.sizeOf(thumb.bytes);
        expect(size.width).toBe(320);
        expect(Math.abs(size.height - (320 * height) / width)).toBeLessThanOrEqual(1);
      });

      it('cuts texts to what a photo may have', async () => {
        const { facts } = await pictureIn(samples.wordy);
        expect(facts.title).toBe('é'.repeat(255));
        expect(facts.description).toBe('é'.repeat(10_000));
      });

      it('preserves transparency in the thumb', async () => {
        const { facts, thumb } = await pictureIn(samples.transparent);
        expect(facts.alpha).toBe(true);
        expect(thumb.contentType).toBe('image/webp');
      });

      it('returns facts that can be stored as JSON', async () => {
        const { facts } = await pictureIn(samples.sound.bytes);
        expect(JSON.parse(JSON.stringify(facts))).toStrictEqual(facts);
      });

      it('returns the same facts for the same bytes, in whatever chunks they arrive', async () => {
        const whole = await reader.inspect(of(samples.sound.bytes), plenty);
        const pieces = of(samples.sound.bytes.subarray(0, 1), new Uint8Array(), samples.sound.bytes.subarray(1));
        expect(await reader.inspect(pieces, plenty)).toStrictEqual(whole);
      });

      it.each<[keyof OpenReader['samples'] | 'nothing', ItemErrorCode]>([
        ['text', 'not_an_image'],
        ['broken', 'decode_failed'],
        ['unsupported', 'unsupported_format'],
        ['nothing', 'file_empty'],
      ])('refuses %s as %s, with an explanation for people', async (sample, code) => {
        const bytes = sample === 'nothing' ? new Uint8Array() : (samples[sample] as Uint8Array);
        expect(await refusalOf(bytes)).toEqual({ code, message: expect.stringMatching(/^[A-Z].{10,}\.$/) });
      });

      it('refuses one pixel more than the bound, and accepts the bound itself', async () => {
        const { bytes, width, height } = samples.sound;
        expect(await refusalOf(bytes, width * height - 1)).toMatchObject({ code: 'too_many_pixels' });
        expect((await reader.inspect(of(bytes), { customerId: 1, maxPixels: width * height })).outcome).toBe('picture');
      });
    });

    describe('render', () => {
      it.each<[string, RenditionOrder, number, number]>([
        ['upright', small, 100, -1],
        ['turned by 90', { ...small, rotation: 90 }, -1, 100],
        ['turned by 180', { ...small, rotation: 180 }, 100, -1],
        ['turned by 270', { ...small, rotation: 270 }, -1, 100],
        ['as webp', { ...small, format: 'webp' }, 100, -1],
      ])('makes a small rendition, %s', async (_, order, width, height) => {
        const picture = await reader.render(of(samples.sound.bytes), order);
        expect(picture?.contentType).toBe(`image/${order.format}`);
        const size = await opened.sizeOf(picture?.bytes ?? new Uint8Array());
        if (width > 0) expect(size.width).toBe(width);
        if (height > 0) expect(size.height).toBe(height);
        expect(Math.max(size.width, size.height)).toBe(100);
      });

      it('never enlarges a picture', async () => {
        const { bytes, width, height } = samples.sound;
        const picture = await reader.render(of(bytes), { ...small, ...within(10_000, 'jpeg') });
        expect(await opened.sizeOf(picture?.bytes ?? new Uint8Array())).toEqual({ width, height });
      });

      it.each<[string, Partial<RenditionOrder>, (size: Size) => Size]>([
        ['a width', { width: 50, height: null }, ({ width, height }) => sizeOf(50, (50 * height) / width)],
        ['a height', { width: null, height: 50 }, ({ width, height }) => sizeOf((50 * width) / height, 50)],
        ['no size', { width: null, height: null }, (size) => size],
        ['a box to cover', { width: 40, height: 50, fit: 'cover' }, () => sizeOf(40, 50)],
        [
          'what attracts attention',
          { width: 40, height: 50, fit: 'cover', gravity: 'attention' },
          () => sizeOf(40, 50),
        ],
        [
          'one side to cover',
          { width: 40, height: null, fit: 'cover' },
          ({ width, height }) => sizeOf(40, (40 * height) / width),
        ],
        [
          'a larger box to cover',
          { width: 8000, height: 8000, fit: 'cover' },
          ({ width, height }) => square(Math.min(width, height)),
        ],
        ['a box that contains it', { width: 40, height: 50, fit: 'contain' }, () => sizeOf(40, 50)],
        ['a larger box that contains it', { width: 3000, height: 3001, fit: 'contain' }, () => sizeOf(3000, 3001)],
        ['a box to fill', { width: 3000, height: 5, fit: 'fill' }, () => sizeOf(3000, 5)],
        [
          'one side to fill',
          { width: null, height: 500, fit: 'fill' },
          ({ width, height }) => sizeOf((500 * width) / height, 500),
        ],
        ['a box to cover, turned', { width: 40, height: 50, fit: 'cover', rotation: 90 }, () => sizeOf(40, 50)],
        [
          'a width, turned',
          { width: 50, height: null, rotation: 270 },
          ({ width, height }) => sizeOf(50, (50 * width) / height),
        ],
      ])('fits a picture into %s', async (_, order, expected) => {
        const { bytes, width, height } = samples.sound;
        const picture = await reader.render(of(bytes), { ...small, ...order });
        expect(await opened.sizeOf(picture?.bytes ?? new Uint8Array())).toEqual(expected({ width, height }));
      });

      it.each(pictureFormats)('makes %s', async (format) => {
        const picture = await reader.render(of(samples.sound.bytes), { ...small, format });
        expect(picture?.contentType).toBe(`image/${format}`);
        expect(Math.max(...Object.values(await opened.sizeOf(picture?.bytes ?? new Uint8Array())))).toBe(100);
      });

      it('makes no rendition of a file that it cannot decode', async () => {
        for (const bytes of [samples.text, samples.broken, samples.unsupported, new Uint8Array()]) {
          expect(await reader.render(of(bytes), small)).toBeNull();
        }
      });
    });

    describe('the source of the bytes', () => {
      it('may reuse the memory of a chunk once the next is requested', async () => {
        async function* reusing(): AsyncIterable<Uint8Array> {
          const buffer = new Uint8Array(50);
          for (let at = 0; at < samples.sound.bytes.length; at += 50) {
            const chunk = samples.sound.bytes.subarray(at, at + 50);
            buffer.set(chunk);
            yield buffer.subarray(0, chunk.length);
          }
        }
        const whole = await reader.inspect(of(samples.sound.bytes), plenty);
        expect(await reader.inspect(reusing(), plenty)).toEqual(whole);
      });

      it('is read to its end, whatever it contains', async () => {
        for (const bytes of [samples.sound.bytes, samples.text, new Uint8Array()]) {
          const source = watched(bytes);
          await reader.inspect(source.bytes, plenty);
          expect(source.ended()).toBe(true);
        }
      });

      it('may fail: the call fails with its error, and the next one works', async () => {
        const failure = new Error('the store is away');
        await expect(reader.inspect(failing(samples.sound.bytes, failure), plenty)).rejects.toBe(failure);
        await expect(reader.render(failing(samples.sound.bytes, failure), small)).rejects.toBe(failure);
        expect((await reader.inspect(of(samples.sound.bytes), plenty)).outcome).toBe('picture');
      });
    });

    it('is never confused with that of another call at the same time', async () => {
      const { sound, text, transparent } = samples;
      const bytes = [sound.bytes, text, transparent, sound.bytes, new Uint8Array(), text, sound.bytes, transparent];
      const inspections = await Promise.all(bytes.map((each) => reader.inspect(of(each), plenty)));
      const seen = inspections.map((each) => (each.outcome === 'picture' ? each.facts.alpha : each.error.code));
      expect(seen).toEqual([false, 'not_an_image', true, false, 'file_empty', 'not_an_image', false, true]);
    });

    async function pictureIn(bytes: Uint8Array) {
      const inspection = await reader.inspect(of(bytes), plenty);
      if (inspection.outcome !== 'picture') throw new Error(`refused: ${inspection.error.message}`);
      return inspection;
    }

    async function refusalOf(bytes: Uint8Array, maxPixels = plenty.maxPixels) {
      const inspection = await reader.inspect(of(bytes), { customerId: 1, maxPixels });
      return inspection.outcome === 'refused' ? inspection.error : null;
    }
  });
}

async function* of(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function* failing(bytes: Uint8Array, failure: Error): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, 10);
  throw failure;
}

function watched(bytes: Uint8Array) {
  let ended = false;
  async function* source(): AsyncGenerator<Uint8Array> {
    yield bytes;
    ended = true;
  }
  return { bytes: source(), ended: () => ended };
}
