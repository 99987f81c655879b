import { after, type Clock, MINUTE } from '../shared/clock.js';
import { hashRandomToken, newRandomToken } from '../shared/random-token.js';
import { readToken, type Secrets, signToken } from '../shared/secrets.js';
import type { ProviderRequest } from './identity-provider.js';

/** How long there is to sign in at a provider. */
export const FLOW_MS = 10 * MINUTE;

/** A sign-in at a provider that one browser has begun. */
export interface ProviderFlow {
  readonly provider: string;
  /** It never leaves the browser; everything that does is a hash of it. */
  readonly token: string;
  readonly startedAt: Date;
  /** The page that was wanted. */
  readonly next: string;
  /** The session, by its hash, whose person is asked again; null: somebody signs in. */
  readonly session: string | null;
}

interface FlowPayload {
  readonly p: string;
  readonly t: string;
  readonly b: number;
  readonly n: string;
  readonly s: string | null;
}

type FlowUses = { readonly secrets: Secrets; readonly clock: Clock };

/** The cookie of the browser that begins. No other browser can finish what this one began. */
export function newFlow(
  { secrets, clock }: FlowUses,
  { provider, next, session }: Pick<ProviderFlow, 'provider' | 'next' | 'session'>,
): { readonly flow: ProviderFlow; readonly cookie: string } {
  const flow = { provider, token: newRandomToken(), startedAt: clock.now(), next, session };
  const payload: FlowPayload = { p: provider, t: flow.token, b: flow.startedAt.getTime(), n: next, s: session };
  return { flow, cookie: signToken(secrets, 'provider', payload) };
}

/** Null when there is none, or it is over. */
export function readFlow({ secrets, clock }: FlowUses, cookie: string): ProviderFlow | null {
  const payload = readToken(secrets, 'provider', cookie) as FlowPayload | null;
  if (payload === null) return null;
  const { p, t, b, n, s } = payload;
  const startedAt = new Date(b);
  if (after(startedAt, FLOW_MS).getTime() <= clock.now().getTime()) return null;
  return { provider: p, token: t, startedAt, next: n, session: s };
}

export function requestOf({ token, session }: ProviderFlow, returnTo: string): ProviderRequest {
  const part = (name: string) => hashRandomToken(`${name}:${token}`);
  return {
    state: part('state'),
    nonce: part('nonce'),
    verifier: part('verifier'),
    returnTo,
    isFresh: session !== null,
  };
}
