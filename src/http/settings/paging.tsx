import type { Page } from '../../core/shared/pagination.js';
import { address } from './address.js';

/** Under a list: the way to its next page, and back to its first. */
export function Paging({
  page,
  path,
  query = {},
  cursor,
  label,
}: {
  page: Pick<Page<unknown>, 'nextCursor'>;
  path: string;
  /** What is looked for; the cursor is added. */
  query?: Readonly<Record<string, string>>;
  /** Of this page; empty on the first. */
  cursor: string;
  /** Of what these are the pages, for those who do not see. */
  label: string;
}) {
  if (page.nextCursor === null && cursor === '') return null;
  return (
    <nav class="paging" aria-label={label}>
      {cursor === '' ? (
        <span />
      ) : (
        <a class="button plain small" href={address(path, query)}>
          First page
        </a>
      )}
      {page.nextCursor === null ? (
        <span class="hint">This is the last page.</span>
      ) : (
        <a class="button plain small" href={address(path, { ...query, cursor: page.nextCursor })} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}
