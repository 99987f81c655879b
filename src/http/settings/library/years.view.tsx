import { MAX_COUNTED_IN_MONTH, type PhotoMonth } from '../../../core/photos/months.js';
import { countedUpTo } from '../counted.js';
import { type LibraryQuery, libraryPath } from '../library-query/library-query.js';
import { localizable } from '../localized.js';

interface YearsProps {
  readonly query: LibraryQuery;
  readonly years: readonly number[];
  /** Of these years, latest first. A script adds them (scrubber.ts): counting can take longer than the page. */
  readonly months?: readonly PhotoMonth[];
}

/** Leads to the photos of a year or month: in the list from the newest to the oldest that is where its end is. */
export function Years({ query, years, months }: YearsProps) {
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
                    <Step query={query} time={month} text={localizable('monthName', month)} photos={photos} />
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
  const days = query.sort === 'takenAt' ? { from: firstDay(time), to: '' } : { from: '', to: lastDay(time) };
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
          {countedUpTo(photos, MAX_COUNTED_IN_MONTH)}
          <span class="unseen"> photos</span>
        </span>
      )}
    </a>
  );
}

function firstDay(time: string): string {
  return time.length === 4 ? `${time}-01-01` : `${time}-01`;
}

function lastDay(time: string): string {
  if (time.length === 4) return `${time}-12-31`;
  const [year, month] = time.split('-').map(Number);
  const last = new Date(0);
  last.setUTCFullYear(year ?? 0, month ?? 0, 0);
  return `${time}-${String(last.getUTCDate()).padStart(2, '0')}`;
}
