import type { ComponentChildren } from 'preact';
import { MAX_TAG_NAME } from '../../../core/tags/tag.js';
import { Button, Form } from '../form.js';
import { Importer } from '../imports/importer.view.js';
import { Empty, Heading } from '../parts.js';
import { Filters } from './library-filters.view.js';
import { isNarrow, type LibraryQuery, libraryPath, photoPath, queryText } from './library-query.js';
import { type PhotoWithUrls, Picture, photoName, shapeClass, Tint } from './picture.js';

interface LibraryProps {
  readonly query: LibraryQuery;
  readonly photos: readonly PhotoWithUrls[];
  readonly problems: readonly string[];
  /** Where the next page is. */
  readonly older: string | null;
  readonly isFirst: boolean;
}

export function LibraryPage({ query, photos, problems, older, isFirst }: LibraryProps) {
  const isEmpty = photos.length === 0 && isFirst;
  const isNew = isEmpty && !query.trash && !isNarrow(query);
  return (
    <>
      <Part name="head">
        <LibraryHeading query={query} isNew={isNew} />
        {!isNew && <Filters query={query} />}
        {problems.map((problem) => (
          <p key={problem} class="flash failed" role="alert">
            {problem}
          </p>
        ))}
      </Part>
      {isNew ? <Importer title="Your library is empty. Drop photos here" /> : !query.trash && <Importer waits />}
      <Part name="photos">
        {isEmpty && !isNew && <NothingFound query={query} />}
        {photos.length > 0 && <Selectable query={query} photos={photos} older={older} />}
      </Part>
    </>
  );
}

/** What is brought up to date around the importer when it has brought photos (library.js). */
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
        Trash
      </a>
      {!isNew && (
        <a class="button primary" href="/settings/import">
          Add photos
        </a>
      )}
    </Heading>
  );
}

function NothingFound({ query }: { query: LibraryQuery }) {
  if (!isNarrow(query)) {
    return (
      <Empty title="The trash is empty">
        <p>Photos that you move to the trash stay here for a while and can be restored.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No photos match">
      <p>
        Change the search, or{' '}
        <a href={libraryPath({ ...query, q: '', tag: '', from: '', to: '', importId: null })}>show all</a>.
      </p>
    </Empty>
  );
}

/** The photos, each to look at or to choose, and what can be done with those that are chosen. */
function Selectable({ query, photos, older }: Pick<LibraryProps, 'query' | 'photos' | 'older'>) {
  return (
    <Form action={`/settings/library/selection?${queryText(query)}`} class="library" label="Photos">
      <ul class="grid">
        {photos.map((shown) => (
          <li key={shown.photo.id} class={shapeClass(shown.photo)}>
            <a href={photoPath(shown.photo.id, query)}>
              <Tint photo={shown.photo} />
              <Picture shown={shown} name="thumb" finer="small" />
            </a>
            <input
              type="checkbox"
              name="ids"
              value={shown.photo.id}
              autocomplete="off"
              aria-label={`Select ${photoName(shown.photo)}`}
            />
          </li>
        ))}
      </ul>
      {older && (
        <p class="more">
          <a class="button plain" href={older} rel="next">
            {query.sort === '-takenAt' || query.sort === '-createdAt' ? 'Older photos' : 'More photos'}
          </a>
        </p>
      )}
      <p class="unseen" role="status" />
      {query.trash ? <TrashActions /> : <LibraryActions />}
    </Form>
  );
}

function LibraryActions() {
  return (
    <fieldset class="selection">
      <legend class="unseen">Actions for selected photos</legend>
      <span class="count">Selected photos</span>
      <span class="tagging">
        <label class="unseen" for="selection-tag">
          Name of a tag
        </label>
        <input
          id="selection-tag"
          type="text"
          name="tag"
          maxLength={MAX_TAG_NAME}
          placeholder="Tag"
          autocomplete="off"
          list="selection-tag-names"
        />
        <datalist id="selection-tag-names" data-tag-names />
        <Button kind="plain" name="do" value="tag">
          Add tag
        </Button>
      </span>
      <Button kind="plain" name="do" value="trash">
        Move to trash
      </Button>
    </fieldset>
  );
}

function TrashActions() {
  return (
    <fieldset class="selection">
      <legend class="unseen">Actions for selected photos</legend>
      <span class="count">Selected photos</span>
      <Button kind="plain" name="do" value="restore">
        Restore
      </Button>
      <Button kind="danger" name="do" value="delete">
        Delete permanently
      </Button>
    </fieldset>
  );
}
