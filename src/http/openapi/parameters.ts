import { MAX_IDS } from '../requests/parameters.js';
import type { Parameter } from './operation.js';

export function pathId(name: string, what: string, example: number): Parameter {
  return {
    name,
    in: 'path',
    required: true,
    description: `The id of the ${what}. What is no id is answered as an id that does not exist: 404.`,
    schema: { $ref: '#/components/schemas/Id', examples: [example] },
  };
}

const ID = '[1-9][0-9]{0,15}';

/** One id, or a list of them. One schema of the text, as it stands in the path: of several, validators would have to guess which is meant. */
export function pathIds(name: string, what: string): Parameter {
  return {
    name,
    in: 'path',
    required: true,
    description: `The id of the ${what}, or up to ${MAX_IDS} of them with commas between: \`1,2,3\`. With a comma at the end, \`7,\`, one id is a list of one, and is answered as a list. A list with anything else in it is 404.`,
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
  description:
    'Your name for this request: 1 to 255 visible ASCII characters, in quotes or without. Sent again within 24 hours by any key of the customer it is not done again but answered as before, with `Idempotent-Replayed: true`. With another method, path, query or body it is 422.',
  schema: { type: 'string', minLength: 1, maxLength: 512, examples: ['8e03978e-40d5-43e8-bc93-6894a57f9324'] },
};

export const ifMatchHeader: Parameter = {
  name: 'If-Match',
  in: 'header',
  description:
    'The ETag of the state that you have seen, or `*`: if the resource has changed since, nothing is done and the answer is 412. Not with a list of ids.',
  schema: { type: 'string', examples: ['"d8b1f3c4a5e6978812345678900abcde"'] },
};

export const ifNoneMatchHeader: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description:
    'The ETag of what you have: if it is still right, the answer is 304 without a body. It counts as a request.',
  schema: { type: 'string', examples: ['"d8b1f3c4a5e6978812345678900abcde"'] },
};

/** Of a signed address. */
export const pathToken: Parameter = {
  name: 'token',
  in: 'path',
  required: true,
  description: 'What the service signed. Take the whole address as you were given it.',
  schema: { type: 'string', examples: ['WzEsNyw5MDQxOF0.c2lnbmF0dXJl'] },
};

export const preferHeader: Parameter = {
  name: 'Prefer',
  in: 'header',
  description: '`wait=N`: answer once the import has ended, or after N seconds, at most 15 (RFC 7240).',
  schema: { type: 'string', examples: ['wait=10'] },
};

export const rangeParameters: readonly Parameter[] = [
  {
    name: 'Range',
    in: 'header',
    description:
      'One range of bytes (RFC 9110 §14.2). Several, and what cannot be read, are answered with the whole file.',
    schema: { type: 'string', examples: ['bytes=0-1023'] },
  },
  {
    name: 'If-Range',
    in: 'header',
    description: 'An ETag, or a date: the range counts only if the file is still that one.',
    schema: { type: 'string', examples: ['"sha256-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"'] },
  },
  {
    name: 'If-Modified-Since',
    in: 'header',
    description: 'Counts only without `If-None-Match`.',
    schema: { type: 'string', examples: ['Sat, 21 Nov 2026 03:04:05 GMT'] },
  },
];
