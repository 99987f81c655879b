import { readTraceparent } from '../../src/adapters/tracing/otlp-tracing.js';
import { acceptedFormats, deliveryAddressOf } from '../../src/api/files/delivery.controller.js';
import { requireOffset } from '../../src/api/files/uploads.controller.js';
import { idempotencyKeyOf } from '../../src/api/idempotency/idempotent-responses.js';
import { ImportQuery } from '../../src/api/imports/import.dto.js';
import { preferredWait } from '../../src/api/imports/imports.controller.js';
import { DeletionQuery, DownloadQuery, PhotoQuery } from '../../src/api/photos/photo.dto.js';
import { PhotoListQuery } from '../../src/api/photos/photo-list.dto.js';
import { TagCreationQuery, TagListQuery } from '../../src/api/tags/tag.dto.js';
import { isWellFormedToken } from '../../src/core/access/api-key.js';
import { explainRange, IpRanges, normalizeRange } from '../../src/core/access/ip-list.js';
import { MAX_URL_LENGTH, urlProblem } from '../../src/core/access/outgoing-url.js';
import { parsePresetOptions } from '../../src/core/delivery/preset.js';
import { normalSha256 } from '../../src/core/imports/candidate.js';
import { isLocalTime, isTimeZone, parseInstant } from '../../src/core/media/capture-time.js';
import { photoFields } from '../../src/core/media/photo-fields.js';
import { inputErrors, MAX_FILENAME, MAX_METADATA_VALUE } from '../../src/core/photos/photo.js';
import { searchTerms } from '../../src/core/photos/photo-query.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { readToken } from '../../src/core/shared/secrets.js';
import { cleanText, foldKey, searchText } from '../../src/core/shared/text.js';
import { parseTagName, tagErrors } from '../../src/core/tags/tag.js';
import { hashRecoveryCode } from '../../src/core/users/factors/one-time-code.js';
import { readFactorName } from '../../src/core/users/factors/second-factor.js';
import { browserName } from '../../src/core/users/notify-person.js';
import { readEmail } from '../../src/core/users/user.js';
import { JSON_BODY_BYTES, maxValuesOf, parseJson, REGISTRATION_BODY_BYTES } from '../../src/http/requests/json-body.js';
import { parametersOf, parseQuery } from '../../src/http/requests/parameters.js';
import { noneMatch } from '../../src/http/responses/reply.js';
import { singleRange } from '../../src/http/responses/send-download.js';
import { withoutBasePath } from '../../src/http/server/base-path.js';
import { headerLength, type RequestHeader } from '../../src/http/server/request.js';
import { clientSource } from '../../src/http/server/request-context.js';
import { pageQuery } from '../../src/pages/address.js';
import { cookieOf } from '../../src/pages/browser-session.js';
import { endOf } from '../../src/pages/form.js';
import { FieldLength } from '../../src/pages/form-fields.js';
import { formatsOf } from '../../src/pages/formats.js';
import { entriesOf } from '../../src/pages/ip-list-field.js';
import { readLocation } from '../../src/pages/library/location.view.js';
import { panelFilters, parseBox, readPanel } from '../../src/pages/library-query/library-query.js';
import { parsePair } from '../../src/pages/similar/similar.controller.js';

/** A parser of texts that clients send. */
export interface TextParser {
  readonly name: string;
  /** Of the longest text that it is given, in UTF-16 units. */
  readonly length: number;
  readonly parse: (text: string) => unknown;
  /** How texts begin that get far. */
  readonly begins?: readonly string[];
}

/** Of a request line with all headers. */
const ALL_HEADERS = 16 * 1024;
/** Of a value of a page's query. */
const PAGE_VALUE = 500;

const proxies = new IpRanges(['10.0.0.0/8']);
const request = (headers: object) => ({ headers, headersDistinct: headers }) as never;

