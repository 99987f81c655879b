import { createHash } from 'node:crypto';
import { after, type Clock, DAY } from '../shared/clock.js';
import { newRandomToken } from '../shared/random-token.js';
import { type Secrets, signToken } from '../shared/secrets.js';

/** How long a browser is known after a sign-in. */
export const DEVICE_DAYS = 365;

export interface DevicePayload {
  /** The hash of the account. */
  readonly a: string;
  readonly d: string;
  /** When it expires, in milliseconds. */
  readonly u: number;
}

/** Identifies an account in budgets and cookies: they contain no one's address. */
export function accountName(account: string): string {
  return createHash('sha256').update(account).digest('hex');
}

/**
 * The cookie that a browser gets once it has signed in to an account, to be recognized later: nobody else can create it, and it does not
 * sign anyone in.
 */
export function newDevice({ secrets, clock }: { secrets: Secrets; clock: Clock }, account: string): string {
  const payload: DevicePayload = {
    a: accountName(account),
    d: newRandomToken(),
    u: after(clock.now(), DEVICE_DAYS * DAY).getTime(),
  };
  return signToken(secrets, 'device', payload);
}
