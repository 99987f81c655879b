import { systemCode } from '../local-blobs/files.js';
import type { MetadataReader } from './facts/metadata-reader.js';
import { type InspectOrder, inspectPicture } from './inspect-picture.js';
import type { InspectionAnswer, RenditionAnswer } from './media-answer.js';
import { type RenderOrder, renderPicture } from './render-picture.js';

/** The job that a decoder is asked to do, one at a time. */
export type MediaJob = ({ readonly kind: 'inspect' } & InspectOrder) | ({ readonly kind: 'render' } & RenderOrder);

/** The frame of an answer. */
interface Answer {
  readonly json: InspectionAnswer | RenditionAnswer;
  readonly bytes?: Uint8Array;
}

const MAX_MESSAGE = 2000;

/** Does a job, in a decoder. Never throws. */
export async function doJob(job: MediaJob, metadata: MetadataReader): Promise<Answer> {
  try {
    return job.kind === 'inspect' ? await inspect(job, metadata) : await render(job);
  } catch (error) {
    const code = systemCode(error);
    if (code !== null) return { json: { kind: 'unavailable', code } };
    const message = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
    return { json: { kind: 'failed', message: message.toWellFormed().replaceAll('\0', '').slice(0, MAX_MESSAGE) } };
  }
}

async function inspect(order: InspectOrder, metadata: MetadataReader): Promise<Answer> {
  const inspection = await inspectPicture(order, (source) => metadata.read(source));
  if (inspection.outcome === 'refused') return { json: { kind: 'refused', error: inspection.error } };
  const { facts, thumb } = inspection;
  return {
    json: { kind: 'picture', facts: { phash: null, companion: null, ...facts }, contentType: thumb.contentType },
    bytes: thumb.bytes,
  };
}

async function render(order: RenderOrder): Promise<Answer> {
  const rendered = await renderPicture(order);
  if (rendered === null) return { json: { kind: 'undecodable' } };
  return { json: { kind: 'rendered', contentType: rendered.contentType }, bytes: rendered.bytes };
}
