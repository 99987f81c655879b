import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { XmlProblem } from './xml.js';
import { Xmp } from './xmp.js';

/** Metadata keys under which the rest of a sidecar is stored: `xmp.1`, `xmp.2` and so on. */
const PREFIX = 'xmp.';
/** The share of the 50 keys that a photo can have. */
const MAX_KEYS = 16;
const VALUE_LENGTH = 500;
/** The most that is read of what is stored: a value from another program does not fill the memory. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Returns what a sidecar holds beyond the fields of a photo, as metadata of the photo: compressed, in pieces that fit. Null: there is more than the
 * metadata can hold.
 */
export function storeRemainder(remainder: Xmp): Readonly<Record<string, string>> | null {
  if (remainder.isEmpty) return {};
  const stored = deflateRawSync(Buffer.from(remainder.compact()), { level: 9 }).toString('base64url');
  const count = Math.ceil(stored.length / VALUE_LENGTH);
  if (count > MAX_KEYS) return null;
  const pieces = Array.from({ length: count }, (_, at) => stored.slice(at * VALUE_LENGTH, (at + 1) * VALUE_LENGTH));
  return Object.fromEntries(pieces.map((piece, at) => [`${PREFIX}${at + 1}`, piece]));
}

/** Returns what `storeRemainder` has stored; empty where nothing is, or something else. */
export function readRemainder(metadata: Readonly<Record<string, string>>): Xmp {
  let stored = '';
  for (let number = 1; Object.hasOwn(metadata, PREFIX + number); number += 1) stored += metadata[PREFIX + number];
  if (stored === '') return Xmp.empty();
  try {
    return Xmp.parse(inflateRawSync(Buffer.from(stored, 'base64url'), { maxOutputLength: MAX_BYTES }).toString());
  } catch (error) {
    if (error instanceof XmlProblem || (error as NodeJS.ErrnoException).code !== undefined) return Xmp.empty();
    throw error;
  }
}
