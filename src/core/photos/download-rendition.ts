import type { Caller } from '../access/caller.js';
import type { RenditionFormat } from '../media/media-reader.js';
import { defaultFormat, type RenditionName } from '../media/renditions.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import type { Download } from './download-photo.js';
import { openRendition, type RenditionUses } from './open-rendition.js';
import type { Photo } from './photo.js';
import { readPhoto, readVisiblePhoto } from './read-photo.js';
import { fixedRendition } from './rendition.js';

export interface RenditionRequest {
  readonly name: RenditionName;
  /** Default: webp for pictures with transparency, otherwise jpeg. */
  readonly format?: RenditionFormat | undefined;
}

export interface RenditionDownload extends Download {
  readonly name: RenditionName;
  readonly format: RenditionFormat;
}

/** A smaller, upright picture, generated and stored on first use. Errors: `not_found`; when opened those of `renditionOf`. */
export async function downloadRendition(
  { store, ...uses }: RenditionUses & { store: Readable<'photos'> },
  caller: Pick<Caller, 'customerId'>,
  id: Id,
  { trashedToo = false, ...request }: RenditionRequest & { readonly trashedToo?: boolean },
): Promise<RenditionDownload> {
  const photo = trashedToo
    ? (await readPhoto({ store }, caller, id, { trashedToo, withExif: false })).photo
    : await readVisiblePhoto({ store }, caller, id);
  return renditionOf(uses, photo, request);
}

/** A rendition of a named size, in the current rotation of the photo. Errors: those of `openRendition`. */
export function renditionOf(
  uses: RenditionUses,
  photo: Photo,
  { name, format = defaultFormat(photo) }: RenditionRequest,
): RenditionDownload {
  return { ...openRendition(uses, photo, fixedRendition(photo, name, format)), name, format };
}
