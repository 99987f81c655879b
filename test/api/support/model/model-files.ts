import { brokenPictureBytes, pictureIn } from '../../../../testing/memory/memory-media-reader.js';
import { picture, sha256 } from '../photos.js';

/** A file that clients send, and what its bytes come to. */
export interface ModelFile {
  readonly filename: string;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly ends: 'photo' | 'decode_failed' | 'not_an_image';
}

function file(filename: string, bytes: Uint8Array, ends: ModelFile['ends'] = 'photo'): ModelFile {
  return { filename, bytes, sha256: sha256(bytes), ends };
}

export const files: readonly ModelFile[] = [
  ...['b.jpg', 'A.jpg', 'a.jpg', 'ß.jpg'].map((name, at) => file(name, picture('x'.repeat(at % 3) + name))),
  file('broken.jpg', brokenPictureBytes(), 'decode_failed'),
  file('note.jpg', Buffer.from('a note'), 'not_an_image'),
];

export function fileAt(at: number): ModelFile {
  const found = files[at];
  if (found === undefined) throw new Error(`no file ${at}`);
  return found;
}

/** What the picture says of itself. */
export function titleOf({ bytes }: ModelFile): string | null {
  return pictureIn(bytes)?.title ?? null;
}
