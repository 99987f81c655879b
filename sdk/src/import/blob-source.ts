import { hex } from '../listing.js';
import { FileProblem, type ImportSource, photoName, uploadAnswer } from './source.js';

/** A blob to import, and its name. A `File` has its name with it. */
export interface BlobToImport {
  readonly blob: Blob;
  /** Names it among all of its run, and in a later run again; a path, say. Default: the name. */
  readonly ref?: string;
  /** The filename of the photo. Default: the name of the `File`. */
  readonly filename?: string;
}

/**
 * A file that a person chose or dropped into a page, or any other Blob, as what `runImport` takes. Hashed whole in memory, by the Web
 * Crypto API: browsers have that only on pages from `https:` or this machine.
 * @throws TypeError for a Blob without a name.
 */
export function blobSource({ blob, ref, filename }: BlobToImport): ImportSource {
  const { name, lastModified } = blob as Partial<File>;
  const called = filename ?? name;
  if (called === undefined) throw new TypeError('A Blob that is not a File needs a filename.');
  return {
    ref: ref ?? called,
    filename: photoName(called),
    sizeBytes: blob.size,
    fingerprint: lastModified === undefined ? null : [blob.size, lastModified].join(':'),
    async sha256() {
      const bytes = await blob.arrayBuffer().catch((error: Error) => {
        throw new FileProblem('unreadable', `The file cannot be read: ${error.message}`);
      });
      return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
    },
    async send({ url, method, headers: required, start }, onBytes, signal) {
      const headers = new Headers(required);
      // It is not ours to set here: it comes from the Blob.
      headers.delete('content-length');
      // A slice has no type that would be sent along.
      const rest = blob.slice(start);
      const response = await fetch(url, { method, headers, body: rest, signal });
      const body = await response.text();
      onBytes(rest.size);
      return uploadAnswer(response.status, body);
    },
  };
}
