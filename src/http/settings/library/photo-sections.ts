import type { PhotoTotals } from '../../../core/customers/customer.js';
import { offsetAt } from '../../../core/media/zones.js';
import { pluralize } from '../counted.js';
import { isNarrow, type LibraryQuery } from '../library-query/library-query.js';
import { localizable } from '../localized.js';
import type { PhotoWithUrls } from '../picture.js';

/** Photos that follow each other in the list and were taken, or added, in the same month. */
export interface PhotoSection {
  /** `2024-06`; empty when the time is not known, and in lists that are not in the order of time. */
  readonly month: string;
  /** Null where the list is not in the order of time. */
  readonly title: string | null;
  readonly photos: readonly PhotoWithUrls[];
}

/**
 * Divides photos into months of the account's time zone. That is the zone of the date filters, and lists are sorted by instants: by local
 * times of many zones, the months of neighbouring photos would alternate.
 */
export function photoSections(
  photos: readonly PhotoWithUrls[],
  sort: LibraryQuery['sort'],
  timeZone: string,
): readonly PhotoSection[] {
  const sections: { month: string; title: string | null; photos: PhotoWithUrls[] }[] = [];
  for (const each of photos) {
    const month =
      sort === 'filename' ? null : monthOf(sort === '-createdAt' ? each.photo.createdAt : each.photo.takenAt, timeZone);
    const last = sections.at(-1);
    if (last !== undefined && last.month === (month ?? '')) last.photos.push(each);
    else sections.push({ month: month ?? '', title: month === null ? null : monthTitle(month), photos: [each] });
  }
  return sections;
}

function monthOf(at: Date | null, timeZone: string): string {
  if (at === null) return '';
  const local = new Date(at.getTime() + (offsetAt(timeZone, at.getTime()) ?? 0));
  return local.toISOString().slice(0, -'-01T00:00:00.000Z'.length);
}

function monthTitle(month: string): string {
  return month === '' ? 'Date not known' : localizable('month', month);
}

/** Those of the whole library and of the trash are stored totals. Matches are counted only where the first page has them all. */
export function countText(
  query: LibraryQuery,
  { usage, shown, isAll }: { usage: PhotoTotals; shown: number; isAll: boolean },
): string {
  if (isAll) return pluralize(shown, 'photo');
  if (isNarrow(query)) return '';
  return pluralize(query.trash ? usage.trashedPhotos : usage.photos, 'photo');
}