function header(name: RequestHeader, parse: (text: string) => unknown, ...begins: string[]): TextParser {
  return { name: `header ${name}`, length: headerLength(name), parse, begins: ['', ...begins] };
}

/** Its length is that of the bytes. */
function json(name: string, length: number): TextParser {
  const parse = (text: string) => parseJson(Buffer.from(text, 'latin1'), 'body', maxValuesOf(length));
  return { name, length, parse, begins: ['', '"', '[', '{"a":', '["', '[{"a":"'] };
}

function photoField(field: string, length: number): TextParser {
  return { name: `photo ${field}`, length: 4 * length, parse: (text) => inputErrors({ [field]: text }) };
}

const queries = {
  ImportQuery,
  PhotoQuery,
  DownloadQuery,
  DeletionQuery,
  PhotoListQuery,
  TagListQuery,
  TagCreationQuery,
};

const parameters = Object.entries(queries).flatMap(([query, shape]) =>
  Object.entries(parametersOf(shape)).map(
    ([name, parse]): TextParser => ({ name: `${query} ${name}`, length: parse.maxLength + 1, parse }),
  ),
);

const parsers: readonly TextParser[] = [
  {
    name: 'IP list of a form',
    length: FieldLength.addresses,
    parse: (text) => entriesOf(text).map((entry) => normalizeRange(entry)),
    begins: ['', '10.0.0.1'],
  },
  { name: 'entry of an IP list', length: FieldLength.addresses, parse: explainRange, begins: ['', '1.', '[', 'a-'] },
  { name: 'position of a form', length: FieldLength.line, parse: readLocation, begins: ['', '48.8'] },
  { name: 'options of a preset', length: FieldLength.line, parse: parsePresetOptions, begins: ['', 'w=1'] },
  { name: 'e-mail address', length: FieldLength.line, parse: readEmail, begins: ['', 'a@', 'a@b.'] },
  { name: 'name of a factor', length: FieldLength.line, parse: readFactorName },
  { name: 'recovery code', length: FieldLength.line, parse: hashRecoveryCode },
  { name: 'day of expiry', length: FieldLength.word, parse: endOf },
  { name: 'pair of photos', length: FieldLength.word, parse: parsePair },
  { name: 'name of a tag', length: FieldLength.line, parse: (text) => parseTagName(text, 'name') },
  { name: 'colour of a tag', length: FieldLength.word, parse: (color) => tagErrors({ color }), begins: ['', '#'] },
  {
    name: 'URL',
    length: MAX_URL_LENGTH,
    parse: (text) => urlProblem(text, false),
    begins: ['', 'https://a/', 'https://'],
  },
  { name: 'text that is stored', length: FieldLength.text, parse: cleanText },
  { name: 'key of a text', length: PAGE_VALUE, parse: foldKey },
  { name: 'text that is searched for', length: PAGE_VALUE, parse: (text) => searchText(text) },
  { name: 'words of a search', length: PAGE_VALUE, parse: searchTerms },
  {
    name: 'filters of a page',
    length: PAGE_VALUE,
    parse: (text) => panelFilters(readPanel(() => text)),
  },
  { name: 'box of a map', length: PAGE_VALUE, parse: parseBox, begins: ['', '1.', '1,2,3,'] },
  { name: 'query of a page', length: ALL_HEADERS, parse: pageQuery, begins: ['', 'q='] },
  {
    name: 'query of the API',
    length: ALL_HEADERS,
    parse: (text) => parseQuery(text, parametersOf(PhotoListQuery)),
    begins: ['', 'ids='],
  },
  photoField('title', 255),
  photoField('filename', MAX_FILENAME),
  photoField('description', photoFields.description.max),
  photoField('externalId', 255),
  { name: 'value of metadata', length: 4 * MAX_METADATA_VALUE, parse: (a) => inputErrors({ metadata: { a } }) },
  { name: 'instant', length: 400, parse: parseInstant, begins: ['', '2026-11-21T03:04:05.'] },
  { name: 'local time', length: 400, parse: isLocalTime, begins: ['', '2026-11-21T03:04:05.'] },
  {
    name: 'path of a request',
    length: ALL_HEADERS,
    parse: (text) => withoutBasePath(text, '/photos'),
    begins: ['', '/photos/'],
  },
  { name: 'time zone', length: 256, parse: isTimeZone, begins: ['', '+', 'Europe/'] },
  { name: 'SHA-256', length: 256, parse: normalSha256 },
  { name: 'API key', length: headerLength('authorization'), parse: isWellFormedToken, begins: ['', 'phs_live_'] },
  { name: 'signed token', length: ALL_HEADERS, parse: (text) => readToken(['secret'], 'upload', text) },
  {
    name: 'address of a picture',
    length: ALL_HEADERS,
    parse: (url) => deliveryAddressOf({ url }),
    begins: ['', '/img/', '/img/a/b/c?exp=1', 'http://', '/img/a/b/c?sig='],
  },
  header('accept', (accept) => acceptedFormats(request({ accept })), 'image/webp;'),
  header('accept-language', (text) => formatsOf(request({ 'accept-language': text })), 'en-'),
  header('cookie', (cookie) => cookieOf(request({ cookie }), 'phs'), 'phs'),
  header('idempotency-key', (text) => idempotencyKeyOf(request({ 'idempotency-key': [text] })), '"', '"\\'),
  header('if-match', (text) => noneMatch(text, '"a"'), '"', 'W/"'),
  header('if-none-match', (text) => noneMatch(text, '"a"'), '"', 'W/"'),
  header('prefer', preferredWait, 'wait', 'wait='),
  header('range', (text) => singleRange(text, 1000), 'bytes=', 'bytes=1-'),
  header('traceparent', readTraceparent, '00-'),
  header('upload-offset', (text) => {
    requireOffset(request({ 'content-type': 'application/offset+octet-stream', 'upload-offset': text }));
  }),
  header('user-agent', browserName),
  header('x-forwarded-for', (text) => clientSource('10.0.0.1', text, proxies), '10.0.0.1,', '['),
  json('JSON', JSON_BODY_BYTES),
  json('JSON of a registration', REGISTRATION_BODY_BYTES),
  ...parameters,
];

