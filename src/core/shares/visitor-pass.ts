import { hash } from 'node:crypto';
import { addressBudget } from '../access/ip-list.js';
import { requireBudget } from '../access/require-budget.js';
import type { RateWindowStore } from '../access/rolling-window.js';
import { after, type Clock, HOUR } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import { isId } from '../shared/ids.js';
import { readToken, type Secrets, signToken } from '../shared/secrets.js';
import type { PasswordHasher } from '../users/password-hasher.js';
import type { Share } from './share.js';

/** How long a visitor who has entered the password need not do so again. */
export const PASS_HOURS = 12;
/** Guesses per minute: from one address, and at one share from everywhere. */
const GUESSES_FROM_ADDRESS = 10;
const GUESSES_AT_SHARE = 60;
const TOO_MANY = 'Too many attempts.';

type PassUses = { secrets: Secrets; clock: Clock };

/** Whether a visitor may see the share: it has no password, or the pass is for the one that it has now. */
export function isAdmitted({ secrets, clock }: PassUses, share: Share, pass: string | null): boolean {
  if (share.passwordHash === null) return true;
  const values = pass === null ? null : readToken(secrets, 'share', pass);
  if (!Array.isArray(values)) return false;
  const [shareId, password, until] = values as unknown[];
  const isOfShare = isId(shareId) && shareId === share.id && password === nameOf(share.passwordHash);
  return isOfShare && Number(until) > clock.now().getTime();
}

/** A pass for a visitor who knows the password. Errors: `unauthorized`, `rate_limited`. */
export async function enterShare(
  uses: PassUses & { passwords: PasswordHasher; rateWindows: RateWindowStore },
  share: Share,
  { password, address }: { readonly password: string; readonly address: string },
): Promise<string> {
  const from = `share-password:${share.id}:from:${addressBudget(address)}`;
  await requireBudget(uses, { name: from, limit: GUESSES_FROM_ADDRESS }, TOO_MANY);
  await requireBudget(uses, { name: `share-password:${share.id}`, limit: GUESSES_AT_SHARE }, TOO_MANY);
  const { passwordHash } = share;
  if (passwordHash === null || !(await uses.passwords.matches(passwordHash, password))) {
    throw new DomainError('unauthorized', 'This is not the password of this link.');
  }
  const until = after(uses.clock.now(), PASS_HOURS * HOUR).getTime();
  return signToken(uses.secrets, 'share', [share.id, nameOf(passwordHash), until]);
}

/** Identifies a password without telling anything about it: hashes of passwords are not handed out, not even in part. */
function nameOf(passwordHash: string): string {
  return hash('sha256', passwordHash).slice(0, 16);
}
