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
import {
  type FieldValues,
  type FileField,
  fileFields,
  photoFields,
  valuesOf,
} from '../../src/core/media/photo-fields.js';
import { layoutOf, within } from '../../src/core/media/transformation.js';
import type { ItemErrorCode } from '../../src/core/shared/errors.js';
import { truncate } from '../../src/core/shared/text.js';

const START = '{"picture":';
const [START_OF_IMAGE, COMMENT] = [Buffer.from('ffd8', 'hex'), Buffer.from('fffe', 'hex')];
/** So much fits into a segment of JPEG, besides its length. */
const MAX_SEGMENT_BYTES = 65_533;

/**
 * Returns a picture whose comment says what `MemoryMediaReader` is to find in it: facts that are left out are null. It is a real JPEG, grey
 * all over, so that other decoders read it too.
 */
export function pictureBytes(facts: Partial<PictureFacts> = {}): Uint8Array {
  const { width = 8, height = 8 } = facts;
  const text = Buffer.from(JSON.stringify({ picture: { ...facts, width, height } }));
  const comments = Array.from({ length: Math.ceil(text.length / MAX_SEGMENT_BYTES) }, (_, at) =>
    segment('fe', text.subarray(at * MAX_SEGMENT_BYTES, (at + 1) * MAX_SEGMENT_BYTES)),
  );
  const frame = Buffer.from('080000000001011100', 'hex');
  frame.writeUInt16BE(Math.min(height, MAX_JPEG_SIDE), 1);
  frame.writeUInt16BE(Math.min(width, MAX_JPEG_SIDE), 3);
  // Each table has one code, the bit 0: "no difference" for the mean of a block, and "nothing follows" for the rest of it.
  const table = (kind: string) => segment('c4', Buffer.from(`${kind}01${'00'.repeat(16)}`, 'hex'));
  const scanBytes = Math.ceil((Math.ceil(width / 8) * Math.ceil(height / 8)) / 4);
  return Buffer.concat([
    ...[START_OF_IMAGE, ...comments, segment('db', Buffer.alloc(65, 1).fill(0, 0, 1)), segment('c0', frame)],
    ...[table('00'), table('10'), segment('da', Buffer.from('010100003f00', 'hex'))],
    ...[Buffer.alloc(scanBytes > MAX_SCAN_BYTES ? 0 : scanBytes), Buffer.from('ffd9', 'hex')],
  ]);
}

const MAX_JPEG_SIDE = 65_535;
/** Four million pixels. Larger pictures, which tests have to be refused, are none for other decoders. */
const MAX_SCAN_BYTES = 4_000_000 / 256;

function segment(marker: string, content: Buffer): Buffer {
  const head = Buffer.from(`ff${marker}0000`, 'hex');
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

/** The text in the comments at the beginning of a JPEG. */
function commentIn(bytes: Uint8Array): string {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts: Buffer[] = [];
  for (let at = START_OF_IMAGE.length; at + 4 <= all.length && all.subarray(at, at + 2).equals(COMMENT); ) {
    const end = at + 2 + all.readUInt16BE(at + 2);
    texts.push(all.subarray(at + 4, end));
    at = end;
  }
  return Buffer.concat(texts).toString();
}

/** Bytes that begin like a picture and are none. */
export function brokenPictureBytes(): Uint8Array {
  return new TextEncoder().encode(`${START}"broken"}`);
}

/** Facts of a rendition of ours, for who wants to look at it; null when the bytes are no picture. */
export function pictureIn(bytes: Uint8Array): PictureFacts | null {
  return parse(bytes);
}

/** Reads what the comment of a picture says of it, without a process or a decoder. */
export class MemoryMediaReader implements MediaReader {
  constructor(readonly formats: readonly string[] = ['image/jpeg', 'image/png', 'image/webp', 'image/gif']) {}

  async sniff(head: Uint8Array): Promise<Sniffed> {
    const isOurs = head[0] === START_OF_IMAGE[0];
    const text = isOurs ? commentIn(head) : new TextDecoder().decode(head);
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
  ...(valuesOf(fileFields, (name) => photoFields[name].empty) as FieldValues<FileField>),
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
    const { picture } = JSON.parse(commentIn(bytes)) as { picture: Partial<PictureFacts> };
    const facts = {
      ...plain,
      ...picture,
      title: cutTo(photoFields.title.max, picture.title),
      description: cutTo(photoFields.description.max, picture.description),
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
