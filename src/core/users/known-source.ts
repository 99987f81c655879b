import { createHash } from 'node:crypto';
import { addressBudget } from '../access/ip-list.js';
import type { AuditAction } from '../audit/audit-entry.js';
import type { Uses } from '../ports.js';
import { after, DAY } from '../shared/clock.js';
import { newRandomToken } from '../shared/random-token.js';
import { readToken, signToken } from '../shared/secrets.js';
import type { User } from './user.js';

/** For so long a browser is known after a sign-in, and an address. */
export const DEVICE_DAYS = 365;
const ADDRESS_DAYS = 90;
/** The newest sign-ins alone are looked at. */
const SIGN_INS = 100;
const signIns: readonly AuditAction[] = ['user.signed_in', 'user.joined', 'user.link_used'];

interface DevicePayload {
  /** The hash of the account. */
  readonly a: string;
  readonly d: string;
  /** Milliseconds of the end. */
  readonly u: number;
}

/** How budgets and cookies call an account: no address of a person stands in them. */
export function accountName(account: string): string {
  return createHash('sha256').update(account).digest('hex');
}

/** What a browser is given once it signed in to an account, to be known by later: nobody else can make it, and it lets nobody in. */
export function newDevice({ secrets, clock }: Uses<'secrets' | 'clock'>, account: string): string {
  const payload: DevicePayload = {
    a: accountName(account),
    d: newRandomToken(),
    u: after(clock.now(), DEVICE_DAYS * DAY).getTime(),
  };
  return signToken(secrets, 'device', payload);
}

/**
 * By what an attempt is known to come from where the person of this account signed in before: the browser, or else the address. Null when it
 * may come from anybody. Strangers cannot use up the attempts of a known source.
 */
export async function knownSource(
  uses: Uses<'secrets' | 'clock' | 'store'>,
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

async function sourcesOf({ store, clock }: Uses<'store' | 'clock'>, user: User): Promise<readonly string[]> {
  const from = after(clock.now(), -ADDRESS_DAYS * DAY);
  const filter = { actions: signIns, name: user.email, from, until: null };
  const entries = await store.query(user.customerId, ({ audit }) => audit.list(null, SIGN_INS, filter));
  return entries.flatMap(({ address }) => (address === null ? [] : [addressBudget(address)]));
}
