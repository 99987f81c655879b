import { type LibraryQuery, libraryPath } from './library-query.js';

/** Leads to the photos of a year: in the list from the newest to the oldest that is where the year ends. */
export function Years({ years, query }: { years: readonly number[]; query: LibraryQuery }) {
  if (years.length < 2) return null;
  const isAscending = query.sort === 'takenAt';
  const daysOf = (year: number) => {
    const text = String(year).padStart(4, '0');
    return isAscending ? { from: `${text}-01-01`, to: '' } : { from: '', to: `${text}-12-31` };
  };
  return (
    <nav class="years" aria-label="Years">
      {(isAscending ? years.toReversed() : years).map((year) => {
        const days = daysOf(year);
        return (
          <a
            key={year}
            href={libraryPath({ ...query, ...days })}
            aria-current={query.from === days.from && query.to === days.to ? 'true' : undefined}
          >
            {year}
          </a>
        );
      })}
    </nav>
  );
}
