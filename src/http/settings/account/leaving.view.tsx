import { type CustomerUsage, MAX_CUSTOMER_NAME } from '../../../core/customers/customer.js';
import { bytes, pluralize } from '../counted.js';
import { Button, Field, Form, ProblemSummary, type Problems } from '../form.js';

interface EraseProps {
  readonly name: string;
  readonly usage: CustomerUsage;
  readonly keys: number;
  readonly problems: Problems | null;
}

export function EraseAccount({ name, usage, keys, problems }: EraseProps) {
  const photos = pluralize(usage.photos + usage.trashedPhotos, 'photo');
  const size = bytes(usage.storageBytes + usage.trashedBytes);
  return (
    <section class="card confirm">
      <h1>Erase {name}?</h1>
      <ProblemSummary problems={problems} />
      <p>
        {photos} ({size}, including the trash), {pluralize(usage.tags, 'tag')} and {pluralize(keys, 'API key')} are
        permanently deleted, with all imports, webhooks and logs of this account.
      </p>
      <ul class="plain-list">
        <li>
          <strong>Immediately:</strong> all keys are refused, signed URLs stop working, and everyone is signed out.
        </li>
        <li>
          <strong>Within about two hours:</strong> the service begins to remove everything, and then the account itself.
        </li>
        <li>
          <strong>This cannot be undone.</strong> <a href="/settings/account#export">Export your data</a> first.
        </li>
      </ul>
      <Form action="/settings/account/erase" label="Erase the account">
        <Field
          label="Name of the account"
          name="name"
          hint={
            <>
              Type <strong>{name}</strong> to confirm.
            </>
          }
          errors={problems}
          input={{ required: true, maxLength: MAX_CUSTOMER_NAME, autocomplete: 'off', spellcheck: false }}
        />
        <div class="buttons">
          <Button kind="danger">Erase everything</Button>
          <a class="button plain" href="/settings/account">
            Cancel
          </a>
        </div>
      </Form>
    </section>
  );
}

/** The last page that anybody of the account sees. */
export function AccountClosed({ name }: { name: string }) {
  return (
    <section class="card">
      <h1>{name} is closed</h1>
      <p>All keys are refused from now on, and everyone is signed out, including this browser.</p>
      <p>
        Within about two hours the service begins to remove all photos and all data about them permanently. Backups kept
        by the operator of this service expire according to the operator’s own rules.
      </p>
    </section>
  );
}
