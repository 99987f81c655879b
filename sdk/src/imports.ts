import { type Api, asked, type CallOptions, dataOf, type WriteOptions, writeHeaders, written } from './calls.js';
import { Listing } from './listing.js';
import type {
  Import,
  ImportPhoto,
  ImportPhotoPatch,
  ImportPhotoStatus,
  NewImport,
  NewImportPhoto,
  RegistrationOutcomes,
} from './resources.js';

export interface ItemQuery {
  /** Items in this state alone, or in one of these. */
  readonly photoStatus?: ImportPhotoStatus | readonly ImportPhotoStatus[];
}

export interface FinalizeOptions extends WriteOptions {
  /** `commit` (default) publishes, `discard` throws everything away. */
  readonly action?: 'commit' | 'discard';
  /** The treatment of items whose bytes are missing: `reject` (default) answers `uploads_incomplete`, `fail` lets those items fail. */
  readonly missingUploads?: 'reject' | 'fail';
  /** Seconds, up to 15, that the service waits for the end before it answers. */
  readonly wait?: number;
}

/** Imports, step by step. `importFiles` of `photo-service-sdk/node`, or `runImport`, takes all of them. All need the scope `photos:write`. */
export class Imports {
  constructor(private readonly api: Api) {}

  /** Opens an import. The same `clientRef` as that of an open one gives that one. */
  async create(values: NewImport = {}, options: WriteOptions = {}): Promise<Import> {
    const write = { ...asked({ header: writeHeaders(options) }, options), body: values };
    return dataOf(await this.api.POST('/api/v1/imports', write));
  }

  async get(id: number, options: CallOptions = {}): Promise<Import> {
    return dataOf(await this.api.GET('/api/v1/imports/{id}', asked({ path: { id } }, options)));
  }

  /** The items of an import by id, 100 with each read; those that wait for bytes come with a fresh upload target. */
  photos(id: number, { photoStatus }: ItemQuery = {}, options: CallOptions = {}): Listing<ImportPhoto> {
    const states = photoStatus === undefined ? {} : { photoStatus: [photoStatus].flat() as ImportPhotoStatus[] };
    return new Listing(async (cursor) => {
      const query = { include: ['photos' as const], limit: 100, ...states, ...(cursor !== null && { cursor }) };
      const { photos } = dataOf(await this.api.GET('/api/v1/imports/{id}', asked({ path: { id }, query }, options)));
      return photos as NonNullable<typeof photos>;
    });
  }

  /**
   * Registers up to 500 files. Each has an outcome, in order; `photo.upload` says where its bytes go, where they are lacking. `ApiError`
   * `no_photos_accepted` with `details.results` when every one is refused.
   */
  async register(
    id: number,
    photos: readonly NewImportPhoto[],
    options: WriteOptions = {},
  ): Promise<RegistrationOutcomes> {
    const body = { photos: [...photos] };
    return dataOf(await this.api.POST('/api/v1/imports/{id}/photos', { ...written({ id }, options), body }));
  }

  /** Sends up to 20 small files with the request itself: the shortest way for a few. The request is kept in memory until it is answered. */
  async send(
    id: number,
    files: readonly { readonly name: string; readonly content: Blob }[],
    options: WriteOptions = {},
  ): Promise<RegistrationOutcomes> {
    const form = new FormData();
    for (const { name, content } of files) form.append('file', content, name);
    // The document describes the parts of the form; a form itself is what carries them.
    const body = form as never;
    return dataOf(await this.api.POST('/api/v1/imports/{id}/photos', { ...written({ id }, options), body }));
  }

  /** Changes one item before its import is finalized. */
  async updatePhoto(
    id: number,
    photoId: number,
    patch: ImportPhotoPatch,
    options: WriteOptions = {},
  ): Promise<ImportPhoto> {
    const write = { ...written({ id, photoId }, options), body: patch };
    return dataOf(await this.api.PATCH('/api/v1/imports/{id}/photos/{photoId}', write));
  }

  /** Publishes what is sound, in the background: `status` is `processing` until it has ended. Repeating it changes nothing. */
  async finalize(id: number, { action, missingUploads, wait, ...options }: FinalizeOptions = {}): Promise<Import> {
    const header = { ...writeHeaders(options), ...(wait !== undefined && { Prefer: `wait=${wait}` }) };
    const body = { ...(action && { action }), ...(missingUploads && { missingUploads }) };
    const write = { ...asked({ path: { id }, header }, options), body };
    return dataOf(await this.api.POST('/api/v1/imports/{id}/finalize', write));
  }
}
