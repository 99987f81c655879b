import { Socket } from 'node:net';
import { MAX_SIDE } from '../../core/customers/limits.js';
import { acceptedFormats } from '../../core/media/formats.js';
import {
  altitudes,
  type FieldValues,
  type FileField,
  fileFields,
  latitudes,
  longitudes,
  type PhotoField,
  photoFields,
  type Range,
  valuesOf,
} from '../../core/media/photo-fields.js';
import { MAX_RESULT_SIDE, pictureFormats } from '../../core/media/transformation.js';
import type { ItemErrorCode } from '../../core/shared/errors.js';
import { codePoints } from '../../core/shared/text.js';
import { MAX_EXIF_BYTES, MAX_EXIF_TEXT } from './metadata.js';

/** Space for new objects, in MiB, of a decoder and of its thread. Little of a picture outlives it: a larger one is filled with what is not needed. */
export const NEW_SPACE_MIB = 2;

/**
 * The channel between the service and a decoder: a pipe on descriptor 3 of the decoder, on which each side sends frames. A frame is the length
 * of its JSON and the length of its bytes (4 bytes each, big-endian), the JSON, and the bytes. Not Node's own channel for messages: it
 * throws at what it cannot read where no caller can catch it, and holds in memory whatever length it is told.
 */
export interface Frame {
  readonly json: unknown;
  readonly bytes: Buffer;
}

export interface FrameBounds {
  readonly maxJsonBytes: number;
  readonly maxBytes: number;
}

/** The error for bytes that are not a frame within its bounds. */
export class FrameError extends Error {}

const HEADER_BYTES = 8;
/** Bytes of a picture that is sent with its job. From about here on, a file that libvips maps costs less, and no memory of either side. */
export const MAX_SENT_BYTES = 512 * 1024;
/** Bounds of jobs, which the service itself makes. */
const JOB: FrameBounds = { maxJsonBytes: 64 * 1024, maxBytes: MAX_SENT_BYTES };

export function encodeFrame(json: unknown, bytes: Uint8Array = new Uint8Array()): Buffer {
  const text = Buffer.from(JSON.stringify(json));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(text.length, 0);
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, text, bytes]);
}

/** Reads one frame, no matter who sends it: at most its bounds are held in memory, and the only error is `FrameError`. */
export class FrameReader {
  #part: Buffer = Buffer.alloc(HEADER_BYTES);
  #filled = 0;
  /** Null while the header is read. */
  #jsonBytes: number | null = null;

  constructor(private readonly bounds: FrameBounds) {}

