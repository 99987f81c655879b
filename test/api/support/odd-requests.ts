import fc from 'fast-check';
import { endpoints } from './endpoints.js';
import type { RequestParts } from './http-client.js';
import { multipart, picture } from './photos.js';

const odd = <T>(...choices: readonly T[]) => fc.constantFrom(...choices);

/** What is there at first has ids from 1 on: 40 photos, 20 tags, 22 imports, of which 20 are open and have items of higher ids. */
const ids = fc.integer({ min: 1, max: 45 }).map(String);
const oddIds = odd(
  ...['0', '01', '1e3', '-1', '+1', '1.0', '0x1', '9007199254740991', '9007199254740992', '9223372036854775808'],
  ...['99999999999999999999999', 'NaN', 'null', 'undefined', '__proto__', 'constructor', '%D9%A1', '%31'],
  ...['1,2', '1%2C2', '1,,2', ',', '1%00', '%00', '%zz', '%', '..', '.', '*', '1;a=b', '1%2F2', "1'--", ' 1', '1%20'],
).map((id) => id.replaceAll(' ', '%20'));
const anyId = fc.oneof({ weight: 3, arbitrary: ids }, { weight: 1, arbitrary: oddIds });

const paths = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(odd(...endpoints.map(({ path }) => path.replaceAll('999999', ':'))), anyId, anyId)
      .map(([path, first, second]) => `/api/v1${path.replace(':', first).replace(':', second)}`),
  },
  {
    weight: 1,
    arbitrary: odd(
      ...['/', '/api', '/api/v1', '/api/v1/', '/api/v1/me/', '/api/v1//me', '/API/v1/me', '/api/v1/Me', '/api/v2/me'],
      ...[
        '/healthz',
        '/readyz',
        '/uploads/x',
        '/renditions/x',
        '/img/x/1/w=1?sig=x',
        '/uploads/',
        '/api/v1/../../etc/passwd',
        '//api/v1/me',
      ],
      ...['/api/v1/toString', '/api/v1/photos/1/x', `/api/v1/${'a'.repeat(5000)}`],
    ),
  },
);

/** Values of parameters. */
export const words = [
  ...['', ' ', 'a', 'Ada', '0', '-1', '1', '3', '1,2', '1e1', '101', '99999999999999999999', 'true', 'false', 'any'],
  ...['id', '-createdAt', '-name', 'takenAt', 'original', 'thumb', 'large', 'webp', 'jpeg', 'inline', 'photos', 'urls'],
  ...['exif', 'exif,urls', 'failed', 'awaiting_upload', 'landscape', 'image/*', 'image/jpeg', '*/*', '-180,-90,180,90'],
  ...['NaN,0,0,0', '1,1,0,0', '2026-11-21T12:00:00Z', '2026-02-30T00:00:00Z', '0000-01-01T00:00:00Z'],
  ...['9999-12-31T23:59:59.999+14:00', '2026-11-21T12:00:00', '0'.repeat(64), '\0', 'a\0b', '\ud800', '%', '_', '\\'],
  ...["'", '"', '😀', 'ﬀ', 'İ', 'e\u0301', '\u2028', '../..', '<script>', '__proto__', 'x'.repeat(201), 'ref'],
];
const parameters = [
  ...['limit', 'cursor', 'sort', 'ids', 'q', 'filename', 'tagIds', 'anyTagIds', 'excludeTagIds', 'untagged', 'name'],
  ...['importId', 'externalId', 'sha256', 'contentType', 'takenAfter', 'takenBefore', 'createdAfter', 'updatedBefore'],
  ...['hasLocation', 'bbox', 'camera', 'minRating', 'aspect', 'trashed', 'include', 'photoStatus', 'unused', 'format'],
  ...['rendition', 'disposition', 'permanent', 'ifExists', '__proto__', 'limit[]', 'a[b]', '', 'LIMIT'],
];
const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
const query = fc
  .array(fc.tuple(odd(...parameters), fc.oneof(odd(...words), fc.string({ unit: 'binary' }))), { maxLength: 3 })
  .chain((pairs) => {
    const text = pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
    const whole = text === '' ? '' : `?${text}`;
    return fc.oneof(
      { weight: 9, arbitrary: fc.constant(whole) },
      odd('?', '?&&', '?=', '?limit=%zz', '?limit', '?%00'),
    );
  });

