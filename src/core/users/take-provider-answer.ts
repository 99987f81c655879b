import type { BegunSignIn } from './begin-sign-in.js';
import { confirmByAssertion, notBegun } from './confirm-by-assertion.js';
import { providerOf } from './identity-provider.js';
import type { Browser } from './open-session.js';
import { readFlow, requestOf } from './provider-flow.js';
import type { KnownSession, SessionStore } from './session.js';
import { type AdmittedBrowser, type SignInUses, signInByAssertion } from './sign-in-by-assertion.js';
import { type ProviderUses, requireProviderBudget } from './start-provider-sign-in.js';

interface Answer {
  readonly provider: string;
  /** The cookie with which the browser began. */
  readonly cookie: string;
  /** The address to which the provider sent it, in full. */
  readonly answer: string;
  readonly returnTo: string;
  readonly browser: Browser;
  readonly device: string | null;
  /** Who is signed in. */
  readonly person: KnownSession | null;
}

/** Somebody signed in, or the person who is signed in has confirmed that it is still the same. */
export type Outcome =
  | { readonly kind: 'signed_in'; readonly next: string; readonly begun: BegunSignIn; readonly lostPassword: boolean }
  | { readonly kind: 'confirmed'; readonly next: string };

type AnswerUses = ProviderUses & SignInUses & { readonly sessions: SessionStore };

/**
 * Takes what a provider sends with a browser. Errors: `unauthorized` with a reason when it is not the answer to what this browser began
 * here, or the person is not let in; `not_found`, `service_unavailable`, `rate_limited`.
 */
export async function takeProviderAnswer(uses: AnswerUses, given: Answer): Promise<Outcome> {
  const provider = providerOf(uses.identityProviders, given.provider);
  const flow = readFlow(uses, given.cookie);
  if (flow?.provider !== given.provider) throw notBegun();
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