  /** Takes what has arrived. Returns the frame once it is complete, and must then not be called again. */
  push(chunk: Buffer): Frame | null {
    let rest = this.#take(chunk);
    if (this.#filled < this.#part.length) return null;
    if (this.#jsonBytes === null) {
      const [jsonBytes, bytes] = [this.#part.readUInt32BE(0), this.#part.readUInt32BE(4)];
      if (jsonBytes > this.bounds.maxJsonBytes || bytes > this.bounds.maxBytes) throw new FrameError('it is too long');
      this.#jsonBytes = jsonBytes;
      this.#part = Buffer.allocUnsafeSlow(jsonBytes + bytes);
      this.#filled = 0;
      rest = this.#take(rest);
      if (this.#filled < this.#part.length) return null;
    }
    if (rest.length > 0) throw new FrameError('more bytes follow it');
    try {
      const json: unknown = JSON.parse(this.#part.toString('utf8', 0, this.#jsonBytes));
      return { json, bytes: this.#part.subarray(this.#jsonBytes) };
    } catch {
      throw new FrameError('it is not JSON');
    }
  }

  /** Returns what is not part of this one. */
  #take(chunk: Buffer): Buffer {
    const taken = chunk.copy(this.#part, this.#filled);
    this.#filled += taken;
    return chunk.subarray(taken);
  }
}

/**
 * The decoder's side: says that it is ready, and answers one job after the other. When its parent is gone, or there has never been one, the
 * process is killed: exit() would wait for a decoder.
 */
export function answerJobs<Job>(
  answer: (job: Job, bytes: Buffer) => Promise<{ json: unknown; bytes?: Uint8Array }>,
): void {
  const end = () => process.kill(process.pid, 'SIGKILL');
  let channel: Socket;
  try {
    channel = new Socket({ fd: 3, readable: true, writable: true });
  } catch {
    end();
    return;
  }
  const send = (json: unknown, bytes?: Uint8Array) => channel.write(encodeFrame(json, bytes));
  let reader = new FrameReader(JOB);
  channel.on('data', async (chunk) => {
    const frame = reader.push(chunk);
    if (frame === null) return;
    reader = new FrameReader(JOB);
    const { json, bytes } = await answer(frame.json as Job, frame.bytes);
    send(json, bytes);
  });
  channel.on('error', end);
  channel.on('close', end);
  send({ kind: 'ready' });
}

/**
 * The answers that a decoder may give, field by field. It may have been taken over by a picture, so its answer is checked as a client's body is, and
 * what does not fit here is a failure of the decoder. The types of answers are those of this declaration.
 */

/** Returns the value as what it was found to be. Throws `FrameError`, which names the field. */
type Check<T> = (value: unknown, field: string) => T;
type Checked<C> = C extends Check<infer T> ? T : never;

function requireThat(holds: boolean, field: string, what: string): asserts holds {
  if (!holds) throw new FrameError(`its ${field} is not ${what}`);
}

/** At most so many characters, which Postgres can store. */
const text =
  (max: number, pattern = /^/): Check<string> =>
  (value, field) => {
    const isText = typeof value === 'string' && value.length <= 2 * max && codePoints(value) <= max;
    requireThat(isText, field, `a text of at most ${max} characters`);
    requireThat(value.isWellFormed() && !value.includes('\0') && pattern.test(value), field, 'a text of its form');
    return value;
  };

const number =
  (min: number, max: number): Check<number> =>
  (value, field) => {
    requireThat(typeof value === 'number' && value >= min && value <= max, field, `a number from ${min} to ${max}`);
    return value;
  };

const integer =
  (min: number, max: number): Check<number> =>
  (value, field) => {
    requireThat(Number.isInteger(value), field, 'an integer');
    return number(min, max)(value, field);
  };

const within = ({ min, max }: Range) => number(min, max);

const listOf =
  <T>(check: Check<T>, most: number): Check<readonly T[]> =>
  (value, field) => {
    requireThat(Array.isArray(value) && value.length <= most, field, `a list of at most ${most}`);
    return value.map((entry: unknown) => check(entry, `entry of ${field}`));
  };

const flag: Check<boolean> = (value, field) => {
  requireThat(typeof value === 'boolean', field, 'true or false');
  return value;
};

const oneOf =
  <const T extends string>(values: readonly T[]): Check<T> =>
  (value, field) => {
    const found = values.find((each) => each === value);
    requireThat(found !== undefined, field, 'one of its values');
    return found;
  };

const orNull =
  <T>(check: Check<T>): Check<T | null> =>
  (value, field) =>
    value === null ? null : check(value, field);

function fieldsOf(value: unknown, field: string): Readonly<Record<string, unknown>> {
  requireThat(typeof value === 'object' && value !== null && !Array.isArray(value), field, 'an object');
  return value as Record<string, unknown>;
}

type Fields = Readonly<Record<string, Check<unknown>>>;
type CheckedFields<F extends Fields> = { readonly [Name in keyof F]: Checked<F[Name]> };

/** Exactly these fields. */
const object =
  <const F extends Fields>(checks: F): Check<CheckedFields<F>> =>
  (value, field) => {
    const fields = fieldsOf(value, field);
    requireThat(
      Object.keys(fields).every((name) => Object.hasOwn(checks, name)),
      field,
      'without other fields',
    );
    const checked = Object.entries(checks).map(([name, check]) => [
      name,
      check(Object.hasOwn(fields, name) ? fields[name] : undefined, `${field}.${name}`),
    ]);
    return Object.fromEntries(checked);
  };

type Variants<V extends Readonly<Record<string, Fields>>> = {
  readonly [Kind in keyof V]: { readonly kind: Kind } & CheckedFields<V[Kind]>;
}[keyof V];

/** One of several objects, by its `kind`. */
const variant =
  <const V extends Readonly<Record<string, Fields>>>(variants: V): Check<Variants<V>> =>
  (value, field) => {
    const { kind, ...fields } = fieldsOf(value, field);
    const known = oneOf(Object.keys(variants))(kind, `${field}.kind`);
    return { kind: known, ...object(variants[known] as Fields)(fields, field) } as Variants<V>;
  };

const tagName = text(90, /^[\w .:/()-]+$/);
const tagValue = { string: text(MAX_EXIF_TEXT), number: number(-Number.MAX_VALUE, Number.MAX_VALUE) };

const exif: Check<Readonly<Record<string, string | number>>> = (value, field) => {
  const tags = Object.entries(fieldsOf(value, field)).map(([name, tag]): [string, string | number] => [
    tagName(name, `name of a tag in ${field}`),
    tagValue[typeof tag === 'string' ? 'string' : 'number'](tag, `tag in ${field}`),
  ]);
  const checked = Object.fromEntries(tags);
  requireThat(Buffer.byteLength(JSON.stringify(checked)) <= MAX_EXIF_BYTES, field, `at most ${MAX_EXIF_BYTES} bytes`);
  return checked;
};

const writtenTime = orNull(text(100));
const side = integer(1, MAX_SIDE);

const fieldChecks = valuesOf(fileFields, (name): Check<unknown> => {
  const field = photoFields[name] as PhotoField;
  switch (field.kind) {
    case 'text':
      return orNull(text(field.max));
    case 'texts':
      return listOf(text(field.max), field.maxEntries);
    case 'whole':
      return orNull(integer(field.min, field.max));
    case 'flag':
      return flag;
    case 'position':
      return orNull(
        object({ latitude: within(latitudes), longitude: within(longitudes), altitude: orNull(within(altitudes)) }),
      );
  }
}) as { readonly [Name in FileField]: Check<FieldValues[Name]> };

const facts = {
  contentType: oneOf(acceptedFormats.map(({ contentType }) => contentType)),
  width: side,
  height: side,
  orientation: integer(1, 8),
  alpha: flag,
  damaged: flag,
  ...fieldChecks,
  camera: orNull(object({ make: orNull(text(255)), model: orNull(text(255)), lens: orNull(text(255)) })),
  exposure: orNull(
    object({
      iso: orNull(number(1, 10_000_000)),
      fNumber: orNull(number(0, 1000)),
      exposureTime: orNull(text(20)),
      focalLength: orNull(number(0, 100_000)),
      focalLength35mm: orNull(number(0, 100_000)),
      flash: orNull(flag),
    }),
  ),
  times: object({
    original: writtenTime,
    originalSubSec: writtenTime,
    originalOffset: writtenTime,
    digitized: writtenTime,
    digitizedSubSec: writtenTime,
    digitizedOffset: writtenTime,
    changed: writtenTime,
    changedOffset: writtenTime,
    xmpCreated: writtenTime,
    xmpOriginal: writtenTime,
    xmpDigitized: writtenTime,
    iptcCreated: writtenTime,
    gpsUtc: writtenTime,
  }),
  positionZone: orNull(text(64)),
  thumbhash: orNull(text(64, /^[A-Za-z0-9+/]+={0,2}$/)),
  dominantColor: orNull(text(7, /^#[0-9a-f]{6}$/)),
  phash: orNull(text(16, /^[0-9a-f]{16}$/)),
  companion: orNull(
    object({
      type: oneOf(['video']),
      contentType: oneOf(['video/mp4', 'video/quicktime']),
      offset: integer(0, 2 ** 40),
      sizeBytes: integer(1, 2 ** 40),
    }),
  ),
  exif,
} as const;

const refusals: readonly ItemErrorCode[] = [
  'file_empty',
  'not_an_image',
  'unsupported_format',
  'decode_failed',
  'too_many_pixels',
];

/** Instead of a result: an error in the decoder itself; or what the system refused to it, whatever the picture. */
const failures = { failed: { message: text(2000) }, unavailable: { code: text(20, /^E[A-Z0-9]+$/) } } as const;

/** The facts about a picture, whose bytes are those of its `thumb`; or why it is refused. */
export const inspectionAnswer = variant({
  picture: { facts: object(facts), contentType: oneOf<string>(['image/jpeg', 'image/webp']) },
  refused: { error: object({ code: oneOf(refusals), message: text(1000) }) },
  ...failures,
});
/** The bytes of a rendition; `undecodable`: there is none. */
export const renditionAnswer = variant({
  rendered: { contentType: oneOf<string>(pictureFormats.map((format) => `image/${format}`)) },
  undecodable: {},
  ...failures,
});
/** The first frame, once jobs can be accepted. */
export const readyAnswer = variant({ ready: {} });

export type InspectionAnswer = Checked<typeof inspectionAnswer>;
export type RenditionAnswer = Checked<typeof renditionAnswer>;

/** Facts, of which a description may have four bytes for each character or six where JSON escapes it, and the tags. */
const MAX_JSON_BYTES = 256 * 1024;

/** A `thumb` is far smaller. */
export const INSPECTION_BOUNDS: FrameBounds = { maxJsonBytes: MAX_JSON_BYTES, maxBytes: 1024 * 1024 };
/** No encoder makes more of a picture than its pixels, apart from what frames them. */
export const RENDITION_BOUNDS: FrameBounds = {
  maxJsonBytes: MAX_JSON_BYTES,
  maxBytes: MAX_RESULT_SIDE * MAX_RESULT_SIDE * 4 + 1024 * 1024,
};
