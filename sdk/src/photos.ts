import {
  type Api,
  asked,
  type CallOptions,
  dataOf,
  type EditOptions,
  orThrow,
  pathSegment,
  type WriteOptions,
  writeHeaders,
  written,
} from './calls.js';
import { ChecksumError } from './errors.js';
import { chunks, hex, Listing } from './listing.js';
import type {
  DownloadQuery,
  Photo,
  PhotoDeletion,
  PhotoEdit,
  PhotoExtras,
  PhotoPatch,
  PhotoQuery,
  PhotoTags,
  Tag,
} from './resources.js';
import type { Transport } from './transport.js';

export interface DownloadOptions extends CallOptions, DownloadQuery {
  /** Begin at this byte; `ifRange` ensures that it is still the same file (RFC 9110, 13.1.5), otherwise all of it is sent. */
  readonly from?: { readonly offset: number; readonly ifRange: string };
}

/** The photos of the library. */
export class Photos {
  constructor(
    private readonly api: Api,
    private readonly transport: Transport,
    private readonly baseUrl: string,
  ) {}

  /** The library: filtered, sorted, newest first if no `sort` is given. Scope `photos:read`. */
  list(query: PhotoQuery = {}, options: CallOptions = {}): Listing<Photo> {
    return new Listing(async (cursor) => {
      const page = { ...query, ...(cursor !== null && { cursor }) };
      return dataOf(await this.api.GET('/api/v1/photos', asked({ query: page }, options)));
    });
  }

  /** One photo. `ApiError` `not_found` for one in the trash, unless `trashed: 'any'`. Scope `photos:read`. */
  async get(id: number, extras: PhotoExtras = {}, options: CallOptions = {}): Promise<Photo> {
    return dataOf(await this.api.GET('/api/v1/photos/{id}', asked({ path: { id }, query: extras }, options)));
  }

  /** Changes what the patch names; null clears (JSON merge patch, RFC 7396). Scope `photos:write`. */
  async update(id: number, patch: PhotoPatch, options: EditOptions = {}): Promise<Photo> {
    const write = { ...written({ id: String(id) }, options), body: patch };
    return dataOf(await this.api.PATCH('/api/v1/photos/{id}', write)) as Photo;
  }

  /** The same change for many photos: one write for each 100, and an outcome for each photo. Scope `photos:write`. */
  async updateMany(ids: readonly number[], patch: PhotoPatch, options: CallOptions = {}): Promise<PhotoEdit[]> {
    const edits: PhotoEdit[] = [];
    for (const list of idLists(ids)) {
      const write = { ...asked({ path: { id: list } }, options), body: patch };
      const answer = await this.api.PATCH('/api/v1/photos/{id}', write);
      edits.push(...(dataOf(answer) as { readonly data: readonly PhotoEdit[] }).data);
    }
    return edits;
  }

  /** Moves a photo to the trash, or deletes it permanently. Scope `photos:delete`. */
  async delete(
    id: number,
    { permanent, ...options }: EditOptions & { readonly permanent?: boolean } = {},
  ): Promise<void> {
    const params = { path: { id: String(id) }, query: permanent ? { permanent } : {}, header: writeHeaders(options) };
    await this.api.DELETE('/api/v1/photos/{id}', asked(params, options));
  }

  /** The same for many: one write for each 100, and an outcome for each photo. Scope `photos:delete`. */
  async deleteMany(
    ids: readonly number[],
    { permanent, ...options }: CallOptions & { readonly permanent?: boolean } = {},
  ): Promise<PhotoDeletion[]> {
    const deletions: PhotoDeletion[] = [];
    for (const list of idLists(ids)) {
      const params = { path: { id: list }, query: permanent ? { permanent } : {} };
      const answer = await this.api.DELETE('/api/v1/photos/{id}', asked(params, options));
      deletions.push(...(dataOf(answer) as { readonly data: readonly PhotoDeletion[] }).data);
    }
    return deletions;
  }

  /** Restores a photo from the trash. Scope `photos:write`. */
  restore(id: number, options: WriteOptions = {}): Promise<Photo> {
    return this.update(id, { trashed: false }, options);
  }

