import { basename } from 'node:path';
import type { Sharp } from 'sharp';
import { formatOf } from '../../core/media/formats.js';
import { defaultFormat, type RenditionOrder, renditionSizes } from '../../core/media/media-reader.js';
import { type Layout, layoutOf, type Transformation, within } from '../../core/media/transformation.js';
import { systemCode } from '../local-blobs/files.js';
import { readRaw } from './decoders/raw.js';
import {
  beyondDecoder,
  decodeFailed,
  fileEmpty,
  mayBeRaw,
  notAnImage,
  Refusal,
  sniff,
  unsupportedFormat,
} from './formats/accepted.js';
import { companionOf } from './formats/embedded-metadata.js';
import { bytesAt, HEAD_BYTES, withSource } from './formats/file-bytes.js';
import { OTHER_RAW } from './formats/raw-file.js';
import { answerJobs, type InspectionAnswer, type RenditionAnswer } from './media-channel.js';
import { MetadataReader } from './metadata-thread.js';
import { hashesOf } from './picture-hashes.js';
import {
  allLoaders,
  allowLoaders,
  channelOffsets,
  encoded,
  isCutJpeg,
  isDecoderLimit,
  isOfSystem,
  type OpenPicture,
  type Picture,
  type PictureOrder,
  pixelsOf,
  restrictSharp,
  type ScaledPicture,
  scaledPicture,
  sharpOf,
  swapped,
} from './scaled-picture.js';

/** The job that a decoder is asked to do, one at a time. */
export type MediaJob =
  | ({ readonly kind: 'inspect' } & Omit<PictureOrder, 'input'>)
  | ({ readonly kind: 'render' } & Omit<RenderOrder, 'input'>);

export type SentJob = MediaJob & {
  /** The file of its picture; null: the bytes come with the job. */
  readonly path: string | null;
};

interface Answer {
  readonly json: InspectionAnswer | RenditionAnswer;
  readonly bytes?: Uint8Array;
}

/** Does a job, in a decoder. Never throws. */
export async function doJob(job: SentJob, bytes: Buffer, metadata: MetadataReader): Promise<Answer> {
  const input = job.path ?? bytes;
  try {
    return job.kind === 'inspect'
      ? await inspect({ ...job, input }, metadata)
      : await render({ ...job, input }, metadata);
  } catch (error) {
    const code = systemCode(error);
    if (code !== null) return { json: { kind: 'unavailable', code } };
    const message = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
    return { json: { kind: 'failed', message: message.toWellFormed().replaceAll('\0', '').slice(0, 2000) } };
  }
}

/** Inspects a file (`MediaReader.inspect`). The picture is decoded once, into a scaled one from which everything else is made. */
async function inspect(order: PictureOrder, metadata: MetadataReader): Promise<Answer> {
  try {
    return await withPicture(order, metadata, async (picture): Promise<Answer> => {
      const { scaled, damaged } = await decode(picture, order.folder);
      const { width, height, contentType, orientation, alpha, metadataInput, exif, xmp, iptc } = picture;
      const format = defaultFormat({ alpha });
      const bytes = await encoded(scaled, within(renditionSizes.thumb, format));
      const facts = {
        contentType,
        width,
        height,
        orientation,
        alpha,
        damaged,
        ...hashesOf(scaled),
        companion: await companionOf(order.input, { contentType, xmp }),
        ...(await metadata.read({ input: metadataInput, contentType, exif, xmp, iptc })),
      };
      return { json: { kind: 'picture', facts, contentType: `image/${format}` }, bytes };
    });
  } catch (error) {
    if (error instanceof Refusal) return { json: { kind: 'refused', error: error.error } };
    throw error;
  }
}

async function decode(picture: Picture, folder: string) {
  const size = layoutOf(picture, within(renditionSizes.thumb, 'jpeg')).scaled;
  const decodeAny = async () => {
    try {
      return { scaled: await scaledPicture(picture, size, 'error'), damaged: picture.damaged };
    } catch {
      const scaled = await scaledPicture(picture, size, 'none').catch((error) => {
        if (isOfSystem(error)) throw error;
        throw isDecoderLimit(error) ? beyondDecoder(picture.contentType) : decodeFailed();
      });
      return { scaled, damaged: true };
    }
  };
  // Data that end early are only a warning to libjpeg, as are bytes that are not missed.
  const decodeJpeg = async () => {
    try {
      return { scaled: await scaledPicture(picture, size, 'warning'), damaged: picture.damaged };
    } catch (error) {
      const { scaled, damaged } = await decodeAny();
      return { scaled, damaged: damaged || (await isCutJpeg(picture, folder, String(error))) };
    }
  };
  const decoded = picture.isJpeg ? await decodeJpeg() : await decodeAny();
  if (decoded.damaged && isBlank(decoded.scaled, picture)) throw decodeFailed();
  return decoded;
}

/** Pixels around the first block of a JPEG, which libjpeg makes up when there is none. */
const MADE_UP = 32 * 32;

/** Whether nothing was decoded, in all likelihood. */
function isBlank({ data, raw: { channels } }: ScaledPicture, picture: Picture): boolean {
  const madeUp = picture.isJpeg ? MADE_UP / (picture.width * picture.height) : 0;
  const { alpha } = channelOffsets(channels);
  const differing = (fill: number) =>
    data.reduce((sum, sample, at) => sum + Number(sample !== fill && at % channels !== alpha), 0);
  // Samples by which decoders fill what they have not decoded.
  return [0, 128, 255].some((fill) => differing(fill) <= (fill === 128 && madeUp < 1 ? madeUp * data.length : 0));
}

