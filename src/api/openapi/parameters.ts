import { deliveryFormats, gravities } from '../../core/delivery/delivery-options.js';
import { MAX_IDEMPOTENCY_KEY } from '../../core/idempotency/idempotency-store.js';
import { fits, MAX_RESULT_SIDE } from '../../core/media/transformation.js';
import { MAX_IDS } from '../../http/requests/parameters.js';
import { MAX_QUOTED_KEY } from '../idempotency/idempotent-responses.js';
import type { Parameter } from './operation.js';

export function pathId(name: string, what: string, example: number): Parameter {
  return {
    name,
    in: 'path',
    required: true,
    description: `The id of the ${what}. A value that is not an id returns 404, like an id that does not exist.`,
    schema: { $ref: '#/components/schemas/Id', examples: [example] },
  };
}

/** In the paths of more than one controller. */
export const photoId = pathId('id', 'photo', 90417);
export const importId = pathId('id', 'import', 7);

const ID = '[1-9][0-9]{0,15}';

/** One id, or a list of them. One schema of the text, as it stands in the path: of several, validators would have to guess which is meant. */
export function pathIds(name: string, what: string): Parameter {
  return {
    name,
    in: 'path',
    required: true,
    description: `The id of the ${what}, or up to ${MAX_IDS} ids separated by commas: \`1,2,3\`. A trailing comma, \`7,\`, makes a list of one id, with the response of a list. A list that contains anything else returns 404.`,
    schema: {
      type: 'string',
      pattern: `^${ID}(,|(,${ID}){1,${MAX_IDS - 1}})?$`,
      examples: ['90417', '90417,', '90417,90418'],
    },
  };
}

export const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description: `A unique value of your choice that identifies this request: 1 to ${MAX_IDEMPOTENCY_KEY} visible ASCII characters, quoted or not. A request repeated within 24 hours by any key of the customer is not executed again but returns the first response, with \`Idempotent-Replayed: true\`. Another method, path, query or body returns 422.`,
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_QUOTED_KEY,
    examples: ['8e03978e-40d5-43e8-bc93-6894a57f9324'],
  },
};

export const operatorIdempotencyKey: Parameter = {
  ...idempotencyKey,
  description: `A unique value of your choice that identifies this request: 1 to ${MAX_IDEMPOTENCY_KEY} visible ASCII characters, quoted or not. A request repeated within 24 hours by any token is not executed again but returns the first response, with \`Idempotent-Replayed: true\`. Another method, path, query or body for the same account returns 422.`,
};

function header(name: string, description: string, example: string): Parameter {
  return { name, in: 'header', description, schema: { type: 'string', examples: [example] } };
}

function pathText(name: string, description: string, example: string): Parameter {
  return { name, in: 'path', required: true, description, schema: { type: 'string', examples: [example] } };
}

const ENTITY_TAG = '"d8b1f3c4a5e6978812345678900abcde"';
const FILE_TAG = '"sha256-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"';
const HTTP_DATE = 'Sat, 21 Nov 2026 03:04:05 GMT';

export const ifMatchHeader = header(
  'If-Match',
  'The ETag of the state you have read, also with the `W/` that a compressing proxy puts before it, or `*`. If the resource has changed since, nothing happens and the response is 412. Not valid with a list of ids.',
  ENTITY_TAG,
);

export const ifNoneMatchHeader = header(
  'If-None-Match',
  'The ETag you have. If it is still current, the response is 304 without a body. The request still counts.',
  ENTITY_TAG,
);

export const pathToken = pathText(
  'token',
  'The signed part of the URL. Use the whole URL as you received it.',
  'WzEsNyw5MDQxOF0.c2lnbmF0dXJl',
);

export const tusResumable: Parameter = {
  name: 'Tus-Resumable',
  in: 'header',
  required: true,
  description: 'The version of the protocol.',
  schema: { type: 'string', enum: ['1.0.0'], examples: ['1.0.0'] },
};

export const uploadOffset: Parameter = {
  name: 'Upload-Offset',
  in: 'header',
  required: true,
  description: 'Where in the file the bytes begin: how many have arrived.',
  schema: { type: 'integer', minimum: 0, examples: [8388608] },
};

export const deliveryParameters: readonly Parameter[] = [
  pathText('deliveryKeyId', 'The id of the delivery key that signed the URL.', 'dk_0123456789abcdef'),
  pathText('photoId', 'The id of the photo.', '90417'),
  pathText(
    'imageOptions',
    `What to show: \`w\` and \`h\` (1 to ${MAX_RESULT_SIDE}), \`fit\` (${fits.join(', ')}), \`g\` (${gravities.join(', ')}), \`f\` (${deliveryFormats.join(', ')}), \`q\` (1 to 100), \`dpr\` (1 to 3), \`bg\` (rrggbb), \`blur\` (0.3 to 100), \`p\` (a preset, which the others override). Separated by commas, each once, in any order.`,
    'w=640,h=480,fit=cover',
  ),
  {
    name: 'exp',
    in: 'query',
    description: 'When the URL expires, in Unix time in seconds. It is signed, and stands before `sig`.',
    schema: { type: 'string', pattern: '^[1-9][0-9]{0,10}$', examples: ['1800000000'] },
  },
  {
    name: 'sig',
    in: 'query',
    required: true,
    description: 'The signature, in base64url without padding. The last parameter.',
    schema: {
      type: 'string',
      pattern: '^[A-Za-z0-9_-]{43}$',
      examples: ['acSLMNBt6af5rOKnvd2JPIGkT6ZRb33FnekfceCkBqs'],
    },
  },
];

export const preferHeader = header(
  'Prefer',
  '`wait=N` delays the response until the import ends, for at most N seconds, up to 15 (RFC 7240).',
  'wait=10',
);

export const rangeParameters: readonly Parameter[] = [
  header(
    'Range',
    'A single range of bytes (RFC 9110 §14.2). Multiple or malformed ranges return the whole file.',
    'bytes=0-1023',
  ),
  header('If-Range', 'An ETag or a date. The range applies only if the file has not changed since.', FILE_TAG),
  header('If-Modified-Since', 'Ignored if `If-None-Match` is sent.', HTTP_DATE),
  header(
    'If-Match',
    'The ETag of the file you expect, also with `W/` before it. If it has changed, the response is 412, whatever else is requested.',
    FILE_TAG,
  ),
  header('If-Unmodified-Since', 'The same with a date. Ignored if `If-Match` is sent.', HTTP_DATE),
];
