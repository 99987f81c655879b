import type { Uses } from '../ports.js';
import { found, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { named, readEmail, type User } from './user.js';

/** Sets the address that somebody signs in with. Errors: `invalid_request`, also when another user of this customer has it; `not_found`. */
export async function changeEmail(
  { store, clock }: Uses<'store' | 'clock'>,
  customerId: Id,
  userId: Id,
  text: string,
): Promise<User> {
  const email = readEmail(text);
  return store.within(customerId, async (work) => {
    await work.lockCustomer();
    const user = { ...found(await work.users.lock(userId), 'user'), email };
    if (!(await work.users.update(user))) {
      throw invalid({ field: 'email', code: 'conflict', message: 'Somebody else of this account has this address.' });
    }
    await work.audit.add({ action: 'user.edited', changes: ['email'], subject: named(user), at: clock.now() });
    return user;
  });
}
