import type { ItemError } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';

export interface SourceRequest {
  /** Whose file it becomes: one customer's sources delay no other's. */
  readonly customerId: Id;
  readonly url: string;
  /** The bytes before `offset` are stored already, from the version of the file that `validator` names; null: from the beginning. */
  readonly from: { readonly offset: number; readonly validator: string } | null;
  /** A larger file is refused. */
  readonly maxBytes: number;
}

/** A file that is being read. */
export interface OpenSource {
  /** Where in the file `bytes` begin: 0 when it has changed, or when the source cannot continue. */
  readonly offset: number;
  /** The size of the whole file; null when the source does not state it. */
  readonly sizeBytes: number | null;
  /** Names this version of the file, so that reading can continue later; null when it cannot. */
  readonly validator: string | null;
  /** Throws `SourceFailure` when the connection breaks, or nothing arrives for too long. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Ends it, at any time. */
  close(): void;
}

/** Why a file cannot be read. Its message names neither the URL nor an address. */
export class SourceFailure extends Error {
  /**
   * @param isFinal Trying again would not help.
   * @param retryAfterSeconds What the source asks for.
   */
  constructor(
    readonly error: ItemError,
    readonly isFinal: boolean,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(error.message);
    this.name = 'SourceFailure';
  }
}

/** Reads files of other servers, and only of permitted ones. Sends no credentials. */
export interface SourceReader {
  /** Why nothing is read from this URL, whatever its name resolves to; null when it may be. */
  problem(sourceUrl: string): string | null;
  /**
   * Begins to read. Every name on the way is resolved once, all its addresses must be permitted, and the request goes only there; at most
   * `MAX_REDIRECTS` redirects are followed. Throws `SourceFailure`: `source_unreachable`, `source_forbidden`, `source_not_found`,
   * `file_too_large`.
   */
  open(request: SourceRequest, stopping: AbortSignal): Promise<OpenSource>;
}

export const MAX_REDIRECTS = 3;
