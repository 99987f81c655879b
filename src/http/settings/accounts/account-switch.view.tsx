import type { OtherAccount } from '../../../core/users/session.js';
import { Form } from '../form.js';

export const SWITCH_PATH = '/settings/switch';
export const ACCOUNT_FIELD = 'account';
/** The page for signing in, for somebody who is signed in. */
const ANOTHER = '/settings/sign-in?another=yes';

/** In the header: the account, and those to which one can switch. */
export function AccountMenu({ name, others }: { name: string; others: readonly OtherAccount[] }) {
  return (
    <details class="accounts">
      <summary>
        <span class="unseen">Account: </span>
        <span class="customer">{name}</span>
      </summary>
      <div class="card">
        <OtherAccounts others={others} />
        <a href={ANOTHER}>Sign in to another account</a>
      </div>
    </details>
  );
}

/** A button for each. */
export function OtherAccounts({ others }: { others: readonly OtherAccount[] }) {
  return (
    <>
      {others.map(({ known: { customer } }) => (
        <Form key={customer.id} action={SWITCH_PATH}>
          <input type="hidden" name={ACCOUNT_FIELD} value={String(customer.id)} />
          <button class="quiet" type="submit">
            {`Switch to ${customer.name}`}
          </button>
        </Form>
      ))}
    </>
  );
}