/** Every parser that reads a text of a client in the service's own process. A text that is refused is parsed, too. */
export const textParsers: readonly TextParser[] = parsers.map((parser) => ({
  ...parser,
  parse: (text) => settled(() => parser.parse(text)),
}));

function settled(parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
}

/** What texts are made of that make parsers slow: blanks, marks, digits, and what Unicode takes apart or puts in order. */
const units = [
  '{"a":1},',
  '"a",',
  ...[
    ' ',
    '\t',
    '\n',
    'a',
    '0',
    '.',
    ',',
    '-',
    '=',
    '&',
    ';',
    '/',
    ':',
    '*',
    '"',
    '\\',
    '[',
    '{',
    '%',
    '@',
    '<',
    ' - ',
  ],
  ...['a ', 'a,', 'a.', 'a@', '0.', '1,', 'a=b&', 'a;', 'W/"', '""', '\\"', '[]', '[1],', '{"a":', '%41', '::', 'a-'],
  ...[
    '\u0301\u0327',
    '\u0344',
    '\uff9e\u0327',
    '\u034f\u0327',
    'e\u0301',
    '\ufdfa',
    '\u1100\u1161',
    '\ud83d\ude00',
    '\ud800',
  ],
];

/** Texts of this length that are as bad as any for a parser. */
export function* hostileTexts({ begins = [''] }: TextParser, length: number): Generator<string> {
  for (const begin of begins) {
    for (const unit of units) {
      const text = (begin + unit.repeat(Math.ceil(length / unit.length))).slice(0, length);
      yield text;
      yield `${text.slice(0, -1)}!`;
    }
  }
}
