/** The description of a file before it is sent. `POST /imports/{id}/photos` of the service takes exactly this. */
export interface AnnouncedFile {
  readonly filename: string;
  readonly sizeBytes: number;
  /** The SHA-256 of its bytes, in hex. */
  readonly sha256: string;
  /** Names the file in `failed` of a `FinishAnswer`. */
  readonly clientRef: string;
}

/** `upload` of an item of an import, unchanged. */
export interface UploadTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `tus` among them: what has arrived of a large file is not sent again. */
  readonly protocols?: readonly string[];
}

/** Why a file is not accepted. */
export interface Refusal {
  readonly code: string;
  /** For people. */
  readonly message: string;
}

export interface UploadsQuestion {
  /** The id from the answer before, while the same import goes on; null at its beginning. */
  readonly importId: number | null;
  readonly files: readonly AnnouncedFile[];
}

export interface UploadsAnswer {
  readonly importId: number;
  /** One for each file, in the same order. Neither `upload` nor `error`: its bytes are there already. */
  readonly uploads: readonly { readonly upload?: UploadTarget | null; readonly error?: Refusal | null }[];
}

export interface FinishAnswer {
  /** Files whose bytes arrived and turned out to be no photos. */
  readonly failed?: readonly (Refusal & { readonly clientRef: string | null })[];
}

/** Registers files at the service, with the key that only your server has. */
export type RequestUploads = (question: UploadsQuestion, signal: AbortSignal) => Promise<UploadsAnswer>;

/** Finalizes an import: everything that could be sent has been. */
export type FinishUploads = (
  given: { readonly importId: number },
  signal: AbortSignal,
) => Promise<FinishAnswer | undefined>;

/** Asks an address of the page's own server, with its cookies. @throws Error whose message is for people */
export async function ask<T>(url: string, body: object, signal: AbortSignal): Promise<T> {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal });
  const content = await answer.json().catch(() => null);
  if (answer.ok) return content;
  throw new Error(content?.message ?? content?.error?.message ?? `The server responded with ${answer.status}.`);
}
