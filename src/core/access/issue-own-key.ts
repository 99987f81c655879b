import type { AccountCaller } from '../customers/account-caller.js';
import type { JobWork } from '../jobs/job.js';
import { type MailUses, mailWork } from '../mail/queue-mail.js';
import type { Addresses } from '../shared/addresses.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import type { IpCountries } from './ip-countries.js';
import { type IssuedKey, issueKey, type KeyRequest } from './issue-key.js';
import type { KeyStore } from './key-store.js';
import { ownKey, requireAllowedSettings } from './own-key.js';

type OwnKeyUses = MailUses & {
  readonly keys: KeyStore;
  readonly store: Readable<'customer'>;
  readonly addresses: Addresses;
  readonly ipCountries: IpCountries;
  readonly clock: Clock;
};

/**
 * Creates a key, and tells the person who did by mail. One that replaces another (`from`) may have the limits granted to that one. Errors:
 * `invalid_request`, `not_found` (`from`), `limit_reached`.
 */
export async function issueOwnKey(
  uses: OwnKeyUses,
  caller: AccountCaller,
  request: Omit<KeyRequest, 'customerId'>,
  from: Id | null,
): Promise<IssuedKey> {
  const { customerId, actor } = caller;
  const granted = from === null ? null : await ownKey(uses, customerId, from);
  requireAllowedSettings(request, granted);
  return issueKey(uses, actor, { ...request, customerId }, await noticeOf(uses, caller, request.name));
}

async function noticeOf(uses: OwnKeyUses, { customerId, actor }: AccountCaller, name: string): Promise<JobWork[]> {
  if (uses.mailer === null || actor.kind !== 'person' || actor.id === null || actor.name === null) return [];
  const { name: account, defaultTimeZone: timeZone } = await uses.store.query(customerId, ({ customer }) =>
    customer.read(),
  );
  const at = uses.clock.now();
  const country = actor.address === null ? null : await uses.ipCountries.countryOf(actor.address);
  const circumstances = { at: at.toISOString(), source: actor.address, country, browser: null };
  const values = { account, timeZone, ...circumstances, owners: [], home: uses.addresses.settings(), name };
  return [mailWork(uses, { to: { userId: actor.id, address: actor.name }, template: 'api_key_created', values }, at)];
}
