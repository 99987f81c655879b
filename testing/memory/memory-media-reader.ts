import { MAX_SIDE } from '../../src/core/customers/limits.js';
import {
  type Inspection,
  type MediaReader,
  type PictureFacts,
  type RenderedPicture,
  type RenditionOrder,
  renditionSizes,
  type Sniffed,
} from '../../src/core/media/media-reader.js';
import { layoutOf, within } from '../../src/core/media/transformation.js';
import type { ItemErrorCode } from '../../src/core/shared/errors.js';
import { truncate } from '../../src/core/shared/text.js';

const START = '{"picture":';

/** Bytes of a picture as `MemoryMediaReader` knows them: JSON of what is to be found in it. Whatever facts are left out are null. */
export function pictureBytes(facts: Partial<PictureFacts> & { width: number; height: number }): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ picture: facts }));
}

/** Bytes that begin like a picture and are none. */
export function brokenPictureBytes(): Uint8Array {
  return new TextEncoder().encode('{"picture":"broken"}');
}

/** Facts of a rendition of ours, for who wants to look at it; null when the bytes are no picture. */
export function pictureIn(bytes: Uint8Array): PictureFacts | null {
  return parse(bytes);
}

/** A reader of a picture format of its own, without a process or a decoder. */
export class MemoryMediaReader implements MediaReader {
  constructor(readonly formats: readonly string[] = ['image/jpeg', 'image/png', 'image/webp', 'image/gif']) {}

  async sniff(head: Uint8Array): Promise<Sniffed> {
    const text = new TextDecoder().decode(head);
    if (!text.startsWith(START)) return { kind: 'not_an_image' };
    const contentType = /"contentType":"([^"]+)"/.exec(text)?.[1] ?? plain.contentType;
    return { kind: this.formats.includes(contentType) ? 'accepted' : 'unsupported', contentType };
  }

  async inspect(bytes: AsyncIterable<Uint8Array>, { maxPixels }: { readonly maxPixels: number }): Promise<Inspection> {
    const whole = await collect(bytes);
    if (whole.length === 0) return refused('file_empty', 'The file is empty.');
    const sniffed = await this.sniff(whole);
    if (sniffed.kind === 'not_an_image') return refused('not_an_image', 'The file is not an image.');
    if (sniffed.kind === 'unsupported')
      return refused('unsupported_format', `Files of type ${sniffed.contentType} are not accepted.`);
    const facts = parse(whole);
    if (facts === null) return refused('decode_failed', 'The image is damaged.');
    if (facts.width * facts.height > maxPixels || Math.max(facts.width, facts.height) > MAX_SIDE) {
      return refused('too_many_pixels', `The image has more than ${maxPixels} pixels.`);
    }
    const format = facts.alpha ? 'webp' : 'jpeg';
    return {
      outcome: 'picture',
      facts,
      thumb: rendered(facts, { ...within(renditionSizes.thumb, format), rotation: 0, customerId: 0 }),
    };
  }

  async render(bytes: AsyncIterable<Uint8Array>, order: RenditionOrder): Promise<RenderedPicture | null> {
    const whole = await collect(bytes);
    const facts = (await this.sniff(whole)).kind === 'accepted' ? parse(whole) : null;
    return facts && rendered(facts, order);
  }
}

const plain: PictureFacts = {
  contentType: 'image/jpeg',
  width: 0,
  height: 0,
  orientation: 1,
  alpha: false,
  damaged: false,
  title: null,
  description: null,
  location: null,
  rating: null,
  camera: null,
  exposure: null,
  companion: null,
  times: {
    original: null,
    originalSubSec: null,
    originalOffset: null,
    digitized: null,
    digitizedSubSec: null,
    digitizedOffset: null,
    changed: null,
    changedOffset: null,
    xmpCreated: null,
    xmpOriginal: null,
    xmpDigitized: null,
    iptcCreated: null,
    gpsUtc: null,
  },
  positionZone: null,
  thumbhash: null,
  dominantColor: null,
  phash: null,
  exif: {},
};

function parse(bytes: Uint8Array): PictureFacts | null {
  try {
    const { picture } = JSON.parse(new TextDecoder().decode(bytes)) as { picture: Partial<PictureFacts> };
    const facts = {
      ...plain,
      ...picture,
      title: cutTo(255, picture.title),
      description: cutTo(10_000, picture.description),
      times: { ...plain.times, ...picture.times },
    };
    return facts.width > 0 && facts.height > 0 ? facts : null;
  } catch {
    return null;
  }
}

function cutTo(max: number, text: string | null | undefined): string | null {
  return typeof text === 'string' ? truncate(text, max) : null;
}

function rendered({ width, height, alpha, phash = null }: PictureFacts, order: RenditionOrder): RenderedPicture {
  const upright = order.rotation % 180 === 0 ? { width, height } : { width: height, height: width };
  const contentType = `image/${order.format}`;
  const { canvas } = layoutOf(order.originalSize ?? upright, order);
  // It looks like what it was made from, unless it was turned.
  const facts = {
    ...canvas,
    contentType,
    alpha: alpha && order.format !== 'jpeg',
    phash: order.rotation === 0 ? phash : null,
  };
  return { bytes: pictureBytes(facts), contentType };
}

function refused(code: ItemErrorCode, message: string): Inspection {
  return { outcome: 'refused', error: { code, message } };
}

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks);
}
