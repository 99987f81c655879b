import { createHash } from 'node:crypto';
import { photoName } from '../import/photo-name.js';
import { FileProblem, type ImportSource } from '../import/source.js';
import type { PhotoDetails } from '../resources.js';
import { problemOf, unreadable } from './hash-pool.js';
import { type Connections, type Content, sendContent } from './put-file.js';

/** A file that is no file of this machine's own: an entry of an archive, or an object of another store. */
export interface StreamedFile {
  /** Identifies it within its run, and in later runs. */
  readonly ref: string;
  readonly filename: string;
  /** Read once for its hash, and again for its upload where the library lacks it. */
  readonly content: Content;
  /** Differs whenever the content may differ; null when that cannot be known without reading it. */
  readonly fingerprint: string | null;
  readonly details?: PhotoDetails | undefined;
}

/** A stream that can be opened again as what an import takes. */
export function streamSource(
  { ref, filename, content, fingerprint, details }: StreamedFile,
  { connections }: { readonly connections: Connections },
): ImportSource {
  return {
    ref,
    filename: photoName(filename),
    sizeBytes: content.sizeBytes,
    ...(details && { details }),
    fingerprint,
    sha256: (signal) => sha256(content, signal),
    send: (request, onBytes, signal) => sendContent(connections, content, request, onBytes, signal),
  };
}

async function sha256(content: Content, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of await content.open(0)) {
      signal.throwIfAborted();
      hash.update(chunk);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof FileProblem ? error : unreadable(problemOf(error));
  }
  return hash.digest('hex');
}
