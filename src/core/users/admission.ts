import { createHash } from 'node:crypto';
import type { KeyAddress } from '../access/api-key.js';
import { addressBudget, IpRanges, readIpList } from '../access/ip-list.js';
import { type RateWindowStore, requireBudget } from '../access/rolling-window.js';
import type { Actor } from '../audit/audit-entry.js';
import { type AccountCaller, type Customer, newVersion } from '../customers/customer.js';
import { changeCustomer } from '../customers/edit-customer.js';
import { after, type Clock, DAY } from '../shared/clock.js';
import { DomainError, requireValid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { newRandomToken, readToken, type Secrets, signToken } from '../shared/secrets.js';
import { type Precondition, type Readable, type Transactional, unconditional } from '../shared/transactional.js';
import { type Browser, isOver } from './session.js';
import { accountOf, auditUser, type User } from './user.js';

/**
 * Whether people of this customer may use the settings area from an address; null is that of a person whose address no proxy reported.
 * Errors: `ip_not_whitelisted`.
 */
export function requireAdmitted({ settingsIpList }: Pick<Customer, 'settingsIpList'>, address: string | null): void {
  if (settingsIpList.length === 0) return;
  if (address === null || !new IpRanges(settingsIpList).contains(address)) throw notAdmitted(address);
}

export function notAdmitted(address: string | null): DomainError {
  const message =
    address === null
      ? 'The settings area of this account can only be used from certain addresses, and the proxy before this service did not report yours.'
      : `The settings area of this account cannot be used from ${address}. An owner of the account, or the operator of this service, can allow this address.`;
  return new DomainError('ip_not_whitelisted', message);
}

/** Decides for the owners whether a provider of their account may bring new people. Those who have come remain. */
export function editNewPeople(
  uses: { store: Transactional<'customer' | 'audit'>; clock: Clock },
  caller: AccountCaller,
  isAllowed: boolean,
): Promise<Customer> {
  return changeCustomer(uses, caller, ['admitsNewPeople'], (before, at) =>
    before.admitsNewPeople === isAllowed ? before : newVersion(before, { admitsNewPeople: isAllowed }, at),
  );
}

/**
 * Sets the addresses from which people may use the settings area, as they are written; none: from everywhere. It counts from the next request
 * on, for those who are signed in, too. `check` is called with the customer as it is when the change begins. Errors: `invalid_request`, and those of
 * `check`.
 */
export async function editSettingsAddresses(
  uses: { store: Transactional<'customer' | 'audit'>; clock: Clock },
  caller: AccountCaller,
  entries: readonly string[],
  check: Precondition<Customer> = unconditional,
): Promise<Customer> {
  const { ipList, errors } = readIpList(entries);
  requireValid(errors);
  return changeCustomer(uses, caller, ['settingsAddresses'], (before, at) => {
    check(before);
    return before.settingsIpList.join() === ipList.join() ? before : newVersion(before, { settingsIpList: ipList }, at);
  });
}

/** Addresses from which people of a customer have used open sessions in the last day. */
export async function recentSettingsAddresses(
  { store, clock }: { store: Readable<'users'>; clock: Clock },
  customerId: Id,
): Promise<readonly Pick<KeyAddress, 'address'>[]> {
  const now = clock.now();
  const sessions = await store.query(customerId, async ({ users }) => {
    const everyone = await users.list();
    return (await Promise.all(everyone.map(({ id }) => users.sessionsOf(id)))).flat();
  });
  const recent = sessions.filter((session) => !isOver(session, now) && session.lastSeenAt > after(now, -DAY));
  return [...new Set(recent.map(({ address }) => address))].map((address) => ({ address }));
}

/** Runs the transaction in which a person signs in. If the address is not admitted, that is recorded as other refusals are. */
export async function recordingNotAdmitted<T>(
  uses: { rateWindows: RateWindowStore; store: Transactional<'users' | 'audit'>; clock: Clock },
  { customerId, id }: Pick<User, 'customerId' | 'id'>,
  { address }: Pick<Browser, 'address'>,
  signIn: () => Promise<T>,
): Promise<T> {
  try {
    return await signIn();
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'ip_not_whitelisted')) throw error;
    const user = await uses.store.query(customerId, ({ users }) => users.get(id));
    if (user !== null) await recordRefusal(uses, [user], accountOf(user), address);
    throw error;
  }
}

/**
 * Attempts per minute, including successful ones. By account, so that many machines cannot share the guessing; by address, so that one
 * cannot try many accounts.
 */
