import { renditionSizes } from '../../core/media/renditions.js';
import { MAX_SEARCH_WORDS, type PhotoSort, photoSorts } from '../../core/photos/photo-query.js';
import type { deletionParameters, downloadParameters, photoParameters } from '../api/photos/photo.dto.js';
import { MAX_FILTER_TAGS, MAX_HASHES, MAX_TYPES, type photoListParameters } from '../api/photos/photo-list.dto.js';
import { type HeaderName } from './headers.js';
import { json, mergePatch, type Paths } from './operation.js';
import {
  idempotencyKey,
  idList,
  ifMatchHeader,
  ifNoneMatchHeader,
  paginationSchemas,
  pathId,
  pathIds,
  query,
  rangeParameters,
} from './parameters.js';
import { flag, id, listOf, oneOf, ref, type Schema, text, whole } from './schema.js';

const SORT: PhotoSort = '-createdAt';

const when = (description: string): Schema =>
  text(`${description} RFC 3339 with its offset (in a URL \`+\` is \`%2B\`).`, '2026-11-21T03:04:05Z', {
    format: 'date-time',
  });

const include = (meanings: Readonly<Record<string, string>>): Schema =>
  listOf(
    `What to show beside the rest, with commas between.\n${Object.entries(meanings)
      .map(([name, meaning]) => `\n- \`${name}\`: ${meaning}`)
      .join('')}`,
    { type: 'string', enum: Object.keys(meanings) },
    { minItems: 1, maxItems: Object.keys(meanings).length, examples: [Object.keys(meanings).slice(0, 1)] },
  );
const urls = 'addresses of the renditions for `<img>`';

const listParameters = query<typeof photoListParameters>({
  ...paginationSchemas,
  sort: {
    type: 'string',
    enum: [...photoSorts],
    default: SORT,
    description:
      'The order; `-` is descending, the default is newest in the library first. What has no value comes last in both directions. `updatedAt` only ascends: a walk the other way would miss what changes meanwhile.',
    examples: ['-takenAt'],
  },
  ids: idList('These photos; ids that do not exist are simply not there.'),
  q: text(
    `Words, all of which begin a word of file name, title, description or a tag's name, whatever case and accents. At most ${MAX_SEARCH_WORDS} different words (\`too_many\`); without a letter or digit it is refused.`,
    'eiffel rain',
    { minLength: 1, maxLength: 200 },
  ),
  filename: text('The whole name, whatever its case.', 'DSC_3701.jpg', { minLength: 1, maxLength: 1000 }),
  tagIds: idList('Carries all of these tags.', MAX_FILTER_TAGS),
  anyTagIds: idList('Carries at least one of these tags.', MAX_FILTER_TAGS),
  excludeTagIds: idList('Carries none of these tags.', MAX_FILTER_TAGS),
  untagged: flag('`true`: carries no tag; `false`: carries one at least.', true),
  importId: id('Came with this import.', 7),
  externalId: text('Has exactly this `externalId`.', 'shoot-17/3701', { minLength: 1, maxLength: 1000 }),
  sha256: listOf(
    `Originals with these hashes: which of them are there already? At most ${MAX_HASHES}, with commas between.`,
    { type: 'string', pattern: '^[0-9a-fA-F]{64}$' },
    {
      minItems: 1,
      maxItems: MAX_HASHES,
      examples: [['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08']],
    },
  ),
  contentType: listOf(
    `One of these types, or of a kind as \`image/*\`. At most ${MAX_TYPES}, with commas between.`,
    { type: 'string', pattern: '^[A-Za-z]+/(\\*|[A-Za-z0-9.+-]+)$' },
    { minItems: 1, maxItems: MAX_TYPES, examples: [['image/jpeg', 'image/png']] },
  ),
  takenAfter: when('Taken then or later.'),
  takenBefore: when('Taken before.'),
  createdAfter: when('In the library since then or later.'),
  createdBefore: when('In the library since before.'),
  updatedAfter: when('Changed then or later.'),
  updatedBefore: when('Last changed before.'),
  hasLocation: flag('Whether its place is known.', true),
  bbox: listOf(
    'Taken in this box: minLon,minLat,maxLon,maxLat in decimal degrees. Crosses 180° when minLon is above maxLon.',
    { type: 'number', minimum: -180, maximum: 180 },
    { minItems: 4, maxItems: 4, examples: [[2.22, 48.81, 2.47, 48.91]] },
  ),
  camera: text(
    'Part of make and model, whatever case and accents; without a letter or digit it is refused.',
    'nikon d750',
    {
      minLength: 1,
      maxLength: 200,
    },
  ),
  minRating: whole('So many stars or more.', 4, { minimum: 0, maximum: 5 }),
  aspect: oneOf<'landscape' | 'portrait' | 'square'>('The shape, as shown.', {
    landscape: 'wider than high',
    portrait: 'higher than wide',
    square: 'neither',
  }),
  trashed: oneOf<'false' | 'true' | 'any'>(
    'Where to look.',
    { false: 'in the library', true: 'in the trash', any: 'in both' },
    { default: 'false' },
  ),
  include: include({ urls }),
});