type RenderOrder = Omit<RenditionOrder, 'customerId' | 'alone'> & Omit<PictureOrder, 'maxPixels'>;

/**
 * Makes a rendition (`MediaReader.render`). An accepted picture is rendered even if limits were lowered since; damage was reported when it
 * was accepted. sharp writes sRGB and no metadata unless it is asked to.
 */
async function render(order: RenderOrder, metadata: MetadataReader): Promise<Answer> {
  const { input, folder, format } = order;
  try {
    const unlimited = { input, folder, maxPixels: Number.POSITIVE_INFINITY };
    return await withPicture(unlimited, metadata, async (picture): Promise<Answer> => {
      // sharp only rejects because of the picture: the order itself is valid.
      const pixels = await transformed(picture, order).catch(() => null);
      if (pixels === null) return { json: { kind: 'undecodable' } };
      return { json: { kind: 'rendered', contentType: `image/${format}` }, bytes: await encoded(pixels, order) };
    });
  } catch (error) {
    if (error instanceof Refusal) return { json: { kind: 'undecodable' } };
    throw error;
  }
}

/** The picture is resampled once, when it is decoded: what follows moves pixels. */
async function transformed(picture: Picture, order: RenderOrder): Promise<ScaledPicture> {
  const isTurned = order.rotation % 180 !== 0;
  const layout = layoutOf(order.originalSize ?? (isTurned ? swapped(picture) : picture), order);
  const size = isTurned ? swapped(layout.scaled) : layout.scaled;
  const scaled = await scaledPicture(picture, size, 'none');
  const upright = order.rotation === 0 ? scaled : await pixelsOf(sharpOf(scaled).rotate(order.rotation));
  const { width, height } = layout.kept;
  const cropped = () =>
    order.gravity === 'attention'
      ? sharpOf(upright).resize(width, height, { fit: 'cover', position: 'attention' })
      : sharpOf(upright).extract(layout.kept);
  const kept = isSame(layout.scaled, layout.kept) ? upright : await pixelsOf(cropped());
  const blurred = order.blur === null ? kept : await pixelsOf(sharpOf(kept).blur(order.blur));
  return isSame(layout.kept, layout.canvas) ? blurred : pixelsOf(padded(blurred, order, layout));
}

function padded(kept: ScaledPicture, { background }: Transformation, { canvas }: Layout): Sharp {
  const [across, down] = [canvas.width - kept.raw.width, canvas.height - kept.raw.height];
  const [left, top] = [Math.floor(across / 2), Math.floor(down / 2)];
  const color = background === null ? { r: 0, g: 0, b: 0, alpha: 0 } : `#${background}`;
  const opaque = sharpOf(kept).ensureAlpha();
  return opaque.extend({ left, top, right: across - left, bottom: down - top, background: color });
}

function isSame(one: { width: number; height: number }, other: { width: number; height: number }): boolean {
  return one.width === other.width && one.height === other.height;
}

/**
 * Opens a picture for `work`, whose temporary files are under `folder`. By its bytes only: the accepted types, and nothing over `maxPixels`
 * by its header, before anything is decoded. Throws refusals.
 * @param parent Watched by another thread while this one computes: libvips, which does not need this one, decodes beside it.
 */
async function withPicture<T>(
  order: PictureOrder,
  parent: { watchParent(): Promise<void> },
  work: (picture: Picture) => Promise<T>,
): Promise<T> {
  return withSource(order.input, async (file) => {
    const head = await bytesAt(file, 0, HEAD_BYTES);
    if (head.length === 0) throw fileEmpty();
    const raw = mayBeRaw(head) ? await readRaw(file) : null;
    if (raw === OTHER_RAW) throw unsupportedFormat('camera raw');
    const found = raw === null ? await sniff(head) : ({ kind: 'accepted', contentType: raw.contentType } as const);
    if (found.kind === 'unsupported') throw unsupportedFormat(found.contentType);
    const format = found.kind === 'accepted' ? formatOf(found.contentType) : undefined;
    if (format === undefined) throw notAnImage();
    const { contentType, decoder, maxPixels = order.maxPixels } = format;
    if (decoder !== 'libvips') await parent.watchParent();
    allowLoaders(allLoaders);
    // Loaded with the first of its pictures, by its name: no list of decoders is to be kept.
    const { open } = (await import(`./decoders/${decoder}.js`)) as { readonly open: OpenPicture };
    return open({ ...order, maxPixels: Math.min(maxPixels, order.maxPixels), contentType, file }, work);
  });
}

/**
 * Started as a program, by the name that it has in the bundle too, this is a child process that decodes untrusted pictures. It holds no
 * secret, and its end affects no other process. Its argument is the process id of its parent.
 */
if (basename(process.argv[1] ?? '') === 'media-child.js') {
  restrictSharp();
  const metadata = new MetadataReader(Number(process.argv[2]));
  // The parent ends this process. Signals from a terminal or a supervisor to the whole group are for the parent, which may still be waiting
  // for a result.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  answerJobs<SentJob>((job, bytes) => doJob(job, bytes, metadata));
}