/** Values as they stand in JSON; not all of them can come out of JSON.stringify. */
export const values = fc.oneof(
  odd(...words).map((word) => JSON.stringify(word)),
  odd(
    ...['null', 'true', 'false', '0', '-0', '1', '3', '90', '-1', '1.5', '1e400', '-1e400', '1e-400', '5e-324'],
    ...[
      '9007199254740991',
      '9007199254740993',
      '123456789012345678901234567890',
      '"\\u0000"',
      '"\\ud800"',
      '"\\udc00a"',
    ],
    ...[
      '[]',
      '{}',
      '[1]',
      '[1,1]',
      '[0]',
      '["Ada"]',
      '["new","NEW"]',
      '[null]',
      '[[]]',
      '[{}]',
      '{"a":"b"}',
      '{"a":null}',
    ],
    ...['{"":"x"}', '{"__proto__":"x"}', '{"__proto__":{"x":1}}', '{"constructor":{"prototype":{"x":1}}}', '{"0":"x"}'],
    ...['{"latitude":1,"longitude":2}', '{"latitude":91,"longitude":1e400}', '{"latitude":-0,"longitude":"1"}'],
    ...['{"x":0.5,"y":1}', '{"x":-0,"y":1e400}', '{"x":1.5}'],
    ...['"commit"', '"discard"', '"fail"', '"reject"', '"uploaded"', '"cancelled"', '"allow"', '"skip"', '"#FFFFFF"'],
    ...['"Europe/Paris"', '"+14:00"', '"-99:99"', '"Z"', '"2024-02-29T12:00:00"', '"2024-02-29T12:00:00+05:30"'],
    ...['"-000001-01-01T00:00:00Z"', '"+275760-09-13T00:00:00Z"', '"0000-01-01T00:00:00"', '"9999-12-31T23:59:59"'],
    ...[`"${'x'.repeat(300)}"`, `"${'é'.repeat(10_001)}"`, `"${'a'.repeat(64)}"`, `[${'1,'.repeat(1001)}1]`],
    ...['['.repeat(12) + ']'.repeat(12), `${'{"a":'.repeat(11)}1${'}'.repeat(11)}`, '['.repeat(100_000)],
  ),
  fc.json({ maxDepth: 3 }),
);
const fields = [
  ...['filename', 'title', 'description', 'takenAt', 'takenAtLocal', 'timeZone', 'location', 'rating', 'rotation'],
  ...['externalId', 'metadata', 'trashed', 'tagIds', 'tagNames', 'name', 'color', 'source', 'clientRef', 'sha256'],
  ...['duplicatePolicy', 'restoreTrashed', 'defaultTimeZone', 'action', 'missingUploads', 'sizeBytes', 'contentType'],
  ...[
    'status',
    'photos',
    'focus',
    'shiftTakenAt',
    'seconds',
    'id',
    '__proto__',
    'constructor',
    'toString',
    '',
    '0',
    'a.b',
  ],
];
const objects = fc
  .array(fc.tuple(odd(...fields), values), { maxLength: 4 })
  .map((entries) => `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`);
