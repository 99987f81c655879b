import type { HeaderName } from './headers.js';
import { type Parameter, type Paths, picture } from './operation.js';
import { ifNoneMatchHeader, rangeParameters } from './parameters.js';

const token: Parameter = {
  name: 'token',
  in: 'path',
  required: true,
  description: 'What the service signed. Take the whole address as you were given it.',
  schema: { type: 'string', examples: ['WzEsNyw5MDQxOF0.c2lnbmF0dXJl'] },
};
const fileHeaders: readonly HeaderName[] = ['ETag', 'Last-Modified', 'Accept-Ranges', 'Content-Disposition'];

/** Addresses that other answers hold (API.md §8.6): outside /api/v1, without a key, without a budget, for pages of any origin. */
export const signedPaths: Paths = {
  '/uploads/{token}': {
    put: {
      operationId: 'uploadBytes',
      tag: 'Signed addresses',
      summary: 'Send the bytes of one item',
      description:
        'The `upload.url` of an item. Good for 6 hours, for this item and its declared size and hash; it ends with the key that asked for it. The same bytes again are fine. One upload to an item is received at a time: a newer one ends the older. An installation may give addresses of its store instead.',
      scope: null,
      parameters: [token],
      body: {
        description: 'The bytes of the file, with the headers that the item names.',
        required: true,
        content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
      },
      answers: { 204: { description: 'They are safe, and will be looked at.' } },
      errors: [
        'size_mismatch',
        'checksum_mismatch',
        'upload_forbidden',
        'request_timeout',
        'upload_in_progress',
        'import_photo_final',
        'payload_too_large',
        'rate_limited',
        'storage_full',
      ],
    },
  },
  '/renditions/{token}': {
    get: {
      operationId: 'showRendition',
      tag: 'Signed addresses',
      summary: 'Show a rendition',
      description:
        'One of the `urls` of a photo, for `<img>`. Good until their `expiresAt`, and no longer than the key that asked for them: once that is deleted or expired, or has an IP list, the answer is 403. Any cache may keep the picture until `expiresAt`, since another rotation has another address.',
      scope: null,
      parameters: [token, ifNoneMatchHeader, ...rangeParameters],
      answers: {
        200: { description: 'The picture.', content: picture, headers: fileHeaders },
        206: {
          description: 'The range that was asked for.',
          content: picture,
          headers: [...fileHeaders, 'Content-Range'],
        },
        304: { description: 'It has not changed.', headers: fileHeaders },
      },
      errors: ['url_forbidden', 'not_found', 'range_not_satisfiable'],
    },
  },
};
