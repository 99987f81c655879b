import { addressBudget } from '../../access/ip-list.js';
import { type RateWindowStore, requireBudget } from '../../access/rolling-window.js';
import { type Clock, MINUTE, SECOND } from '../../shared/clock.js';
import { DomainError } from '../../shared/errors.js';
import { hashRandomToken, newRandomToken, readToken, type Secrets, signToken } from '../../shared/secrets.js';
import type { Readable, Transactional } from '../../shared/transactional.js';
import {
  type Assertion,
  type IdentityProviders,
  type ProviderRequest,
  type ProviderSettings,
  providerOf,
  refusedBy,
} from '../identity-provider.js';
import type { Browser, KnownSession, SessionStore } from '../session.js';
import type { SignInResult } from '../sign-in/sign-in.js';
import { type AdmittedBrowser, type AssertionUses, signInByAssertion } from './assertion.js';
import { isSameIdentity } from './identity.js';

/** Both directions together, a minute: a whole office may come from one address. */
const PER_ADDRESS = 120;

interface ProviderUses {
  readonly identityProviders: IdentityProviders;
  readonly rateWindows: RateWindowStore;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

interface Start {
  readonly provider: string;
  readonly returnTo: string;
  /** The page that was wanted. */
  readonly next: string;
  /** The person who is asked again; null: this is a sign-in. */
  readonly person: KnownSession | null;
  readonly address: string;
}

/**
 * Where the browser goes to sign in at a provider, and the cookie with which it comes back. A person with a second factor is asked again for
 * that, not here. Errors: `not_found`, `service_unavailable`, `rate_limited`, `unauthorized`.
 */
export async function startProviderSignIn(
  uses: ProviderUses,
  { provider: id, returnTo, next, person, address: from }: Start,
): Promise<{ readonly address: string; readonly cookie: string }> {
  const provider = providerOf(uses.identityProviders, id);
  if (person?.hasFactor) throw new DomainError('unauthorized', 'Confirm with your second factor instead.');
  await requireProviderBudget(uses, from);
  const session = person?.session.tokenHash ?? null;
  const flow = { provider: id, token: newRandomToken(), startedAt: uses.clock.now().getTime(), next, session };
  const address = await provider.start(requestOf(flow, returnTo));
  // No other browser can finish what this one started.
  return { address, cookie: signToken(uses.secrets, 'provider', flow) };
}

/** Strangers must not have the provider asked without end. Errors: `rate_limited`. */
function requireProviderBudget(uses: Pick<ProviderUses, 'rateWindows'>, address: string): Promise<void> {
  const budget = { name: `sign-in:provider:${addressBudget(address)}`, limit: PER_ADDRESS };
  return requireBudget(uses, budget, 'Too many attempts.');
}

interface Answer {
  readonly provider: string;
  /** The cookie with which the browser started. */
  readonly cookie: string;
  /** The address to which the provider sent it, in full. */
  readonly answer: string;
  readonly returnTo: string;
  readonly browser: Browser;
  readonly device: string | null;
  readonly person: KnownSession | null;
}

/** A person signed in, or the one who is signed in has confirmed that it is still the same. */
export type Outcome =
  | {
      readonly kind: 'signed_in';
      readonly next: string;
      readonly result: SignInResult;
      readonly lostPassword: boolean;
    }
  | { readonly kind: 'confirmed'; readonly next: string };

/**
 * Takes what a provider sends with a browser. Errors: `unauthorized` with a reason when it is not the answer to what this browser started
 * here, or the person is not let in; `not_found`, `service_unavailable`, `rate_limited`.
 */
export async function finishProviderSignIn(
  uses: ProviderUses & AssertionUses & { readonly sessions: SessionStore },
  given: Answer,
): Promise<Outcome> {
  const provider = providerOf(uses.identityProviders, given.provider);
  const flow = readToken(uses.secrets, 'provider', given.cookie) as ProviderFlow | null;
  if (flow === null || flow.startedAt + FLOW_MS <= uses.clock.now().getTime()) throw notStarted();
  if (flow.provider !== given.provider) throw notStarted();
  await requireProviderBudget(uses, given.browser.address);
  const assertion = await provider.finish(given.answer, requestOf(flow, given.returnTo));
  const { next } = flow;
  if (flow.session === null) {
    const from: AdmittedBrowser = { browser: given.browser, device: given.device };
    return { kind: 'signed_in', next, ...(await signInByAssertion(uses, provider.settings, assertion, from)) };
  }
  await confirmByAssertion(uses, flow, assertion, given.person);
  return { kind: 'confirmed', next };
}

/** By how much the clock of a provider may differ from ours. */
export const CLOCK_TOLERANCE_MS = 30 * SECOND;

/** The person who is signed in is the one of whom the provider speaks, and signed in there just now. Errors: `unauthorized`, with a reason. */
async function confirmByAssertion(
  { store, sessions, clock }: { store: Transactional<'identities'>; sessions: SessionStore } & ProviderUses,
  { session, startedAt }: ProviderFlow,
  assertion: Assertion,
  person: KnownSession | null,
): Promise<void> {
  if (person === null || person.session.tokenHash !== session) throw notStarted();
  const own = await store.query(person.customer.id, ({ identities }) => identities.of(person.user.id));
  if (!own.some((identity) => isSameIdentity(identity, assertion))) {
    throw refusedBy('other_person', 'Someone else signed in there. Sign in there as yourself.');
  }
  const { authenticatedAt } = assertion;
  if (authenticatedAt === null || authenticatedAt.getTime() < startedAt - CLOCK_TOLERANCE_MS) {
    const message = 'The provider did not say that you signed in there just now. An admin can send you a link instead.';
    throw refusedBy('not_fresh', message);
  }
  await sessions.confirm(person.session.tokenHash, clock.now());
}

function notStarted(): DomainError {
  const message = 'This sign-in took too long, was used before, or started in another browser. Start again.';
  return refusedBy('expired', message);
}

/** The provider that knows this person; null when there is none, or the operator has removed it. */
export async function providerFor(
  { store, identityProviders }: { store: Readable<'identities'>; identityProviders: IdentityProviders },
  { user }: Pick<KnownSession, 'user'>,
): Promise<ProviderSettings | null> {
  if (identityProviders.length === 0) return null;
  const own = await store.query(user.customerId, ({ identities }) => identities.of(user.id));
  const known = (issuer: string) => own.some((identity) => withoutSlash(identity.issuer) === withoutSlash(issuer));
  return identityProviders.find(({ settings }) => known(settings.issuer))?.settings ?? null;
}

/** Operators write an issuer with or without it. */
function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, '');
}

/** The time there is to sign in at a provider. */
export const FLOW_MS = 10 * MINUTE;

/** A sign-in at a provider that one browser has started: the content of its cookie. */
interface ProviderFlow {
  readonly provider: string;
  /** It never leaves the browser; everything that does is a hash of it. */
  readonly token: string;
  /** In milliseconds. */
  readonly startedAt: number;
  /** The page that was wanted. */
  readonly next: string;
  /** The session, by its hash, whose person is asked again; null: this is a sign-in. */
  readonly session: string | null;
}

function requestOf({ token, session }: ProviderFlow, returnTo: string): ProviderRequest {
  const part = (name: string) => hashRandomToken(`${name}:${token}`);
  const secrets = { state: part('state'), nonce: part('nonce'), verifier: part('verifier') };
  return { ...secrets, returnTo, isFresh: session !== null };
}
