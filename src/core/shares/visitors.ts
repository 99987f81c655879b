import { hash } from 'node:crypto';
import { addressBudget } from '../access/ip-list.js';
import { type RateWindowStore, requireBudget, usedUp } from '../access/rolling-window.js';
import { after, type Clock, DAY, HOUR } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import { type Id, isId } from '../shared/ids.js';
import { hashRandomToken, newRandomToken, readToken, type Secrets, signToken } from '../shared/secrets.js';
import type { Transactional } from '../shared/transactional.js';
import type { PasswordHasher } from '../users/passwords.js';
import { isOpen, type Share, type ShareFinder } from './share.js';

/** The share of a link. Errors: `not_found`, which says the same whatever the reason. */
export async function openShare(
  { shares, clock }: { shares: ShareFinder; clock: Clock },
  token: string,
): Promise<Share> {
  // In the form of the texts that `newRandomToken` makes.
  const known = /^[\w-]{43}$/.test(token) ? await shares.find(hashRandomToken(token)) : null;
  if (known === null || !isOpen(known, clock.now())) throw closedLink();
  return known.share;
}

export function closedLink(): DomainError {
  const message = 'This link does not exist, or no longer works. Ask the person who sent it for a new one.';
  return new DomainError('not_found', message, { resource: 'share' });
}

/** Hours in which a visitor who has entered the password need not do so again. */
export const PASS_HOURS = 12;
/** Days for which a browser with a pass is known as that of a visitor who has entered. */
export const KNOWN_DAYS = 90;
/** Guesses per minute: of a browser that is known, or from one address, and at one share from everywhere. */
const GUESSES_OF_VISITOR = 10;
const GUESSES_AT_SHARE = 60;
const TOO_MANY = 'Too many attempts.';

type PassUses = { secrets: Secrets; clock: Clock };

/** Whether a visitor may see the share: it has no password, or the pass is for the one that it has now. */
export function isAdmitted({ secrets, clock }: PassUses, share: Share, pass: string | null): boolean {
  if (share.passwordHash === null) return true;
  const values = readPass({ secrets }, share, pass);
  return values !== null && values.password === nameOf(share.passwordHash) && values.until > clock.now().getTime();
}

/**
 * A pass for a visitor who knows the password. Guesses are counted. A browser that has entered before has guesses of its own. When very many
 * are made at a share, every address still has its first of each minute: strangers who guess from many addresses lock no one out. Errors:
 * `unauthorized`, `rate_limited`.
 * @param visitor.pass From an earlier visit, however old; null when the browser sends none.
 */
export async function enterShare(
  uses: PassUses & { passwords: PasswordHasher; rateWindows: RateWindowStore },
  share: Share,
  visitor: { readonly password: string; readonly address: string; readonly pass: string | null },
): Promise<string> {
  const { password, address, pass } = visitor;
  const name = `share-password:${share.id}`;
  const known = readPass(uses, share, pass);
  if (known !== null && after(new Date(known.until), KNOWN_DAYS * DAY) > uses.clock.now()) {
    await requireBudget(uses, { name: `${name}:known:${known.visitor}`, limit: GUESSES_OF_VISITOR }, TOO_MANY);
  } else {
    const from = `${name}:from:${addressBudget(address)}`;
    await requireBudget(uses, { name: from, limit: GUESSES_OF_VISITOR }, TOO_MANY);
    const isFirst = (await uses.rateWindows.hit({ name: `${from}:first`, limit: 1 })).allowed;
    const atShare = await uses.rateWindows.hit({ name, limit: GUESSES_AT_SHARE });
    if (!atShare.allowed && !isFirst) throw usedUp(atShare, TOO_MANY);
  }
  const { passwordHash } = share;
  if (passwordHash === null || !(await uses.passwords.matches(passwordHash, password))) {
    throw new DomainError('unauthorized', 'This is not the password of this link.');
  }
  const until = after(uses.clock.now(), PASS_HOURS * HOUR).getTime();
  return signToken(uses.secrets, 'share', [share.id, nameOf(passwordHash), until, newRandomToken()]);
}

/** The content of a pass for this share, whether or not it still admits. */
function readPass({ secrets }: Pick<PassUses, 'secrets'>, share: Share, pass: string | null) {
  const values = pass === null ? null : readToken(secrets, 'share', pass);
  if (!Array.isArray(values)) return null;
  const [shareId, password, until, visitor] = values as unknown[];
  if (!isId(shareId) || shareId !== share.id || typeof visitor !== 'string') return null;
  return { password, until: Number(until), visitor };
}

/** Identifies a password without telling anything about it: hashes of passwords are not handed out, not even in part. */
function nameOf(passwordHash: string): string {
  return hash('sha256', passwordHash).slice(0, 16);
}

/** Requests per minute from one address, whatever links they are for: pages, and each picture on them. */
export const REQUESTS_OF_VISITOR = 1200;
/** Archives are dear, and so are those that are continued. */
export const ARCHIVES_OF_VISITOR = 20;

/** Counts a request of a visitor. Errors: `rate_limited`. */
export function requireVisitBudget(uses: { rateWindows: RateWindowStore }, address: string): Promise<void> {
  const budget = { name: `visits:${addressBudget(address)}`, limit: REQUESTS_OF_VISITOR };
  return requireBudget(uses, budget, 'Too many requests.');
}

/** Counts a download of everything. Errors: `rate_limited`. */
export function requireArchiveBudget(uses: { rateWindows: RateWindowStore }, address: string): Promise<void> {
  const budget = { name: `archives:${addressBudget(address)}`, limit: ARCHIVES_OF_VISITOR };
  return requireBudget(uses, budget, 'Too many downloads.');
}

/** Visits of one share that are still to be written. */
export interface Visits extends Pick<Share, 'customerId'> {
  readonly shareId: Id;
  readonly count: number;
  readonly lastAt: Date;
}

/** Adds to the visits of a share. One that has been revoked since is left out. */
export function recordVisits(
  { store }: { store: Transactional<'shares'> },
  { customerId, shareId, count, lastAt }: Visits,
): Promise<void> {
  return store.transaction(customerId, async ({ shares }) => {
    const share = await shares.lock(shareId);
    if (share === null) return;
    const lastVisitedAt = share.lastVisitedAt && share.lastVisitedAt > lastAt ? share.lastVisitedAt : lastAt;
    await shares.update({ ...share, visits: share.visits + count, lastVisitedAt });
  });
}
