import { In } from 'typeorm';
import type { Id } from '../../../core/shared/ids.js';
import type { MergedPhotos } from '../../../core/tags/tag-repository.js';
import { shiftPhotoCounts } from './photo-counts.js';
import { tagLexeme } from './photo-search.js';
import { TagTombstones, tombstoneTable } from './tag-tombstones.js';

/** The links of some tags within a range, by the index that has them in the order of photos: `$2` is the tags, `$3` and `$4` the range. */
const links = `l.customer_id = $1 AND l.tag_id = ANY($2::bigint[]) AND l.photo_id > $3 AND l.photo_id <= $4`;
const linked = `ARRAY(SELECT l.photo_id FROM photo_tags l WHERE ${links})`;

/** So that each statement on the links of all photos of a tag ends in time, however many there are. */
const LINKS_AT_ONCE = 10_000;

/** Photos by id. */
interface Range {
  readonly after: Id;
  readonly upTo: Id;
}

/** The tags of the photos of one customer. */
export class PhotoTags extends TagTombstones {
  async attach(tagId: Id, photoIds: readonly Id[], at: Date): Promise<readonly Id[]> {
    if (photoIds.length === 0) return [];
    const rows = await this.select<{ id: Id; trashed: boolean }>(
      `WITH added AS (
         INSERT INTO photo_tags (customer_id, photo_id, tag_id, trashed, created_at)
         SELECT $1, p.id, $2, p.trashed, p.created_at FROM photos p WHERE p.customer_id = $1 AND p.id = ANY($3::bigint[])
         ON CONFLICT DO NOTHING RETURNING photo_id
       )
       UPDATE photos p SET updated_at = $4, version = p.version + 1, search = p.search || array_to_tsvector(ARRAY[$5::text])
       FROM added WHERE p.customer_id = $1 AND p.id = added.photo_id RETURNING p.id, p.trashed`,
      tagId,
      photoIds,
      at,
      tagLexeme(this.customerId, tagId),
    );
    const shown = rows.filter(({ trashed }) => !trashed).length;
    if (shown > 0) await shiftPhotoCounts(this.manager, this.customerId, [{ tagIds: [tagId], by: shown }]);
    return idsOf(rows);
  }

  async detach(tagIds: readonly Id[], photoIds: readonly Id[], at: Date): Promise<readonly Id[]> {
    if (photoIds.length === 0) return [];
    const answer = await this.selectFirst<{ counts: { tagId: Id; photos: number }[]; changed: Id[] }>(
      `WITH removed AS (
         DELETE FROM photo_tags WHERE customer_id = $1 AND tag_id = ANY($2::bigint[]) AND photo_id = ANY($3::bigint[])
         RETURNING photo_id, tag_id
       ), changed AS (
         UPDATE photos p SET updated_at = $4, version = p.version + 1, search = ts_delete(p.search, $5::text[])
         WHERE p.customer_id = $1 AND p.id IN (SELECT photo_id FROM removed) RETURNING p.id, p.trashed
       )
       SELECT (SELECT coalesce(json_agg(id ORDER BY id), '[]') FROM changed) AS changed, (
         SELECT coalesce(json_agg(each), '[]') FROM (
           SELECT r.tag_id AS "tagId", count(*) AS photos FROM removed r JOIN changed c ON c.id = r.photo_id
           WHERE NOT c.trashed GROUP BY r.tag_id
         ) each
       ) AS counts`,
      tagIds,
      photoIds,
      at,
      lexemes(this.customerId, tagIds),
    );
    const { counts, changed } = answer ?? { counts: [], changed: [] };
    const shifts = counts.map(({ tagId, photos }) => ({ tagIds: [tagId], by: -photos }));
    await shiftPhotoCounts(this.manager, this.customerId, shifts);
    return changed;
  }

  /** Removes a tag that is about to be deleted from all its photos. Returns those that get a new version; with null, they are left for later. */
  protected async dropTag(tagId: Id, at: Date | null): Promise<readonly Id[]> {
    const changed: Id[] = [];
    if (at === null) await this.addTombstones([tagId], null);
    for await (const range of this.ranges([tagId])) {
      if (at !== null) changed.push(...(await this.changeTags(range, { off: [tagId], on: [], at })));
      await this.removeLinks(range, [tagId]);
    }
    return changed;
  }

