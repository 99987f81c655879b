import type { Caller } from '../access/caller.js';
import { type Download } from '../photos/download-photo.js';
import { openRendition, type RenditionUses } from '../photos/open-rendition.js';
import { notFound } from '../shared/errors.js';
import type { Readable } from '../shared/transactional.js';
import { deliveredPicture, deliveredRendition, transformationName } from './delivered-picture.js';
import { parsePresetOptions } from './preset.js';

export interface PreviewDownload extends Download {
  /** Two previews with the same name have the same bytes. */
  readonly name: string;
}

/**
 * What a preset with these options would show of the newest photo, to a client that shows no newer formats. Errors: `invalid_request`;
 * `not_found` when there is no photo; when opened those of `openRendition`.
 */
export async function previewOptions(
  { store, ...uses }: RenditionUses & { store: Readable<'photos'> },
  { customerId }: Pick<Caller, 'customerId'>,
  options: string,
): Promise<PreviewDownload> {
  const parsed = parsePresetOptions(options);
  const window = { after: null, limit: 1 };
  const [photo] = await store.query(customerId, ({ photos }) =>
    photos.list({ filters: { trashed: 'false' }, sort: '-createdAt', window }),
  );
  if (photo === undefined) throw notFound('photo');
  const transformation = deliveredPicture(photo, parsed, new Set());
  const name = `${photo.sha256}-${transformationName(transformation)}-r${photo.rotation}`;
  return { ...openRendition(uses, photo, deliveredRendition(photo, transformation)), name };
}