  /** The tags of a photo, by name. Scope `photos:read`. */
  async tags(id: number, options: CallOptions = {}): Promise<readonly Tag[]> {
    return dataOf(await this.api.GET('/api/v1/photos/{id}/tags', asked({ path: { id } }, options))).data;
  }

  /** Replaces the tags of a photo. Missing tags are created, which needs `tags:write` too. Scope `photos:write`. */
  async setTags(id: number, tags: PhotoTags, options: EditOptions = {}): Promise<readonly Tag[]> {
    const write = { ...written({ id }, options), body: tags };
    return dataOf(await this.api.PUT('/api/v1/photos/{id}/tags', write)).data;
  }

  /**
   * The original byte for byte, or a rendition. Resolves when the first bytes arrive; see `Download` for how to check them, and
   * `downloadFile` of `photo-service-sdk/node` for a file. Scope `photos:read`.
   */
  async download(id: number, { from, signal, ...query }: DownloadOptions = {}): Promise<Download> {
    const url = new URL(`${this.baseUrl}/api/v1/photos/${pathSegment(id)}/download`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const headers = from && { Range: `bytes=${from.offset}-`, 'If-Range': from.ifRange };
    const request = new Request(url, { ...(headers && { headers }), ...(signal && { signal }) });
    return new Download(await orThrow(await this.transport.send(request, 'stream')));
  }
}

/** Returns path segments with up to 100 ids in each. A comma after a single id makes it a list, too: the response has one outcome. */
function idLists(ids: readonly number[]): string[] {
  return chunks([...new Set(ids)], 100).map((list) => (list.length === 1 ? `${list[0]},` : list.join(',')));
}

/** A download in progress. Read it once: by `bytes()`, or by `stream`. */
export class Download {
  constructor(private readonly response: Response) {}

  /** The bytes as they arrive, unchecked: to store them, compare `sha256` and `sizeBytes` yourself. */
  get stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return this.response.body ?? new Blob([]).stream();
  }

  /** The size of the whole, if this is a part; null when the service does not say. */
  get sizeBytes(): number | null {
    const total = /\/(\d+)$/.exec(this.header('content-range') ?? '')?.[1] ?? this.header('content-length');
    return total === null || total === undefined ? null : Number(total);
  }

  /** Whether this begins at the requested position, and not at the first byte. */
  get isPart(): boolean {
    return this.response.status === 206;
  }

  /** SHA-256 of the original in hex (`Repr-Digest`, RFC 9530); null for renditions, which are regenerated and have none. */
  get sha256(): string | null {
    const digest = /sha-256=:([^:]+):/.exec(this.header('repr-digest') ?? '')?.[1];
    if (digest === undefined) return null;
    // 32 bytes in base64: any other value identifies no content.
    if (!/^[A-Za-z0-9+/]{43}=$/.test(digest)) throw new ChecksumError('The digest of the bytes is malformed.');
    return hex(Uint8Array.from(atob(digest), (char) => char.charCodeAt(0)));
  }

  get contentType(): string {
    return this.header('content-type') ?? 'application/octet-stream';
  }

  /** Identifies exactly these bytes. */
  get etag(): string | null {
    return this.header('etag');
  }

  /** The file name of the photo or its rendition; null when the service does not say. */
  get filename(): string | null {
    const disposition = this.header('content-disposition') ?? '';
    const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
    try {
      if (encoded !== undefined) return decodeURIComponent(encoded);
    } catch {
      return null;
    }
    return /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]?.replace(/\\(.)/g, '$1') ?? null;
  }

  /**
   * Everything, in memory, and checked.
   * @throws ChecksumError when the bytes do not match.
   */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const { sha256 } = this;
    const bytes = new Uint8Array(await this.response.arrayBuffer());
    if (sha256 !== null && !this.isPart) {
      const actual = hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
      if (actual !== sha256) throw new ChecksumError(`The bytes have the SHA-256 ${actual} instead of ${sha256}.`);
    }
    return bytes;
  }

  private header(name: string): string | null {
    return this.response.headers.get(name);
  }
}
