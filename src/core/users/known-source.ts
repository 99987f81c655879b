import { addressBudget } from '../access/ip-list.js';
import type { AuditAction } from '../audit/audit-entry.js';
import { after, type Clock, DAY } from '../shared/clock.js';
import { readToken, type Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import { accountName, type DevicePayload } from './device-cookie.js';
import type { User } from './user.js';

/** How long an address is known after a sign-in. */
const ADDRESS_DAYS = 90;
/** Only the newest sign-ins are checked. */
const SIGN_INS = 100;
const signIns: readonly AuditAction[] = ['user.signed_in', 'user.joined', 'user.link_used'];

/**
 * How an attempt is recognized as coming from where the person of this account has signed in before: the browser, or else the address. Null
 * when it may come from anyone. Strangers cannot use up the attempts of a known source.
 */
export async function knownSource(
  uses: { secrets: Secrets; clock: Clock; store: Readable<'audit'> },
  account: string,
  users: readonly User[],
  { device, address }: { readonly device: string | null; readonly address: string },
): Promise<string | null> {
  const payload = device === null ? null : (readToken(uses.secrets, 'device', device) as DevicePayload | null);
  const isOfAccount = payload?.a === accountName(account) && payload.u > uses.clock.now().getTime();
  if (isOfAccount) return `device:${payload.d}`;
  const source = addressBudget(address);
  for (const user of users) {
    if ((await sourcesOf(uses, user)).includes(source)) return `address:${accountName(account)}:${source}`;
  }
  return null;
}

async function sourcesOf(
  { store, clock }: { store: Readable<'audit'>; clock: Clock },
  user: User,
): Promise<readonly string[]> {
  const from = after(clock.now(), -ADDRESS_DAYS * DAY);
  const filter = { actions: signIns, name: user.email, from, until: null };
  const entries = await store.query(user.customerId, ({ audit }) => audit.list(null, SIGN_INS, filter));
  return entries.flatMap(({ address }) => (address === null ? [] : [addressBudget(address)]));
}
