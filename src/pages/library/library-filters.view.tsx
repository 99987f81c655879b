import type { ComponentChildren } from 'preact';
import type { CountedValue, FilterValues } from '../../core/photos/filter-values.js';
import { countryName } from '../../core/photos/places.js';
import { Button, Options } from '../form.js';
import {
  formatName,
  type LibraryQuery,
  libraryPath,
  librarySorts,
  type PanelName,
  panelInWords,
  panelNames,
} from '../library-query/library-query.js';
import { usePageContext } from '../page-context.js';
import { Buttons, Icon } from '../parts.js';
import { TagInput } from './selection.view.js';

/** @param values To choose from in the panel; null while it is closed. */
export function Filters({ query, values }: { query: LibraryQuery; values: FilterValues | null }) {
  const active = activeFilters(query);
  // The toggle is a link, so that it works without scripts; in place with them (library.ts).
  const isOpen = values !== null;
  const path = libraryPath(query);
  const href = `${path}${path.includes('?') ? '&' : '?'}panel=${isOpen ? 'closed' : 'open'}`;
  // While the panel is closed, the form sends its fields nevertheless, so that a search keeps them.
  const { box: _, ...panel } = query.panel;
  return (
    <search aria-label="Photos">
      <form class="filters" method="get" action="/settings/library" data-narrows>
        {query.trash && <input type="hidden" name="view" value="trash" />}
        {query.importId !== null && <input type="hidden" name="import" value={query.importId} />}
        {query.similarTo !== null && <input type="hidden" name="similar" value={query.similarTo} />}
        <Hidden values={{ box: query.panel.box }} />
        <div class="search">
          <label class="unseen" for="filter-q">
            Search
          </label>
          <input
            id="filter-q"
            type="search"
            name="q"
            value={query.q}
            placeholder="Search titles, file names, tags, places"
          />
          <label class="unseen" for="filter-sort">
            Order
          </label>
          <select id="filter-sort" name="sort">
            <Options choices={librarySorts} chosen={query.sort} />
          </select>
          <Button kind="plain">
            <Icon name="search" /> Search
          </Button>
          <a id="filter-toggle" class="button plain" href={href} aria-expanded={isOpen} data-narrows>
            <Icon name="sliders-horizontal" /> Filters
          </a>
        </div>
        {values ? (
          <Panel query={query} values={values} />
        ) : (
          <Hidden values={{ tag: query.tag, from: query.from, to: query.to, ...panel, panel: 'closed' }} />
        )}
        {active.length !== 0 && (
          <ul class="narrowed" aria-label="Active filters">
            {active.map(({ text, without }) => (
              <li key={text}>
                <a class="badge" href={libraryPath(without)} data-narrows>
                  {text} <span aria-hidden="true">×</span>
                  <span class="unseen">, remove filter</span>
                </a>
              </li>
            ))}
          </ul>
        )}
      </form>
    </search>
  );
}

function Hidden({ values }: { values: Readonly<Record<string, string>> }) {
  const given = Object.entries(values).filter(([, value]) => value !== '');
  return (
    <>
      {given.map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

function Panel({ query, values }: { query: LibraryQuery; values: FilterValues }) {
  const { located, tagged, favorite } = values;
  const choose = (name: PanelName) => ({ name, value: query.panel[name] });
  const both = (counts: { yes: number; no: number }) => [
    { value: 'yes', photos: counts.yes },
    { value: 'no', photos: counts.no },
  ];
  return (
    <fieldset class="narrow-by">
      <legend class="unseen">Filters</legend>
      <input type="hidden" name="panel" value="open" />
      <Choice {...choose('rating')} label="Rating" counts={values.ratings} />
      <Choice {...choose('favorite')} label="Favourite" counts={both(favorite)} />
      <FilterField name="tag" label="Tag">
        <TagInput id="filter-tag" value={query.tag} />
      </FilterField>
      <Choice {...choose('tagged')} label="Tagged" counts={both(tagged)} />
      <FilterField name="from" label="Taken from">
        <input id="filter-from" type="date" name="from" value={query.from} />
      </FilterField>
      <FilterField name="to" label="Taken until">
        <input id="filter-to" type="date" name="to" value={query.to} />
      </FilterField>
      <Choice {...choose('country')} label="Country" counts={values.countries} text={countryName} />
      <TextField {...choose('place')} label="Place" placeholder="City or region" />
      <Choice {...choose('located')} label="Location" counts={both(located)} />
      <TextField {...choose('creator')} label="Creator" placeholder="Part of a name" />
      <Choice {...choose('camera')} label="Camera" counts={values.cameras} text={(name) => name} />
      <Choice {...choose('lens')} label="Lens" counts={values.lenses} text={(name) => name} />
      <Choice {...choose('aspect')} label="Shape" counts={values.aspects} />
      <Choice {...choose('format')} label="Format" counts={values.contentTypes} text={formatName} />
      <Buttons label="Filter" kind="plain" />
    </fieldset>
  );
}

interface ChoiceProps {
  readonly name: PanelName;
  readonly label: string;
  readonly value: string;
  readonly counts: readonly CountedValue[];
  /** A value for people; by default as it is named among the active filters. */
  readonly text?: (value: string) => string;
}

/** A value that no photo has now stays to be seen, and to be left. */
function Choice({ name, label, value, counts, text = (given) => panelInWords(name, given) }: ChoiceProps) {
  const { formats } = usePageContext();
  const offered = value === '' || counts.some((each) => each.value === value);
  return (
    <FilterField name={name} label={label}>
      <select id={`filter-${name}`} name={name} data-submit-on-change>
        <option value="">Any</option>
        {!offered && (
          <option value={value} selected>
            {text(value)}
          </option>
        )}
        {counts.map((each) => (
          <option key={each.value} value={each.value} selected={each.value === value}>
            {`${text(each.value)} (${formats.countedUpTo(each.photos)})`}
          </option>
        ))}
      </select>
    </FilterField>
  );
}

function TextField({ name, label, ...input }: { name: string; label: string; value: string; placeholder: string }) {
  return (
    <FilterField name={name} label={label}>
      <input id={`filter-${name}`} type="text" name={name} maxLength={200} autocomplete="off" {...input} />
    </FilterField>
  );
}

function FilterField({ name, label, children }: { name: string; label: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={`filter-${name}`}>{label}</label>
      {children}
    </div>
  );
}

/** Whether the panel is open: as the address says, otherwise while something in it narrows the list. */
export function isPanelOpen(query: LibraryQuery, parameters: Readonly<Record<string, unknown>>): boolean {
  if (parameters['panel'] === 'open' || parameters['panel'] === 'closed') return parameters['panel'] === 'open';
  const inPanel = [query.tag, query.from, query.to, ...panelNames.map((name) => query.panel[name])];
  return inPanel.some((text) => text !== '');
}

/** Returns the filters that narrow a list, in the order of the form: for people, and the query without each. */
function activeFilters(query: LibraryQuery) {
  const active: { text: string; without: LibraryQuery }[] = [];
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
