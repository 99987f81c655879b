import type { Caller } from '../access/caller.js';
import type { RenditionUses } from '../photos/open-rendition.js';
import { notFound } from '../shared/errors.js';
import type { Readable } from '../shared/transactional.js';
import { type NamedPicture, openNamedPicture } from './open-named-picture.js';
import { parsePresetOptions } from './preset.js';

/**
 * What a preset with these options would show of the newest photo, to a client that shows no newer formats. Errors: `invalid_request`;
 * `not_found` when there is no photo; when opened those of `openRendition`.
 */
export async function previewOptions(
  { store, ...uses }: RenditionUses & { store: Readable<'photos'> },
  { customerId }: Pick<Caller, 'customerId'>,
  options: string,
): Promise<NamedPicture> {
  const parsed = parsePresetOptions(options);
  const window = { after: null, limit: 1 };
  const [photo] = await store.query(customerId, ({ photos }) =>
    photos.list({ filters: { trashed: 'false' }, sort: '-createdAt', window }),
  );
  if (photo === undefined) throw notFound('photo');
  return openNamedPicture(uses, photo, parsed);
}
