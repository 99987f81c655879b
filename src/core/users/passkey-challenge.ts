import { after, type Clock } from '../shared/clock.js';
import { hashRandomToken, newRandomToken } from '../shared/random-token.js';
import { readToken, type Secrets, signToken } from '../shared/secrets.js';
import { CHALLENGE_MS } from './passkey.js';
import type { Session } from './session.js';

type ChallengeUses = { readonly secrets: Secrets; readonly clock: Clock };

export interface Challenge {
  readonly challenge: string;
  /** For the browser that was asked: without it no answer counts. */
  readonly cookie: string;
}

interface ChallengePayload {
  readonly c: string;
  readonly p: string;
  /** When it expires, in milliseconds. */
  readonly u: number;
}

/** What a challenge is for: an answer to one is none to another. */
export const challengeFor = {
  signIn: () => 'sign_in',
  secondStep: (pendingToken: string) => `second_step:${hashRandomToken(pendingToken)}`,
  confirmation: (session: Pick<Session, 'customerId' | 'id'>) => `confirmation:${session.customerId}:${session.id}`,
  adding: (session: Pick<Session, 'customerId' | 'id'>, signsInAlone: boolean) =>
    `adding:${session.customerId}:${session.id}:${signsInAlone}`,
} as const;

/** A new challenge. Nothing is stored until it is answered, so that nobody can fill the database by asking. */
export function newChallenge({ secrets, clock }: ChallengeUses, purpose: string): Challenge {
  const challenge = newRandomToken();
  const payload: ChallengePayload = { c: challenge, p: purpose, u: after(clock.now(), CHALLENGE_MS).getTime() };
  return { challenge, cookie: signToken(secrets, 'passkey', payload) };
}

/** The challenge of a cookie; null when it is over, or was for something else. */
export function openChallenge({ secrets, clock }: ChallengeUses, cookie: string, purpose: string): string | null {
  const payload = readToken(secrets, 'passkey', cookie) as ChallengePayload | null;
  return payload?.p === purpose && payload.u > clock.now().getTime() ? payload.c : null;
}
