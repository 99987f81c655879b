import type { ComponentChildren } from 'preact';
import type { BulkEdit } from '../../../core/bulk-edits/bulk-edit.js';
import type { FilterValues } from '../../../core/photos/filter-values.js';
import type { SavedSearch } from '../../../core/searches/saved-search.js';
import { Allowed, useMayActAs } from '../allowed.js';
import { Form } from '../form.js';
import { ActiveEdits } from '../history/active-edits.view.js';
import { Icon } from '../icon.js';
import { Importer } from '../imports/importer.view.js';
import { isNarrow, type LibraryQuery, libraryPath, selectionPath, unfiltered } from '../library-query/library-query.js';
import { Empty, Heading } from '../parts.js';
import { SavedSearches } from '../searches/searches.view.js';
import { FirstSteps } from './first-steps.view.js';
import { KeysDialog } from './keys.view.js';
import { Filters } from './library-filters.view.js';
import { PhotoSections } from './photo-grid.view.js';
import type { PhotoSection } from './photo-sections.js';
import { LibraryActions, TrashActions } from './selection.view.js';
import { type TileSize, tileSizes } from './tile-size.js';
import { ViewerDialog } from './viewer.view.js';
import { Years } from './years.view.js';

interface LibraryProps {
  readonly query: LibraryQuery;
  readonly sections: readonly PhotoSection[];
  readonly size: TileSize;
  /** To choose from; none where the list is not in the order in which photos were taken. */
  readonly years: readonly number[];
  /** How many photos match, in words. */
  readonly count: string;
  readonly problems: readonly string[];
  /** Of the filter panel; null while it is closed. */
  readonly values: FilterValues | null;
  readonly searches: readonly SavedSearch[];
  /** Where the next page is. */
  readonly older: string | null;
  readonly isFirst: boolean;
  /** In progress. */
  readonly edits: readonly BulkEdit[];
}

export function LibraryPage({ query, problems, isFirst, values, searches, edits, ...list }: LibraryProps) {
  const isEmpty = list.sections.length === 0 && isFirst;
  const isNew = isEmpty && !query.trash && !isNarrow(query);
  return (
    <>
      <Part name="head">
        <LibraryHeading query={query} isNew={isNew} />
        {!isNew && <Filters query={query} values={values} />}
        {!isNew && <SavedSearches searches={searches} query={query} />}
        {problems.map((problem) => (
          <p key={problem} class="flash failed" role="alert">
            {problem}
          </p>
        ))}
      </Part>
      <Allowed least="editor">
        <ActiveEdits edits={edits} />
      </Allowed>
      <Allowed least="editor">
        {isNew ? <Importer title="Your library is empty. Drop photos here" /> : !query.trash && <Importer waits />}
      </Allowed>
      <Part name="photos">
        {isNew && <NewLibrary />}
        {isEmpty && !isNew && <NothingFound query={query} />}
        {list.sections.length > 0 && (
          <>
            <ListHead query={query} {...list} />
            <div class="by-year">
              <Selectable query={query} {...list} />
              <Years query={query} years={list.years} />
            </div>
            <KeysDialog isTrash={query.trash} />
            <ViewerDialog />
          </>
        )}
      </Part>
    </>
  );
}

/** Who only looks has no first steps. */
function NewLibrary() {
  if (useMayActAs('editor')) return <FirstSteps />;
  return (
    <Empty icon="image-plus" title="No photos yet">
      <p>Photos that others add to this library appear here.</p>
    </Empty>
  );
}

/** What is brought up to date around the importer when it has brought photos (library.ts). */
function Part({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="library-part" data-library-part={name}>
      {children}
    </div>
  );
}

function LibraryHeading({ query, isNew }: { query: LibraryQuery; isNew: boolean }) {
  if (query.trash) {
    return (
      <Heading
        title="Trash"
        lead="Photos here are permanently deleted after their retention period. Until then they can be restored."
      >
        <a class="button plain" href="/settings/library">
          Back to the library
        </a>
      </Heading>
    );
  }
  return (
    <Heading title="Library">
      <a class="button plain" href="/settings/library?view=trash">
        <Icon name="trash" /> Trash
      </a>
      {!isNew && (
        <Allowed least="editor">
          <a class="button primary" href="/settings/import">
            <Icon name="image-plus" /> Add photos
          </a>
        </Allowed>
      )}
    </Heading>
  );
}

function NothingFound({ query }: { query: LibraryQuery }) {
  if (!isNarrow(query)) {
    return (
      <Empty icon="trash" title="The trash is empty">
        <p>Photos that you move to the trash stay here for a while and can be restored.</p>
      </Empty>
    );
  }
  return (
    <Empty icon="search" title="No photos match">
      <p>
        Remove one of the filters above, or{' '}
        <a href={libraryPath(unfiltered(query))} data-narrows>
          show all
        </a>
        .
      </p>
    </Empty>
  );
}

/** The photos, each to look at or to select, and what can be done with those that are selected. */
function Selectable({ query, sections, size, older }: Pick<LibraryProps, 'query' | 'sections' | 'size' | 'older'>) {
  return (
    <Form action={selectionPath(query)} class="library" label="Photos">
      <PhotoSections query={query} sections={sections} size={size} />
      {older && (
        <p class="more">
          <a class="button plain" href={older} rel="next">
            {query.sort === '-takenAt' || query.sort === '-createdAt' ? 'Older photos' : 'More photos'}
          </a>
        </p>
      )}
      <p class="unseen" role="status" />
      <Allowed least="editor">{query.trash ? <TrashActions /> : <LibraryActions query={query} />}</Allowed>
    </Form>
  );
}

/** How many photos there are, and how large they are displayed. */
function ListHead({ query, size, count }: Pick<LibraryProps, 'query' | 'size' | 'count'>) {
  const path = libraryPath(query);
  return (
    <div class="list-head">
      <p class="soft">{count}</p>
      <Allowed least="editor">
        <button type="button" class="quiet" data-start-selecting hidden>
          <Icon name="circle-check" /> Select
        </button>
      </Allowed>
      <button type="button" class="quiet" data-open-keys hidden>
        <Icon name="keyboard" /> Keyboard shortcuts
      </button>
      <nav aria-label="Size of photos" data-tile-sizes>
        {Object.entries(tileSizes).map(([name, { label }]) => (
          <a
            key={name}
            href={`${path}${path.includes('?') ? '&' : '?'}size=${name}`}
            data-size={name}
            aria-current={name === size ? 'true' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
    </div>
  );
}
