import type { PhotoDetails } from '../resources.js';

/** One file to be imported, wherever it is stored. */
export interface ImportSource {
  /** Identifies the file within its run, and in later runs: for example a path. */
  readonly ref: string;
  /** The file name of the photo. */
  readonly filename: string;
  readonly sizeBytes: number;
  /** Differs whenever the content may differ; null when that cannot be known without reading it. */
  readonly fingerprint: string | null;
  /** The details that are known of the photo besides its file. A photo that the library has already keeps its own. */
  readonly details?: PhotoDetails;
  /** SHA-256 of the content in hex. Rejects with `FileProblem` when it cannot be read. */
  sha256(signal: AbortSignal): Promise<string>;
  /**
   * Sends the content from `start` on, with exactly these headers. `onBytes` is called with the number of bytes sent since its last call.
   * Rejects with `FileProblem` when the content cannot be read or its length has changed, with anything else when the connection fails.
   */
  send(request: UploadRequest, onBytes: (count: number) => void, signal: AbortSignal): Promise<UploadAnswer>;
}

/** A file whose content is known. */
export interface HashedFile {
  readonly source: ImportSource;
  readonly sha256: string;
  /** The name of its item in the import. */
  readonly clientRef: string;
}

export interface UploadRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The first byte of the content that is sent. */
  readonly start: number;
}

/** The response of an upload target. */
export interface UploadAnswer {
  readonly status: number;
  /** The service's error code, or that of the store (S3: `BadDigest`); null when there is none. */
  readonly code: string | null;
  readonly message: string | null;
}

/** One file cannot be imported. The others can. */
export class FileProblem extends Error {
  constructor(
    /** `unreadable` or `file_changed`. */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The code and message of the response: JSON from the service, XML from a store that speaks S3. */
export function uploadAnswer(status: number, body: string): UploadAnswer {
  const xml = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(body)?.[1] ?? null;
  try {
    const { error } = JSON.parse(body) as { error?: { code?: string; message?: string } };
    return { status, code: error?.code ?? null, message: error?.message ?? null };
  } catch {
    return { status, code: xml('Code'), message: xml('Message') };
  }
}

/** A name that the service takes (1 to 255 characters, no control characters, no slash of either kind), as near to the file's as can be. */
export function photoName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(/[\p{Cc}/\\]/gu, '_')
    .trim();
  const characters = [...plain];
  if (characters.length <= 255) return ['', '.', '..'].includes(plain) ? '_' : plain;
  const extension = /\.\w{1,8}$/.exec(plain)?.[0] ?? '';
  return characters.slice(0, 255 - extension.length).join('') + extension;
}