  /**
   * On all photos, replaces tags that are about to be deleted with another. The photos get a new version, or, with null, are left for later.
   * The tags must be locked. The counts of the deleted tags are deleted with them.
   */
  protected async mergeTags(from: readonly Id[], into: Id, at: Date | null): Promise<MergedPhotos> {
    const changed: Id[] = [];
    let shown = 0;
    let added = 0;
    if (at === null) await this.addTombstones(from, into);
    for await (const range of this.ranges(from)) {
      // Most are locked already; some may have got the tag just before it was locked.
      await this.lockTaggedIn(from, range);
      if (at !== null) changed.push(...(await this.changeTags(range, { off: from, on: [into], at })));
      const moved = await this.moveLinks(range, from, into);
      shown += moved.shown;
      added += moved.added;
    }
    // The photos that were recently moved to the tags `from`, and now to `into`, are not all found by its lexeme either.
    await this.manager.update(tombstoneTable, { customerId: this.customerId, intoId: In(from) }, { intoId: into });
    await shiftPhotoCounts(this.manager, this.customerId, [{ tagIds: [into], by: added }]);
    return { changed, added, unchanged: shown - added };
  }

  /**
   * For each photo, one link becomes the new one, unless it exists; the others are deleted. Returns the number of photos outside the trash.
   * The links are passed in an array, not joined: there are no statistics yet for rows written a moment ago.
   */
  private async moveLinks(
    { after, upTo }: Range,
    from: readonly Id[],
    into: Id,
  ): Promise<{ shown: number; added: number }> {
    const moved = await this.selectFirst<{ shown: number; added: number }>(
      `WITH tagged AS MATERIALIZED (
         SELECT trashed, min(ctid) FILTER (WHERE tag_id <> $5) AS link, bool_or(tag_id = $5) AS has_into FROM photo_tags
         WHERE customer_id = $1 AND tag_id = ANY($2::bigint[] || $5::bigint) AND photo_id > $3 AND photo_id <= $4
         GROUP BY photo_id, trashed
       ), moved AS (
         UPDATE photo_tags SET tag_id = $5
         WHERE customer_id = $1 AND ctid = ANY(ARRAY(SELECT link FROM tagged WHERE link IS NOT NULL AND NOT has_into))
       )
       SELECT count(*)::integer AS shown, (count(*) FILTER (WHERE NOT has_into))::integer AS added
       FROM tagged WHERE link IS NOT NULL AND NOT trashed`,
      from,
      after,
      upTo,
      into,
    );
    await this.removeLinks({ after, upTo }, from);
    return moved ?? { shown: 0, added: 0 };
  }

  private async removeLinks({ after, upTo }: Range, tagIds: readonly Id[]): Promise<void> {
    await this.change(`DELETE FROM photo_tags l WHERE ${links}`, tagIds, after, upTo);
  }

  /** A new version, with an updated search column, of each photo in the range that loses a tag. Returns them. */
  private async changeTags(
    { after, upTo }: Range,
    { off, on, at }: { off: readonly Id[]; on: readonly Id[]; at: Date },
  ): Promise<readonly Id[]> {
    const rows = await this.select<{ id: Id }>(
      `UPDATE photos SET updated_at = $5, version = version + 1,
         search = ts_delete(search, $6::text[]) || array_to_tsvector($7::text[])
       WHERE customer_id = $1 AND id = ANY(${linked}) RETURNING id`,
      off,
      after,
      upTo,
      at,
      lexemes(this.customerId, off),
      lexemes(this.customerId, on),
    );
    return idsOf(rows);
  }

  /** Locks the photos of a range that have one of the tags, or are named, in ascending order of ids. */
  async lockTaggedIn(tagIds: readonly Id[], { after, upTo }: Range, photoIds: readonly Id[] = []): Promise<void> {
    const named = photoIds.filter((id) => id > after && id <= upTo);
    await this.select(
      `SELECT count(*) FROM (
         SELECT FROM photos WHERE customer_id = $1 AND id = ANY(${linked} || $5::bigint[])
         ORDER BY id FOR UPDATE
       ) held`,
      tagIds,
      after,
      upTo,
      named,
    );
  }

  /** All ids, divided into ranges after so many links of the tags. Changing one range does not shift the next. */
  async *ranges(tagIds: readonly Id[]): AsyncIterable<Range> {
    for (let after = 0; ; ) {
      const page = await this.selectFirst<{ links: number; last: Id }>(
        `SELECT count(*)::integer AS links, max(photo_id) AS last FROM (
           SELECT l.photo_id FROM unnest($2::bigint[]) AS named (tag_id) CROSS JOIN LATERAL (
             SELECT photo_id FROM photo_tags WHERE customer_id = $1 AND tag_id = named.tag_id AND photo_id > $3
             ORDER BY photo_id LIMIT $4
           ) l ORDER BY l.photo_id LIMIT $4
         ) page`,
        tagIds,
        after,
        LINKS_AT_ONCE,
      );
      if (page === null || page.links < LINKS_AT_ONCE) return yield { after, upTo: Number.MAX_SAFE_INTEGER };
      yield { after, upTo: page.last };
      after = page.last;
    }
  }
}

function lexemes(customerId: Id, tagIds: readonly Id[]): string[] {
  return tagIds.map((tagId) => tagLexeme(customerId, tagId));
}

function idsOf(rows: readonly { readonly id: Id }[]): Id[] {
  return rows.map(({ id }) => id);
}
