import type { Sharp } from 'sharp';
import type { RenderedPicture, RenditionOrder } from '../../core/media/media-reader.js';
import { type Layout, layoutOf, type Transformation } from '../../core/media/transformation.js';
import { systemCode } from '../local-blobs/files.js';
import type { PictureInput } from './formats/file-bytes.js';
import { inspectPicture } from './inspect-picture.js';
import type { InspectionAnswer, RenditionAnswer } from './media-channel.js';
import type { MetadataReader } from './metadata-reader.js';
import { withPicture } from './picture.js';
import { Refusal } from './refusals.js';
import {
  encoded,
  type Picture,
  type PictureOrder,
  pixelsOf,
  type ScaledPicture,
  scaledPicture,
  sharpOf,
  swapped,
} from './scaled-picture.js';

/** The job that a decoder is asked to do, one at a time. */
export type MediaJob =
  | ({ readonly kind: 'inspect' } & Omit<PictureOrder, 'input'>)
  | ({ readonly kind: 'render' } & Omit<RenderOrder, 'input'>);

/** A job as it is sent. */
export type SentJob = MediaJob & {
  /** The file of its picture; null: the bytes come with the job. */
  readonly path: string | null;
};

/** The frame of an answer. */
interface Answer {
  readonly json: InspectionAnswer | RenditionAnswer;
  readonly bytes?: Uint8Array;
}

const MAX_MESSAGE = 2000;

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
    return { json: { kind: 'failed', message: message.toWellFormed().replaceAll('\0', '').slice(0, MAX_MESSAGE) } };
  }
}

async function inspect(order: PictureOrder, metadata: MetadataReader): Promise<Answer> {
  const inspection = await inspectPicture(order, metadata);
  if (inspection.outcome === 'refused') return { json: { kind: 'refused', error: inspection.error } };
  const { facts, thumb } = inspection;
  return {
    json: { kind: 'picture', facts: { phash: null, companion: null, ...facts }, contentType: thumb.contentType },
    bytes: thumb.bytes,
  };
}

async function render(order: RenderOrder, metadata: MetadataReader): Promise<Answer> {
  const rendered = await renderPicture(order, metadata);
  if (rendered === null) return { json: { kind: 'undecodable' } };
  return { json: { kind: 'rendered', contentType: rendered.contentType }, bytes: rendered.bytes };
}

export interface RenderOrder extends Omit<RenditionOrder, 'customerId' | 'alone'> {
  readonly input: PictureInput;
  /** Where temporary files may be created. */
  readonly folder: string;
}

const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 };

/**
 * Makes a rendition (`MediaReader.render`). An accepted picture is rendered even if limits were lowered since; damage was reported when it
 * was accepted. sharp writes sRGB and no metadata unless it is asked to.
 */
async function renderPicture(order: RenderOrder, metadata: MetadataReader): Promise<RenderedPicture | null> {
  const { input, folder } = order;
  try {
    return await withPicture({ input, folder, maxPixels: Number.POSITIVE_INFINITY }, metadata, async (picture) => {
      // sharp only rejects because of the picture: the order itself is valid.
      const pixels = await transformed(picture, order).catch(() => null);
      return pixels && { bytes: await encoded(pixels, order), contentType: `image/${order.format}` };
    });
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** The picture is resampled once, when it is decoded: what follows moves pixels. */
async function transformed(picture: Picture, order: RenderOrder): Promise<ScaledPicture> {
  const isTurned = order.rotation % 180 !== 0;
  const layout = layoutOf(order.originalSize ?? (isTurned ? swapped(picture) : picture), order);
  const size = isTurned ? swapped(layout.scaled) : layout.scaled;
  const scaled = await scaledPicture(picture, { ...size, failOn: 'none' });
  const upright = order.rotation === 0 ? scaled : await pixelsOf(sharpOf(scaled).rotate(order.rotation));
  const kept = isSame(layout.scaled, layout.kept) ? upright : await pixelsOf(cropped(upright, order, layout));
  const blurred = order.blur === null ? kept : await pixelsOf(sharpOf(kept).blur(order.blur));
  return isSame(layout.kept, layout.canvas) ? blurred : pixelsOf(padded(blurred, order, layout));
}

function cropped(upright: ScaledPicture, { gravity }: Transformation, { kept }: Layout): Sharp {
  const { width, height } = kept;
  if (gravity !== 'attention') return sharpOf(upright).extract(kept);
  return sharpOf(upright).resize(width, height, { fit: 'cover', position: 'attention' });
}

function padded(kept: ScaledPicture, { background }: Transformation, { canvas }: Layout): Sharp {
  const [across, down] = [canvas.width - kept.raw.width, canvas.height - kept.raw.height];
  const [left, top] = [Math.floor(across / 2), Math.floor(down / 2)];
  const color = background === null ? TRANSPARENT : `#${background}`;
  const opaque = sharpOf(kept).ensureAlpha();
  return opaque.extend({ left, top, right: across - left, bottom: down - top, background: color });
}

function isSame(one: { width: number; height: number }, other: { width: number; height: number }): boolean {
  return one.width === other.width && one.height === other.height;
}