const photo = objects.map((object) =>
  object.replace(/^\{(?=(.?))/, '{"filename":"a.jpg","sizeBytes":3').replace(/3"/, '3,"'),
);
const json = fc.oneof(
  { weight: 5, arbitrary: objects },
  {
    weight: 3,
    arbitrary: fc.array(fc.oneof(photo, values), { maxLength: 3 }).map((all) => `{"photos":[${all.join()}]}`),
  },
  { weight: 1, arbitrary: values },
  { weight: 1, arbitrary: odd('', '{', '{"a":1,}', '\ufeff{}', 'undefined', '{"name":"a"}{"name":"b"}', '\0') },
);
const forms = fc.array(
  fc.record(
    {
      name: odd('file', 'photos', 'x', '', '__proto__', 'file[]'),
      filename: odd('a.jpg', '', '..', '/etc/passwd', 'a\0b', 'é.jpg', '"', 'x'.repeat(300)),
      type: odd('image/jpeg', 'application/json', 'x'),
      content: fc.oneof(fc.constant(picture('z')), fc.constant('[{"filename":"a.jpg"}]'), json, fc.constant('')),
    },
    { requiredKeys: ['name', 'content'] },
  ),
  { maxLength: 3 },
);

type Sent = Pick<RequestParts, 'body' | 'headers'>;
const bodies: fc.Arbitrary<Sent> = fc.oneof(
  { weight: 6, arbitrary: json.map((body) => ({ body })) },
  { weight: 1, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: json.map((body) => ({
      body: [Buffer.from(body)],
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    })),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((body) => ({ body })) },
  {
    weight: 2,
    arbitrary: fc.tuple(forms, fc.nat(200), fc.boolean()).map(([parts, cutAt, isCut]) => {
      const { body, type } = multipart(parts);
      return { body: isCut ? body.subarray(0, cutAt) : body, headers: { 'content-type': type } };
    }),
  },
);

const headers = fc
  .array(
    fc.oneof(
      fc.tuple(
        fc.constant('content-type'),
        odd(
          '',
          'text/plain',
          'application/json; charset=latin1',
          'application/merge-patch+json',
          'multipart/form-data',
        ),
      ),
      fc.tuple(
        odd('if-match', 'if-none-match', 'if-range'),
        odd('*', '""', 'W/"a"', '"a", "b"', 'a', '"', ',,', '\xff'),
      ),
      fc.tuple(
        fc.constant('range'),
        odd(
          'bytes=0-',
          'bytes=0-0',
          'bytes=-1',
          'bytes=5-2',
          'bytes=0-1,3-4',
          'bytes=',
          'bytes=99999999999999999999-',
          'x',
        ),
      ),
      fc.tuple(
        fc.constant('authorization'),
        odd<string | string[]>(
          '',
          'Bearer',
          'Bearer ',
          'Basic YTpi',
          'Bearer phs_live_x',
          'Bearer a b',
          ['Bearer a', 'Bearer b'],
          '\xe9',
        ),
      ),
      fc.tuple(
        odd('if-modified-since', 'if-unmodified-since', 'date'),
        odd('', 'x', 'Thu, 01 Jan 1970 00:00:00 GMT', '99999'),
      ),
      fc.tuple(odd('prefer'), odd('', 'wait=0', 'wait=-1', 'wait=x', 'respond-async')),
      fc.tuple(odd('expect'), odd('100-continue', 'everything')),
      fc.tuple(odd('content-encoding', 'accept-encoding', 'accept'), odd('', 'gzip', 'br', 'identity', '*;q=0', 'x')),
      fc.tuple(
        odd('x-forwarded-for', 'forwarded', 'idempotency-key', 'origin', 'host', 'x-http-method-override'),
        odd('', 'DELETE', '\xff', '::1'),
      ),
      fc.tuple(odd('upgrade'), odd('websocket', 'h2c')),
    ),
    { maxLength: 2 },
  )
  .map((entries) => Object.fromEntries(entries));

/** Any method on any path with any body: most of it is refused at the door. */
const wild: fc.Arbitrary<RequestParts> = fc
  .record({
    method: odd('GET', 'GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND', 'TRACE'),
    path: paths,
    query,
    sent: bodies,
    headers,
    plain: fc.boolean(),
  })
  .map(({ method, path, query, sent, headers, plain }) => {
    const body = method === 'TRACE' ? {} : sent;
    return { ...body, method, path: `${path}${query}`, headers: { ...body.headers, ...(plain ? {} : headers) } };
  });

/** Fields that a body of the endpoint takes. */
const ofPhoto = 'title description takenAt takenAtLocal timeZone location rating externalId metadata filename';
const shapes: Readonly<Record<string, string>> = {
  'PATCH /photos/:': `${ofPhoto} shiftTakenAt rotation focus trashed`,
  'PUT /photos/:/tags': 'tagIds tagNames',
  'POST /imports': 'name source clientRef duplicatePolicy restoreTrashed defaultTimeZone tagIds tagNames',
  'POST /imports/:/finalize': 'action missingUploads',
  'POST /imports/:/photos': `${ofPhoto} sizeBytes sha256 clientRef contentType tagIds tagNames`,
  'PATCH /imports/:/photos/:': `${ofPhoto} sizeBytes sha256 tagIds tagNames status`,
  'POST /tags': 'name color description',
  'PATCH /tags/:': 'name color description',
};
const queries: Readonly<Record<string, string>> = {
  'GET /photos': `limit sort ids q filename tagIds anyTagIds excludeTagIds untagged importId externalId sha256 contentType
    takenAfter takenBefore createdAfter updatedBefore hasLocation bbox camera minRating aspect trashed include cursor`,
  'GET /photos/:': 'include trashed',
  'GET /photos/:/download': 'rendition format disposition',
  'GET /imports/:': 'include limit cursor photoStatus',
  'GET /tags': 'limit sort q name ids unused cursor',
  'DELETE /photos/:': 'permanent',
  'POST /tags': 'ifExists',
};

/** An endpoint asked with its own method, for things that are mostly there, with fields and parameters that it knows. */
const aimed: fc.Arbitrary<RequestParts> = fc.constantFrom(...endpoints).chain(({ method, path: template }) => {
  const path = template.replaceAll('999999', ':');
  const endpoint = `${method} ${path}`;
  const known = (table: Readonly<Record<string, string>>) => odd(...(table[endpoint] ?? 'x').split(/\s+/));
  const pairs = fc.array(fc.tuple(known(queries), odd(...words)), { maxLength: endpoint in queries ? 2 : 0 });
  const entries = fc.array(fc.tuple(known(shapes), values), { maxLength: 3 });
  return fc.record({ entries, pairs, first: ids, second: fc.integer({ min: 40, max: 110 }) }).map((sent) => {
    const text = sent.entries.map(([name, value]) => `,${JSON.stringify(name)}:${value}`).join('');
    const named = method === 'POST' && path === '/tags' ? `"name":"n${sent.second}"` : '';
    const body =
      endpoint === 'POST /imports/:/photos'
        ? `{"photos":[{"filename":"a.jpg","sizeBytes":3${text}}]}`
        : `{${named}${named ? text : text.slice(1)}}`;
    const query = sent.pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
    const at = `/api/v1${path.replace(':', sent.first).replace(':', String(sent.second))}`;
    return { method, path: query === '' ? at : `${at}?${query}`, ...(endpoint in shapes && { body }) };
  });
});

/** Requests as no sane client makes them, and as sane ones do. */
export const requests = fc.oneof({ weight: 2, arbitrary: aimed }, { weight: 1, arbitrary: wild });
