import { ApiError, type Photo, type PhotoQuery, type PhotoService, type TagQuery } from 'photo-service-sdk';
import { photoFilters, tagFilters } from './api-schemas.js';
import { defineTool, type Picture, schemaOf, type Tool } from './tool.js';

/** Enough to choose by; the rest is told by `look_at_photos`. */
const SUMMARY = [
  'id',
  'filename',
  'title',
  'description',
  'takenAt',
  'takenAtLocal',
  'place',
  'rating',
  'favorite',
  'creator',
  'width',
  'height',
  'contentType',
  'trashedAt',
] as const satisfies readonly (keyof Photo)[];

/** Photos of one search, unless told otherwise: an agent has to read them all. */
const DEFAULT_LIMIT = 20;
/** Pictures are most of what an agent has to read. */
const MAX_PICTURES = 8;

const page = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: DEFAULT_LIMIT },
  cursor: {
    type: 'string',
    maxLength: 2000,
    description: 'The `nextCursor` of the page before, with the same filters.',
  },
};

const searchPhotos = defineTool<PhotoQuery & { readonly cursor?: string }>({
  name: 'search_photos',
  title: 'Search photos',
  description:
    'Lists photos of the library that match all given filters; without any, the newest. Returns one page: `nextCursor` gets the next one, null means that there is none.',
  scopes: ['photos:read'],
  effect: 'reads',
  input: schemaOf({ ...photoFilters, ...page }),
  async run({ client, signal }, { cursor = null, limit = DEFAULT_LIMIT, ...filters }) {
    const { data, pagination } = await client.photos.list({ ...filters, limit }, { signal }).page(cursor);
    const photos = data.map((photo) => {
      const summary = Object.fromEntries(SUMMARY.map((name) => [name, photo[name]]));
      return { ...summary, tags: photo.tags.map(({ name }) => name) };
    });
    return { data: { photos, nextCursor: pagination.nextCursor } };
  },
});

const lookAtPhotos = defineTool<{ readonly ids: number[]; readonly pictures?: boolean }>({
  name: 'look_at_photos',
  title: 'Look at photos',
  description: `Returns all fields of up to ${MAX_PICTURES} photos and, as images in the order of \`pictures\`, a thumbnail of each.`,
  scopes: ['photos:read'],
  effect: 'reads',
  input: schemaOf(
    {
      ids: { type: 'array', items: { type: 'integer', minimum: 1 }, minItems: 1, maxItems: MAX_PICTURES },
      pictures: { type: 'boolean', default: true, description: 'False returns fields only.' },
    },
    ['ids'],
  ),
  async run({ client, signal }, { ids, pictures = true }) {
    const query = { ids, trashed: 'any', limit: MAX_PICTURES } as const;
    const { data: photos } = await client.photos.list(query, { signal }).page();
    const shown = pictures ? photos.filter(({ trashedAt }) => trashedAt === null) : [];
    const thumbs = await Promise.all(shown.map(async ({ id }) => ({ id, picture: await thumbOf(client, id, signal) })));
    const found = thumbs.flatMap(({ id, picture }) => (picture === null ? [] : [{ id, picture }]));
    const missing = ids.filter((id) => !photos.some((photo) => photo.id === id));
    return {
      data: { photos, missing, pictures: found.map(({ id }) => id) },
      pictures: found.map(({ picture }) => picture),
    };
  },
});

/** Null when there is none, or it is gone: the others are of use without it. */
async function thumbOf(client: PhotoService, id: number, signal: AbortSignal): Promise<Picture | null> {
  try {
    const download = await client.photos.download(id, { rendition: 'thumb', format: 'jpeg', signal });
    return { bytes: await download.bytes(), contentType: download.contentType };
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 503)) return null;
    throw error;
  }
}

const listTags = defineTool<TagQuery & { readonly cursor?: string }>({
  name: 'list_tags',
  title: 'List tags',
  description:
    'Lists tags by name, with the number of photos that have them. Returns one page, as `search_photos` does.',
  scopes: ['tags:read'],
  effect: 'reads',
  input: schemaOf({ ...tagFilters, ...page }),
  async run({ client, signal }, { cursor = null, limit = DEFAULT_LIMIT, ...filters }) {
    const { data, pagination } = await client.tags.list({ ...filters, limit }, { signal }).page(cursor);
    return { data: { tags: data, nextCursor: pagination.nextCursor } };
  },
});

export const readTools: readonly Tool[] = [searchPhotos, lookAtPhotos, listTags];
