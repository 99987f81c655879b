import type { ComponentChildren } from 'preact';
import type { BulkEdit } from '../../core/bulk-edits/bulk-edit.js';
import type { FilterValues } from '../../core/photos/filter-values.js';
import type { SavedSearch } from '../../core/searches/saved-search.js';
import { Form } from '../form.js';
import { ActiveEdits } from '../history/history.controller.js';
import type { IconName } from '../icon-shapes.js';
import { Importer } from '../imports/importer.view.js';
import { isNarrow, type LibraryQuery, libraryPath, selectionPath, unfiltered } from '../library-query/library-query.js';
import { DocsLink } from '../page.js';
import { Allowed, useHasArea, useMayActAs } from '../page-context.js';
import { Empty, Heading, Icon, LinkButton } from '../parts.js';
import { SavedSearches } from '../searches/searches.controller.js';
import { Filters } from './library-filters.view.js';
import { type PhotoSection, PhotoSections, type TileSize, tileSizes, Years } from './photo-grid.view.js';
import { LibraryActions, TrashActions } from './selection.view.js';

interface LibraryProps {
  readonly query: LibraryQuery;
  readonly sections: readonly PhotoSection[];
  readonly size: TileSize;
  /** To choose from; none where the list is not in the order in which photos were taken. */
  readonly years: readonly number[];
  /** The number of photos that match, in words. */
  readonly count: string;
  readonly problems: readonly string[];
  readonly values: FilterValues | null;
  readonly searches: readonly SavedSearch[];
  readonly older: string | null;
  readonly isFirst: boolean;
  readonly edits: readonly BulkEdit[];
}