const PER_ADDRESS = 20;
const PER_ACCOUNT = 5;
const TOO_MANY = 'Too many attempts.';

/**
 * Counts an attempt to guess a password. `known`: a source that the person is known to use, whose attempts are counted separately; null: any
 * other. Errors: `rate_limited`.
 */
export async function requireSignInBudget(
  uses: { rateWindows: RateWindowStore },
  { account, address, known }: { readonly account: string; readonly address: string; readonly known: string | null },
): Promise<void> {
  if (known !== null) {
    return requireBudget(uses, { name: `sign-in:known:${known}`, limit: PER_ACCOUNT }, TOO_MANY);
  }
  await requireAddressBudget(uses, address);
  await requireBudget(uses, { name: `sign-in:to:${accountName(account)}`, limit: PER_ACCOUNT }, TOO_MANY);
}

/** Counts an attempt to sign in where no account is named. Errors: `rate_limited`. */
export function requireAddressBudget(uses: { rateWindows: RateWindowStore }, address: string): Promise<void> {
  return requireBudget(uses, { name: `sign-in:from:${addressBudget(address)}`, limit: PER_ADDRESS }, TOO_MANY);
}

/**
 * Records a refused attempt, only for accounts that exist, and once a minute from one source: guessing cannot fill the log. Also checked for
 * accounts that do not exist, so that both take about the same time.
 */
export async function recordRefusal(
  uses: { rateWindows: RateWindowStore; store: Transactional<'audit'>; clock: Clock },
  known: readonly User[],
  account: string,
  address: string,
): Promise<void> {
  const name = `sign-in:refused:${accountName(account)}:${addressBudget(address)}`;
  if (!(await uses.rateWindows.hit({ name, limit: 1 })).allowed) return;
  const unknownPerson: Actor = { kind: 'person', id: null, name: null, address };
  for (const user of known) {
    const change = { action: 'user.sign_in_refused', at: uses.clock.now() } as const;
    await uses.store.transaction(user.customerId, ({ audit }) => auditUser(audit, unknownPerson, user, change));
  }
}

/** Days for which an address is known after a sign-in. */
const ADDRESS_DAYS = 90;
/** Only the newest sign-ins are checked. */
const SIGN_INS = 100;

/**
 * Returns what shows that an attempt comes from where the person of this account has signed in before: the browser, or else the address. Null
 * when it may come from anyone. Strangers cannot use up the attempts of a known source.
 */
export async function knownSource(
  { secrets, clock, store }: { secrets: Secrets; clock: Clock; store: Readable<'audit'> },
  account: string,
  users: readonly User[],
  { device, address }: { readonly device: string | null; readonly address: string },
): Promise<string | null> {
  const known = device === null ? null : (readToken(secrets, 'device', device) as Device | null);
  const isOfAccount = known?.account === accountName(account) && known.until > clock.now().getTime();
  if (isOfAccount) return `device:${known.name}`;
  const source = addressBudget(address);
  for (const { customerId, email } of users) {
    const actions = ['user.signed_in', 'user.joined', 'user.link_used'] as const;
    const filter = { actions, name: email, from: after(clock.now(), -ADDRESS_DAYS * DAY), until: null };
    const signIns = await store.query(customerId, ({ audit }) => audit.list(null, SIGN_INS, filter));
    const isKnown = signIns.some((entry) => entry.address !== null && addressBudget(entry.address) === source);
    if (isKnown) return `address:${accountName(account)}:${source}`;
  }
  return null;
}

/** Days for which a browser is known after a sign-in. */
export const DEVICE_DAYS = 365;

/** The content of its cookie. */
interface Device {
  /** Its hash. */
  readonly account: string;
  readonly name: string;
  /** When it expires, in milliseconds. */
  readonly until: number;
}

/** Identifies an account in budgets and cookies: they contain no one's address. */
function accountName(account: string): string {
  return createHash('sha256').update(account).digest('hex');
}

/**
 * The cookie that a browser gets once it has signed in to an account, to be recognized later: no one else can create it, and it does not
 * sign anyone in.
 */
export function newDevice({ secrets, clock }: { secrets: Secrets; clock: Clock }, account: string): string {
  const until = after(clock.now(), DEVICE_DAYS * DAY).getTime();
  const device: Device = { account: accountName(account), name: newRandomToken(), until };
  return signToken(secrets, 'device', device);
}
