import type { Id } from '../../../core/shared/ids.js';
import { pluralize } from '../counted.js';
import { Button, Form } from '../form.js';
import { type LibraryQuery, libraryPath, selectionPath } from '../library-query/library-query.js';

/** Asks for confirmation before photos are deleted permanently. */
export function ConfirmDeletion({ ids, query }: { ids: readonly Id[]; query: LibraryQuery }) {
  return (
    <section class="card confirm">
      <h1>Permanently delete {pluralize(ids.length, 'photo')}?</h1>
      <p>The originals and all their data are removed. This cannot be undone.</p>
      <Form action={selectionPath(query)}>
        <input type="hidden" name="do" value="delete" />
        <input type="hidden" name="confirmed" value="yes" />
        {ids.map((id) => (
          <input key={id} type="hidden" name="ids" value={id} />
        ))}
        <div class="buttons">
          <Button kind="danger">Delete permanently</Button>
          <a class="button plain" href={libraryPath(query)}>
            Cancel
          </a>
        </div>
      </Form>
    </section>
  );
}
