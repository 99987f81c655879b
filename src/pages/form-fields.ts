import { SetMetadata } from '@nestjs/common';
import type { Request } from 'express';
import type { InlineFile } from '../core/imports/register/inline.js';
import { DomainError, invalid } from '../core/shared/errors.js';
import { bytesOfPart, type Part, partsOf } from '../http/requests/multipart.js';
import { hasBody, headerOf, readBody } from '../http/server/request.js';

/** The length of a form without its files. */
const FORM_BYTES = 256 * 1024;

/**
 * The UTF-16 units that a field can have at most before anything reads it: more than any valid value of its kind has, so that the rules of
 * the field can say what is wrong with one that is only somewhat too long.
 */
export const FieldLength = {
  /** A choice, a number, a date, an id, a token of a form. */
  word: 200,
  /** A name, a title, a password, an address. */
  line: 4000,
  /** Characters of what a program made: an answer of a passkey, a sealed value, a query. */
  opaque: 20_000,
  /** A description, or a list of names. */
  text: 40_000,
  /** The ids of as many photos as one form has. */
  ids: 20_000,
  /** Characters of as many addresses as a key can have, and as much white space. */
  addresses: 20_000,
} as const;
export type FieldLength = (typeof FieldLength)[keyof typeof FieldLength];

/** The form of this route may contain files, after its other fields. */
export const TakesFiles = () => SetMetadata(TAKES_FILES, true);
export const TAKES_FILES = Symbol('TakesFiles');

export class FormFields {
  constructor(
    private readonly fields: URLSearchParams,
    /** Still being received: each must be read before the next. Null if there can be none. */
    readonly files: AsyncGenerator<InlineFile> | null = null,
    /** Stops reading files, when not all of them are read. */
    readonly leave: () => Promise<unknown> = async () => undefined,
  ) {}

  /** Empty when the field was not sent. Errors: `invalid_request` when it is longer than that. */
  text(name: string, length: FieldLength): string {
    return bounded(name, this.fields.get(name) ?? '', length);
  }

  /** The selected values of a group of checkboxes. Errors: as of `text`. */
  all(name: string, length: FieldLength): readonly string[] {
    return this.fields.getAll(name).map((value) => bounded(name, value, length));
  }

  has(name: string): boolean {
    return this.fields.has(name);
  }

  /** Everything that was sent, but for these fields. */
  entriesBut(...names: readonly string[]): readonly (readonly [name: string, value: string])[] {
    return [...this.fields].filter(([name]) => !names.includes(name));
  }
}

function bounded(name: string, value: string, max: number): string {
  if (value.length <= max) return value;
  throw invalid({ field: name, code: 'too_long', message: `${name} can have at most ${max} characters.`, max });
}

/**
 * The fields of a form; with `filesBytes`, those before its files. None for a body of another type, which is left to the handler. Errors:
 * `payload_too_large`, `invalid_request`.
 */
export async function readForm(request: Request, filesBytes: number | null = null): Promise<FormFields> {
  const type = headerOf(request, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === 'multipart/form-data' && filesBytes !== null) return readFormWithFiles(request, filesBytes);
  if (type !== 'application/x-www-form-urlencoded' || !hasBody(request)) return new FormFields(new URLSearchParams());
  if (headerOf(request, 'content-encoding') !== undefined) {
    throw new DomainError('unsupported_media_type', 'Send the form without Content-Encoding.');
  }
  const bytes = await readBody(request, FORM_BYTES);
  return new FormFields(new URLSearchParams(bytes.toString('utf8')));
}

async function readFormWithFiles(request: Request, maxBytes: number): Promise<FormFields> {
  const parts = partsOf(request, maxBytes, FORM_BYTES);
  const fields = new URLSearchParams();
  for (;;) {
    const { value: part, done } = await parts.next();
    if (done || part.kind === 'file') {
      return new FormFields(fields, filesOf(parts, done ? null : part), () => parts.return(undefined));
    }
    fields.append(part.name, part.text);
  }
}

/** Browsers send a field without a file, too: it has no name. */
async function* filesOf(parts: AsyncGenerator<Part>, first: Part | null): AsyncGenerator<InlineFile> {
  try {
    for (let part = first; part !== null; part = (await parts.next()).value ?? null) {
      if (part.kind === 'file' && part.filename !== '') {
        yield { filename: part.filename, bytes: bytesOfPart(part.stream) };
      }
    }
  } finally {
    await parts.return(undefined);
  }
}
