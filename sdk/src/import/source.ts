import type { UploadTarget } from '../resources.js';

/** One file that is to be imported, wherever it is kept. */
export interface ImportSource {
  /** Names the file among all of its run, and in a later run again: a path, say. */
  readonly ref: string;
  /** What the photo is to be called. */
  readonly filename: string;
  readonly sizeBytes: number;
  /** Differs as soon as the content may differ; null when that cannot be told without reading it. */
  readonly fingerprint: string | null;
  /** SHA-256 of the content in hex. Rejects with `FileProblem` when it cannot be read. */
  sha256(signal: AbortSignal): Promise<string>;
  /**
   * Sends the content to a target, with exactly its headers. `onBytes` is told how many bytes went out since it was last told. Rejects
   * with `FileProblem` when the content cannot be read or has another length now, with anything else when the way is broken.
   */
  send(target: UploadTarget, onBytes: (count: number) => void, signal: AbortSignal): Promise<UploadAnswer>;
}

/** What the holder of an upload target answered. */
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

/** The answer's code and message: JSON from the service, XML from a store that speaks S3. */
export function uploadAnswer(status: number, body: string): UploadAnswer {
  const xml = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(body)?.[1] ?? null;
  try {
    const { error } = JSON.parse(body) as { error?: { code?: string; message?: string } };
    return { status, code: error?.code ?? null, message: error?.message ?? null };
  } catch {
    return { status, code: xml('Code'), message: xml('Message') };
  }
}