const photoHeaders: readonly HeaderName[] = ['ETag'];
const fileHeaders: readonly HeaderName[] = [
  'ETag',
  'Last-Modified',
  'Accept-Ranges',
  'Content-Disposition',
  'Repr-Digest',
];
export const bytes = { 'image/*': { schema: { type: 'string', format: 'binary' } } };

export const photoPaths: Paths = {
  '/api/v1/photos': {
    get: {
      operationId: 'listPhotos',
      tag: 'Photos',
      summary: 'List photos',
      description:
        'The library, filtered by everything that is named, sorted, page by page. To follow what changes: `sort=updatedAt&updatedAfter=T&trashed=any`, where T is the newest `updatedAt` seen less 60 seconds. Never by the highest id: ids are given at registration, and imports end in any order.',
      scope: 'photos:read',
      parameters: listParameters,
      answers: { 200: { description: 'A page of photos.', content: json(ref('PhotoPage')) } },
      errors: ['invalid_cursor'],
    },
  },
  '/api/v1/photos/{id}': {
    get: {
      operationId: 'getPhoto',
      tag: 'Photos',
      summary: 'Read a photo',
      description: 'One in the trash is 404 unless `trashed=any` asks for it.',
      scope: 'photos:read',
      parameters: [
        pathId('id', 'photo', 90417),
        ...query<typeof photoParameters>({
          include: include({ exif: 'what the file says', urls }),
          trashed: oneOf<'false' | 'any'>(
            'Whether one in the trash is shown.',
            { false: 'it is 404', any: 'it is shown' },
            { default: 'false' },
          ),
        }),
        ifNoneMatchHeader,
      ],
      answers: {
        200: { description: 'The photo.', content: json(ref('Photo')), headers: photoHeaders },
        304: { description: 'It has not changed. Not with `include`.', headers: photoHeaders },
      },
      errors: ['not_found'],
    },
    patch: {
      operationId: 'updatePhoto',
      tag: 'Photos',
      summary: 'Change photos',
      description:
        'A merge patch (RFC 7396) to one photo, or the same to each of a list. A patch that changes nothing leaves `version` as it is. `takenAt` sets all three fields of time; `timeZone` alone keeps what the clock showed and moves the instant; `takenAtLocal` alone keeps the zone; `takenAt: null` clears all three. On a photo in the trash only a patch with `"trashed": false` works.',
      scope: 'photos:write',
      parameters: [pathIds('id', 'photo'), ifMatchHeader, idempotencyKey],
      body: { description: 'What is to change.', required: true, content: mergePatch(ref('PhotoPatch')) },
      answers: {
        200: {
          description: 'The photo as it is now; of a list, what became of each.',
          content: json({ oneOf: [ref('Photo'), ref('PhotoEdits')] }),
          headers: photoHeaders,
        },
      },
      errors: ['not_found', 'precondition_failed'],
    },
    delete: {
      operationId: 'deletePhoto',
      tag: 'Photos',
      summary: 'Delete photos',
      description:
        'Moves a photo, or each of a list, to the trash, from which it can be brought back for 30 days (`PATCH {"trashed": false}`). With `permanent=true` it is gone for ever, also from the trash. A second time it is 404; with the same Idempotency-Key 204 again.',
      scope: 'photos:delete',
      parameters: [
        pathIds('id', 'photo'),
        ...query<typeof deletionParameters>({
          permanent: flag('`true` deletes for ever, at once.', true, { default: false }),
        }),
        ifMatchHeader,
        idempotencyKey,
      ],
      answers: {
        200: { description: 'Of a list: what became of each.', content: json(ref('PhotoDeletions')) },
        204: { description: 'It is deleted.' },
      },
      errors: ['not_found', 'precondition_failed'],
    },
  },
  '/api/v1/photos/{id}/download': {
    get: {
      operationId: 'downloadPhoto',
      tag: 'Photos',
      summary: 'Download a photo',
      description:
        'The original, byte for byte, or a rendition: upright, sRGB, without any metadata. Ranges, `If-Range`, `If-None-Match` and HEAD work; each request counts as one read. When the store breaks after the first byte the connection is cut: an answer that ended is whole. A photo with `originalLostAt` answers 503.',
      scope: 'photos:read',
      parameters: [
        pathId('id', 'photo', 90417),
        ...query<typeof downloadParameters>({
          rendition: oneOf<'original' | keyof typeof renditionSizes>(
            'What to send. The number is the longest side in pixels; nothing is enlarged.',
            {
              original: 'the file as it was imported',
              thumb: String(renditionSizes.thumb),
              small: String(renditionSizes.small),
              medium: String(renditionSizes.medium),
              large: String(renditionSizes.large),
            },
            { default: 'original' },
          ),
          format: oneOf<'jpeg' | 'webp'>(
            'Of a rendition; not with the original. Left out: JPEG, or WebP for pictures with transparency.',
            { jpeg: '', webp: '' },
          ),
          disposition: oneOf<'attachment' | 'inline'>(
            'What browsers do with it.',
            { attachment: 'save', inline: 'show' },
            { default: 'attachment' },
          ),
        }),
        ifNoneMatchHeader,
        ...rangeParameters,
      ],
      answers: {
        200: { description: 'The whole file.', content: bytes, headers: fileHeaders },
        206: {
          description: 'The range that was asked for.',
          content: bytes,
          headers: [...fileHeaders, 'Content-Range'],
        },
        304: { description: 'It has not changed.', headers: fileHeaders },
      },
      errors: ['not_found', 'range_not_satisfiable'],
    },
  },
  '/api/v1/photos/{id}/tags': {
    get: {
      operationId: 'listPhotoTags',
      tag: 'Photos',
      summary: 'List the tags of a photo',
      description: 'By name, all in one page.',
      scope: 'photos:read',
      parameters: [pathId('id', 'photo', 90417)],
      answers: { 200: { description: 'Its tags.', content: json(ref('TagPage')) } },
      errors: ['not_found'],
    },
    put: {
      operationId: 'setPhotoTags',
      tag: 'Photos',
      summary: 'Set the tags of a photo',
      description:
        'Replaces the set. `{"tagIds": []}` clears it. Names that no tag has are made, which needs the scope `tags:write`, too.',
      scope: 'photos:write',
      parameters: [pathId('id', 'photo', 90417), ifMatchHeader, idempotencyKey],
      body: { description: 'The new set.', required: true, content: json(ref('PhotoTags')) },
      answers: { 200: { description: 'Its tags now.', content: json(ref('TagPage')) } },
      errors: ['not_found', 'limit_reached', 'precondition_failed'],
    },
  },
};
