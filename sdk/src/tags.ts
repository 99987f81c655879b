import {
  type Api,
  asked,
  type CallOptions,
  dataOf,
  type EditOptions,
  type WriteOptions,
  writeHeaders,
  written,
} from './calls.js';
import { chunks, Listing } from './listing.js';
import type { NewTag, Tag, TagChanges, TagCreation, TagPatch, TagQuery } from './resources.js';

/** A tag, and the result of its bulk tools. */
export type EditedTag = Tag & { readonly changes?: TagChanges };

/** The tags of the customer. */
export class Tags {
  constructor(private readonly api: Api) {}

  /** All tags by name, or some of them. Scope `tags:read`. */
  list(query: TagQuery = {}, options: CallOptions = {}): Listing<Tag> {
    return new Listing(async (cursor) => {
      const page = { ...query, ...(cursor !== null && { cursor }) };
      return dataOf(await this.api.GET('/api/v1/tags', asked({ query: page }, options)));
    });
  }

  async get(id: number, options: CallOptions = {}): Promise<Tag> {
    return dataOf(await this.api.GET('/api/v1/tags/{id}', asked({ path: { id } }, options)));
  }

  /** The tag of this name, whatever its case; null when there is none. Scope `tags:read`. */
  async named(name: string, options: CallOptions = {}): Promise<Tag | null> {
    const { data } = await this.list({ name }, options).page();
    return data[0] ?? null;
  }

  /**
   * Creates a tag. If the name is taken: `ApiError` `tag_name_taken` with the tag's id in `details.tagId`, or that tag with `ifExists:
   * 'return'`. Scope `tags:write`.
   */
  async create(tag: NewTag, options: WriteOptions & { readonly ifExists?: 'fail' | 'return' } = {}): Promise<Tag> {
    const query = options.ifExists === undefined ? {} : { ifExists: options.ifExists };
    const write = { ...asked({ query, header: writeHeaders(options) }, options), body: tag };
    return dataOf(await this.api.POST('/api/v1/tags', write)) as Tag;
  }

  /** Creates many: one write for each 100, and an outcome for each tag, in order. Scope `tags:write`. */
  async createMany(tags: readonly NewTag[], options: CallOptions = {}): Promise<TagCreation[]> {
    const creations: TagCreation[] = [];
    for (const [call, some] of chunks(tags, 100).entries()) {
      const answer = dataOf(await this.api.POST('/api/v1/tags', { ...asked({}, options), body: { tags: some } }));
      const { data } = answer as { readonly data: readonly TagCreation[] };
      creations.push(...data.map((creation) => ({ ...creation, index: 100 * call + creation.index })));
    }
    return creations;
  }

  /** Edits a tag, and applies its bulk tools. Scope `tags:write`; with a bulk tool `photos:write` too. */
  async update(id: number, patch: TagPatch, options: EditOptions = {}): Promise<EditedTag> {
    return dataOf(await this.api.PATCH('/api/v1/tags/{id}', { ...written({ id }, options), body: patch }));
  }

  /** Adds a tag to photos: one write for each 1,000. Scopes `tags:write` and `photos:write`. */
  attach(id: number, photoIds: readonly number[], options: CallOptions = {}): Promise<TagChanges> {
    return this.inThousands(id, photoIds, (some) => ({ addPhotoIds: some }), options);
  }

  /** Removes a tag from photos: one write for each 1,000. Scopes `tags:write` and `photos:write`. */
  detach(id: number, photoIds: readonly number[], options: CallOptions = {}): Promise<TagChanges> {
    return this.inThousands(id, photoIds, (some) => ({ removePhotoIds: some }), options);
  }

  /** Moves the photos of other tags (up to 20) to this one, and deletes those tags. Scopes `tags:write` and `photos:write`. */
  merge(id: number, tagIds: readonly number[], options: WriteOptions = {}): Promise<EditedTag> {
    return this.update(id, { mergeTagIds: [...tagIds] }, options);
  }

  /** Deletes a tag, and removes it from all photos. Scope `tags:write`. */
  async delete(id: number, options: EditOptions = {}): Promise<void> {
    await this.api.DELETE('/api/v1/tags/{id}', written({ id }, options));
  }

  private async inThousands(
    id: number,
    photoIds: readonly number[],
    patchOf: (some: number[]) => TagPatch,
    options: CallOptions,
  ): Promise<TagChanges> {
    const all: TagChanges = { added: 0, removed: 0, unchanged: 0, notFound: [], full: [], mergedTagIds: [] };
    for (const some of chunks(photoIds, 1000)) {
      const { changes } = await this.update(id, patchOf(some), options);
      if (changes === undefined) continue;
      for (const name of ['added', 'removed', 'unchanged'] as const) all[name] += changes[name];
      for (const name of ['notFound', 'full', 'mergedTagIds'] as const) all[name].push(...changes[name]);
    }
    return all;
  }
}