export function LibraryPage({ query, problems, isFirst, values, searches, edits, ...list }: LibraryProps) {
  const isEmpty = list.sections.length === 0 && isFirst;
  const isEditor = useMayActAs('editor');
  const hasShares = useHasArea('shares');
  const isNew = isEmpty && !query.trash && !isNarrow(query);
  const path = libraryPath(query);
  return (
    <>
      <Part name="head">
        {query.trash ? (
          <Heading
            title="Trash"
            lead="Photos here are permanently deleted after their retention period. Until then they can be restored."
          >
            <LinkButton href="/settings/library" label="Back to the library" />
          </Heading>
        ) : (
          <Heading title="Library">
            <LinkButton href="/settings/library?view=trash" icon="trash" label="Trash" />
            {!isNew && (
              <Allowed least="editor">
                <LinkButton href="/settings/import" icon="image-plus" label="Add photos" kind="primary" />
              </Allowed>
            )}
          </Heading>
        )}
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
        {isNew ? <Importer title="Your library is empty. Drop photos here" /> : !query.trash && <Importer waits />}
      </Allowed>
      <Part name="photos">
        {isNew &&
          (isEditor ? (
            <section class="first-steps" aria-labelledby="first-steps">
              <h2 id="first-steps">First steps</h2>
              <ol>
                <li>
                  <h3>Add photos</h3>
                  <p>
                    Drop files or whole folders above. From a camera roll, Google Photos, Immich or a bucket,{' '}
                    <DocsLink>the command line</DocsLink> brings thousands with their albums and dates.
                  </p>
                </li>
                <li>
                  <h3>{hasShares ? 'Look, tag and share' : 'Look and tag'}</h3>
                  <p>
                    Select photos to tag, rate or move many at once: each action has an Undo.{' '}
                    {hasShares && (
                      <>
                        A <a href="/settings/shares">share</a> shows some of them to people without an account.
                      </>
                    )}
                  </p>
                </li>
                <Allowed least="admin">
                  <li>
                    <h3>Connect a program</h3>
                    <p>
                      Create an <a href="/settings/keys/new">API key</a> with the scopes that it needs, and follow{' '}
                      <DocsLink>the documentation</DocsLink>.
                    </p>
                  </li>
                </Allowed>
              </ol>
            </section>
          ) : (
            <Empty icon="image-plus" title="No photos yet">
              <p>Photos that others add to this library appear here.</p>
            </Empty>
          ))}
        {isEmpty &&
          !isNew &&
          (!isNarrow(query) ? (
            <Empty icon="trash" title="The trash is empty">
              <p>Photos that you move to the trash stay here for a while and can be restored.</p>
            </Empty>
          ) : (
            <Empty icon="search" title="No photos match">
              <p>
                Remove one of the filters above, or{' '}
                <a href={libraryPath(unfiltered(query))} data-narrows>
                  show all
                </a>
                .
              </p>
            </Empty>
          ))}
        {list.sections.length > 0 && (
          <>
            <div class="list-head">
              <p class="soft">{list.count}</p>
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
                    aria-current={name === list.size ? 'true' : undefined}
                  >
                    {label}
                  </a>
                ))}
              </nav>
            </div>
            <div class="by-year">
              <Form action={selectionPath(query)} class="library" label="Photos">
                <PhotoSections query={query} sections={list.sections} size={list.size} />
                {list.older && (
                  <p class="more">
                    <LinkButton
                      href={list.older}
                      label={query.sort === '-takenAt' || query.sort === '-createdAt' ? 'Older photos' : 'More photos'}
                      rel="next"
                    />
                  </p>
                )}
                <p class="unseen" role="status" />
                <Allowed least="editor">{query.trash ? <TrashActions /> : <LibraryActions query={query} />}</Allowed>
              </Form>
              <Years query={query} years={list.years} />
            </div>
            {/* What can be done by keyboard (library-keys.ts). */}
            <dialog class="card" data-keys aria-labelledby="keys-title">
              <h2 id="keys-title">Keyboard shortcuts</h2>
              <dl class="keys">
                <Keys keys={['←', '→', '↑', '↓']}>Move from photo to photo</Keys>
                <Keys keys={['Enter']}>Open the photo</Keys>
                <Keys keys={['x']}>Select the photo</Keys>
                <Keys keys={['Shift + x']}>Select all from the last selected photo to this one</Keys>
                <Keys keys={['Ctrl + A']}>Select all photos that match</Keys>
                {!query.trash && <Keys keys={['t']}>Tag selected photos, or go on to other actions with Tab</Keys>}
                {!query.trash && <Keys keys={['Delete']}>Move selected photos to the trash</Keys>}
                <Keys keys={['Ctrl + Z']}>Undo the last change</Keys>
                <Keys keys={['Esc']}>Return to the photos; clear the selection</Keys>
                <Keys keys={['/']}>Search</Keys>
                <Keys keys={['?']}>Show this list</Keys>
                <Keys keys={['←', '→']}>Previous and next photo, in the viewer</Keys>
                <Keys keys={['+', '-', '0']}>Enlarge, reduce, show the whole photo</Keys>
                <Keys keys={['i']}>Information on the photo</Keys>
                <Keys keys={['f']}>Full screen</Keys>
              </dl>
              <form method="dialog" class="buttons">
                <button type="submit" class="button plain">
                  Close
                </button>
              </form>
            </dialog>
            {/* Empty (viewer.ts): without scripts a photo opens its page. Its content can fill the screen; a dialog cannot (Fullscreen §3). */}
            <dialog class="viewer" data-photo-viewer aria-labelledby="viewer-name">
              <div class="viewer-content" data-viewer="content">
                <div class="viewer-bar">
                  <ViewerButton name="close" label="Close" icon="x" />
                  <p id="viewer-name" data-viewer="name" />
                  <ViewerButton name="enlarge" label="Enlarge" icon="zoom-in" />
                  <ViewerButton name="screen" label="Full screen" icon="maximize" />
                  <ViewerButton name="information" label="Information" icon="info" isSwitch />
                </div>
                <div class="viewer-stage" data-viewer="stage">
                  <div class="frame" />
                  <ViewerButton name="previous" label="Previous photo" icon="chevron-left" />
                  <ViewerButton name="next" label="Next photo" icon="chevron-right" />
                </div>
                <aside class="photo viewer-panel" data-viewer="panel" aria-label="Information" hidden />
              </div>
            </dialog>
          </>
        )}
      </Part>
    </>
  );
}

/** A part that is brought up to date around the importer when it has brought photos (library.ts). */
function Part({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="library-part" data-library-part={name}>
      {children}
    </div>
  );
}

function Keys({ keys, children }: { keys: readonly string[]; children: ComponentChildren }) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

function ViewerButton(props: { name: string; label: string; icon: IconName; isSwitch?: boolean }) {
  const { name, label, icon, isSwitch = false } = props;
  return (
    <button
      type="button"
      data-viewer={name}
      aria-label={label}
      title={label}
      aria-pressed={isSwitch ? 'false' : undefined}
    >
      <Icon name={icon} />
    </button>
  );
}
