import type { PhotoTotals } from '../../core/customers/customer.js';
import { formatOf } from '../../core/media/formats.js';
import { renditionSizes } from '../../core/media/media-reader.js';
import { offsetAt } from '../../core/media/zones.js';
import { MAX_COUNTED_IN_MONTH, type PhotoMonth } from '../../core/photos/months.js';
import type { PhotoWithTags } from '../../core/photos/photo.js';
import type { Formats } from '../formats.js';
import { isNarrow, type LibraryQuery, libraryPath, photoPath } from '../library-query/library-query.js';
import { Allowed, type PageContext, usePageContext } from '../page-context.js';
import { type PhotoWithUrls, Picture, photoName, shapeClass, Tint } from '../picture.js';

interface GridProps {
  readonly query: LibraryQuery;
  readonly size: TileSize;
}

export function PhotoSections({ sections, ...grid }: GridProps & { sections: readonly PhotoSection[] }) {
  return (
    <div class="sections" data-size={grid.size}>
      {sections.map(({ month, title, photos }) => (
        <section key={month} data-month={month} aria-label={title ?? undefined}>
          {title && <h2>{title}</h2>}
          <PhotoTiles photos={photos} {...grid} />
        </section>
      ))}
    </div>
  );
}

export function PhotoTiles({ photos, ...grid }: GridProps & { photos: readonly PhotoWithUrls[] }) {
  return (
    <ul class="grid">
      {photos.map((shown) => (
        <Tile key={shown.photo.id} shown={shown} {...grid} />
      ))}
    </ul>
  );
}

function Tile({ shown, query, size }: GridProps & { shown: PhotoWithUrls }) {
  const { photo } = shown;
  // On a phone photos are cropped to squares, so the shorter side decides. Elsewhere rows grow until they fill the width, seldom by more than a
  // quarter: a picture may be stretched by as much, as the next larger one has three times its bytes.
  const ratio = photo.width / photo.height;
  const { row, columns } = tileSizes[size];
  const onPhone = Math.ceil((100 / columns) * Math.max(1, ratio));
  return (
    <li
      id={`photo-${photo.id}`}
      class={shapeClass(photo)}
      data-thumbhash={(photo.rotation === 0 && photo.thumbhash) || undefined}
    >
      <a
        href={photoPath(photo.id, query)}
        data-width={photo.width}
        data-height={photo.height}
        data-taken={photo.takenAtLocal ?? undefined}
        data-original={sharpest(photo)}
      >
        <Tint photo={photo} />
        <Picture shown={shown} name="thumb" sizes={`(max-width: 42rem) ${onPhone}vw, ${(row * ratio).toFixed(1)}rem`} />
      </a>
      <Allowed least="editor">
        <input
          type="checkbox"
          name="ids"
          value={photo.id}
          autocomplete="off"
          aria-label={`Select ${photoName(photo)}`}
        />
      </Allowed>
    </li>
  );
}

/**
 * The address of all pixels of the photo: those of the original, where a browser can display it and the photo was not turned; otherwise,
 * if the largest rendition has fewer, a picture that is made of them.
 */
function sharpest({ id, contentType, rotation, width, height, ...photo }: PhotoWithTags): string | undefined {
  if (photo.originalLostAt !== null || photo.trashedAt !== null) return undefined;
  if (formatOf(contentType)?.isDisplayable && rotation === 0) return `/settings/photos/${id}/original`;
  return Math.max(width, height) > renditionSizes.large ? `/settings/photos/${id}/full` : undefined;
}

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
  formats: Formats,
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
    else
      sections.push({
        month: month ?? '',
        title: month === null ? null : month === '' ? 'Date not known' : formats.month(month),
        photos: [each],
      });
  }
  return sections;
}

function monthOf(at: Date | null, timeZone: string): string {
  if (at === null) return '';
  const local = new Date(at.getTime() + (offsetAt(timeZone, at.getTime()) ?? 0));
  return local.toISOString().slice(0, -'-01T00:00:00.000Z'.length);
}

