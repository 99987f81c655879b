// What the service is asked for an import. Its answers are those of the API.

import { publicPath } from './public-path.js';

interface ServiceError {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Where the bytes of a file go. */
export interface UploadTarget {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** A file of the import, as the service knows it. */
export interface ImportItem {
  readonly id: number;
  readonly status: string;
  readonly error: { readonly message: string } | null;
  readonly upload: UploadTarget | null;
}

export interface Announcement {
  readonly filename: string;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  readonly tagNames: readonly string[];
}

export interface Registered {
  readonly outcome: string;
  readonly photo: ImportItem | null;
  readonly error: { readonly message: string } | null;
  /** The item that records that the file was refused. */
  readonly refused: { readonly id: number } | null;
}

export interface ImportState {
  readonly id: number;
  readonly status: string;
  readonly counts: { readonly imported: number; readonly duplicate: number };
  /** From 0 to 1. */
  readonly progress: number;
  readonly failed: readonly { readonly id: number; readonly filename: string; readonly reason: string }[];
}

/** An answer that is an error: `code` and what it says to people. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    { code = 'unreachable', message = 'The service does not answer.', details = {} }: Partial<ServiceError> = {},
  ) {
    super(status === 401 ? 'You are signed out. Sign in again in another tab, then continue here.' : message);
    this.status = status;
    this.code = code;
    this.details = details;
  }

  /** Whether the same may go well a little later. */
  get mayPass(): boolean {
    return this.status === 0 || this.status === 401 || this.status === 429 || this.status >= 500;
  }
}

export const service = {
  /** A new import. */
  begin: (clientRef: string) => ask<{ id: number }>('/settings/import/begin', { clientRef }),
  /** Announces files; `throughService` asks for addresses here, where those of the store cannot be reached. */
  register: (importId: number, photos: readonly Announcement[], throughService: boolean) =>
    ask<{ data: readonly Registered[] }>(
      `/settings/import/${importId}/photos${throughService ? '?through=service' : ''}`,
      { photos },
    ),
  /** The store has the bytes: they may be looked at. */
  arrived: (importId: number, itemId: number) => ask(`/settings/import/${importId}/photos/${itemId}/arrived`, {}),
  finish: (importId: number, missingUploads: 'reject' | 'fail') =>
    ask(`/settings/import/${importId}/finish`, { missingUploads }),
  /** The import, with items that failed. */
  state: (importId: number) => ask<ImportState>(`/settings/imports/${importId}/state`),
};

async function ask<T>(path: string, body?: object): Promise<T> {
  const token = document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content ?? '';
  const headers = { Accept: 'application/json', 'X-CSRF-Token': token };
  const sent = body && { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(publicPath(path), {
    ...sent,
    headers: { ...headers, 'Content-Type': 'application/json' },
  }).catch(() => null);
  if (answer === null) throw new Refused(0);
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, content.error);
  return content;
}
