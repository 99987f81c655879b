import { type LibraryQuery } from '../library-query/library-query.js';
import { panelInWords, panelNames } from '../library-query/panel-filters.js';

export interface ActiveFilter {
  /** For people. */
  readonly text: string;
  /** The query without it. */
  readonly without: LibraryQuery;
}

/** What narrows a list, in the order of the form. */
export function activeFilters(query: LibraryQuery): readonly ActiveFilter[] {
  const active: ActiveFilter[] = [];
  const add = (isSet: unknown, text: string, less: Partial<LibraryQuery>) => {
    if (isSet) active.push({ text, without: { ...query, ...less } });
  };
  add(query.q, `“${query.q}”`, { q: '' });
  add(query.tag, `Tag ${query.tag}`, { tag: '' });
  add(query.from, `From ${query.from}`, { from: '' });
  add(query.to, `Until ${query.to}`, { to: '' });
  for (const name of panelNames) {
    const value = query.panel[name];
    add(value, panelInWords(name, value), { panel: { ...query.panel, [name]: '' } });
  }
  add(query.importId !== null, `Import ${query.importId}`, { importId: null });
  add(query.similarTo !== null, `Similar to photo ${query.similarTo}`, { similarTo: null });
  return active;
}
