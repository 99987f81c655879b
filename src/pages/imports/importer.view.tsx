import { useContext } from 'preact/hooks';
import type { ImportDetails } from '../../core/imports/read.js';
import { fileExtensions, formatNames } from '../../core/media/formats.js';
import type { Uses } from '../../core/ports.js';
import { CSRF_FIELD } from '../csrf.js';
import { CsrfToken } from '../form.js';

/** `image/*` alone leaves out what the browser itself does not know. */
export const ACCEPTED_FILES = ['image/*', ...fileExtensions].join(',');

/**
 * Imports photos from this computer. With scripts: whole folders, progress, pause, and resuming after an interruption (import.js). Without:
 * a plain form for a few files.
 * @param props `waits`: hidden until something is dragged over the page; `begun`: an earlier import that is to be resumed.
 */
export function Importer(props: { title?: string; waits?: boolean; begun?: ImportDetails }) {
  const { title = 'Drop photos or folders here', waits = false, begun } = props;
  return (
    <section
      class="importer"
      data-importer={begun?.id ?? ''}
      data-waits={waits ? '' : undefined}
      aria-label="Add photos"
    >
      <form method="post" action="/settings/import" enctype="multipart/form-data" hidden={waits}>
        <input type="hidden" name={CSRF_FIELD} value={useContext(CsrfToken)} />
        <div class="drop">
          <p class="title">{title}</p>
          <p class="soft">{formatNames}. Photos that are already in your library are not sent again.</p>
          <div class="actions">
            <span>
              <input id="import-files" class="files" type="file" name="file" multiple accept={ACCEPTED_FILES} />
              <label class="button primary" for="import-files">
                Select photos
              </label>
            </span>
            <span data-scripted hidden>
              <input id="import-folder" class="files" type="file" multiple data-folder />
              <label class="button plain" for="import-folder">
                Select a folder
              </label>
            </span>
          </div>
          <noscript>
            <p class="soft">Up to 20 photos at once, or whole folders if JavaScript is enabled.</p>
          </noscript>
        </div>
        {begun === undefined && (
          <div class="field import-tags">
            <label for="import-tags">Tags for these photos</label>
            <p class="hint" id="import-tags-hint">
              Separated by commas. Optional. Each selection gets the tags entered before it.
            </p>
            <input id="import-tags" type="text" name="tags" autocomplete="off" aria-describedby="import-tags-hint" />
          </div>
        )}
        <noscript>
          <div class="buttons">
            <button class="button primary" type="submit">
              Import
            </button>
          </div>
        </noscript>
      </form>
      <div class="card import-run" hidden>
        <div class="run-head">
          <div>
            <h2 data-run="title">Importing</h2>
            <p class="soft" data-run="summary" role="status" />
          </div>
          <div class="actions">
            <button class="button plain" type="button" data-run="pause">
              Pause
            </button>
            <button class="button plain" type="button" data-run="again" hidden>
              Try again
            </button>
            <button class="button primary" type="button" data-run="finish" hidden>
              Finish without them
            </button>
            <a class="button plain" href="/settings/imports" data-run="details" hidden>
              About this import
            </a>
            <a class="button primary" href="/settings/library" data-run="show" hidden>
              Show the photos
            </a>
          </div>
        </div>
        <progress data-run="total" max="1" value="0" aria-label="All files" />
        <div class="run-report" data-run="report" hidden>
          <div class="run-head">
            <h3>Failed files</h3>
            <button class="button plain" type="button" data-run="retry" hidden>
              Try these again
            </button>
          </div>
          <ul data-run="failures" />
        </div>
        <ul class="run-arrived" data-run="arrived" aria-label="Photos that have arrived" hidden />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must do so by keyboard (WCAG 2.1.1). */}
        <ul class="run-files" data-run="files" aria-label="Files" tabIndex={0} />
        <p class="soft small" data-run="rest" hidden />
      </div>
    </section>
  );
}

/** The settings of an import that a person begins here: who may import may create tags. */
export const PAGE_IMPORT = { source: 'Settings area', tagDuplicates: true, keywordsAsTags: true } as const;

/** Origins that a page with an importer must be able to reach: the store, if browsers send to it. */
export async function importerReach({ directUploads }: Uses<'directUploads'>): Promise<readonly string[]> {
  return directUploads === null ? [] : [await directUploads.origin()];
}