/**
 * Returns the number of photos in words. Numbers for the whole library and the trash are stored totals. Matches are counted only where the first page
 * has them all.
 */
export function countText(
  formats: Formats,
  query: LibraryQuery,
  { usage, shown, isAll }: { usage: PhotoTotals; shown: number; isAll: boolean },
): string {
  if (isAll) return formats.pluralize(shown, 'photo');
  if (isNarrow(query)) return '';
  return formats.pluralize(query.trash ? usage.trashedPhotos : usage.photos, 'photo');
}

/** The sizes of photos in the grid: the height of a row in rem and, on a phone, how many photos are in one. The style has the same numbers. */
export const tileSizes = {
  small: { label: 'Small', row: 8, columns: 5 },
  medium: { label: 'Medium', row: 12, columns: 3 },
  large: { label: 'Large', row: 18, columns: 2 },
} as const;
export type TileSize = keyof typeof tileSizes;

declare module 'express-session' {
  interface SessionData {
    /** The size that the person chose last. */
    tileSize?: TileSize | undefined;
  }
}

/** Returns the size in the address, and remembers it; otherwise the one that was chosen last. */
export function chosenTileSize(
  { request }: Pick<PageContext, 'request'>,
  query: Readonly<Record<string, unknown>>,
): TileSize {
  const text = query['size'];
  if (typeof text === 'string' && Object.hasOwn(tileSizes, text)) request.session.tileSize = text as TileSize;
  return request.session.tileSize ?? 'medium';
}

/**
 * Leads to the photos of a year or month: in the list from the newest to the oldest that is where its end is.
 * @param props A script adds the months, latest first (scrubber.ts): counting can take longer than the page.
 */
export function Years(props: { query: LibraryQuery; years: readonly number[]; months?: readonly PhotoMonth[] }) {
  const { query, years, months } = props;
  const { formats } = usePageContext();
  if (years.length < 2 && months === undefined) return null;
  const isAscending = query.sort === 'takenAt';
  const inOrder = <Value,>(all: readonly Value[]) => (isAscending ? all.toReversed() : all);
  return (
    <nav class="years" aria-label={months ? 'Years and months' : 'Years'} data-years>
      {inOrder(years).map((year) => {
        const name = String(year).padStart(4, '0');
        const own = (months ?? []).filter(({ month }) => month.startsWith(name));
        return (
          <div key={year} class="year">
            <Step query={query} time={name} text={name} />
            {own.length > 0 && (
              <ul>
                {inOrder(own).map(({ month, photos }) => (
                  <li key={month}>
                    <Step query={query} time={month} text={formats.monthName(month)} photos={photos} />
                  </li>
                ))}
              </ul>
            )}
          </div>
        );
      })}
    </nav>
  );
}

/** @param time A year or a month. */
function Step({ query, time, text, photos }: { query: LibraryQuery; time: string; text: string; photos?: number }) {
  const { formats } = usePageContext();
  const days =
    query.sort === 'takenAt'
      ? { from: time.length === 4 ? `${time}-01-01` : `${time}-01`, to: '' }
      : { from: '', to: lastDay(time) };
  return (
    <a
      href={libraryPath({ ...query, ...days })}
      aria-current={query.from === days.from && query.to === days.to ? 'true' : undefined}
      data-time={time}
      data-photos={photos}
    >
      {text}
      {photos !== undefined && (
        <span class="soft">
          {' '}
          {formats.countedUpTo(photos, MAX_COUNTED_IN_MONTH)}
          <span class="unseen"> photos</span>
        </span>
      )}
    </a>
  );
}

function lastDay(time: string): string {
  if (time.length === 4) return `${time}-12-31`;
  const [year, month] = time.split('-').map(Number);
  const last = new Date(0);
  last.setUTCFullYear(year ?? 0, month ?? 0, 0);
  return `${time}-${String(last.getUTCDate()).padStart(2, '0')}`;
}
