import type { AuthorizationResponseError, Configuration, CustomFetchOptions, ResponseBodyError } from 'openid-client';
import { isLoopback } from '../../core/access/outgoing-url.js';
import type { Clock } from '../../core/shared/clock.js';
import { DomainError } from '../../core/shared/errors.js';
import {
  type Assertion,
  type IdentityProvider,
  type ProviderRequest,
  type ProviderSettings,
  refusedBy,
} from '../../core/users/identity-provider.js';
import { CLOCK_TOLERANCE_MS } from '../../core/users/provider/flow.js';
import { SystemClock } from '../system-clock.js';

export interface OpenIdProviderOptions {
  readonly settings: ProviderSettings;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly claims: ClaimNames;
  /** In addition to `openid` and `email`. */
  readonly scopes: readonly string[];
  /** For each request; default 5 seconds. */
  readonly timeoutSeconds?: number;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** Addresses of the provider are asked for again after this long. */
const DISCOVERY_MS = 3_600_000;
/** A token is for use at once: an older one may be stolen. */
const MAX_TOKEN_AGE_MS = 300_000;

type Library = typeof import('openid-client');
interface Discovered {
  readonly library: Library;
  readonly configuration: Configuration;
}

/** A provider by OpenID Connect: authorization code flow with PKCE, on the library openid-client, which is loaded at the first sign-in. */
export class OpenIdProvider implements IdentityProvider {
  readonly settings: ProviderSettings;
  private discovered: Promise<Discovered> | null = null;
  private readonly clock: Clock;
  private readonly timeout: number;
  /** By `elapsed`. */
  private askedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: OpenIdProviderOptions) {
    this.settings = options.settings;
    this.clock = options.clock ?? new SystemClock();
    this.timeout = options.timeoutSeconds ?? 5;
  }

  async start({ state, nonce, verifier, returnTo, isFresh }: ProviderRequest): Promise<string> {
    const { library, configuration } = await this.discover();
    const parameters = {
      redirect_uri: returnTo,
      scope: ['openid', 'email', ...this.options.scopes].join(' '),
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...(isFresh && { prompt: 'login', max_age: '0' }),
    };
    return library.buildAuthorizationUrl(configuration, parameters).href;
  }

  async finish(answer: string, { state, nonce, verifier }: ProviderRequest): Promise<Assertion> {
    const { library, configuration: shared } = await this.discover();
    // Its keys are asked for at each sign-in: a key that was replaced a moment ago is no reason to refuse a sign-in.
    const configuration = this.configure(library, { ...shared.serverMetadata() });
    try {
      const tokens = await library.authorizationCodeGrant(configuration, new URL(answer), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      const age = this.clock.now().getTime() - (claims?.iat ?? 0) * 1000;
      const isRecent = age < MAX_TOKEN_AGE_MS && age > -CLOCK_TOLERANCE_MS;
      if (claims === undefined || !isRecent) throw this.invalidAnswer();
      // Whether a token leaves out what the provider may say when it is asked for it.
      const { groups } = this.options.claims;
      const lacks = claims['email'] === undefined || (groups !== null && claims[groups] === undefined);
      const missing = lacks && configuration.serverMetadata().userinfo_endpoint;
      const more = missing ? await library.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
      return assertionOf(claims, more as Claims, this.options.claims);
    } catch (error) {
      if (error instanceof DomainError) throw error;
      const { name, code, status } = error as Partial<AuthorizationResponseError & ResponseBodyError>;
      if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') {
        throw refusedBy('declined', `${this.settings.name} did not sign you in. Try again.`);
      }
      const isAway = name === 'TypeError' || code === 'OAUTH_TIMEOUT' || (typeof status === 'number' && status >= 500);
      throw isAway ? this.unreachable(error) : this.invalidAnswer(error);
    }
  }

  async signOutAddress(returnTo: string): Promise<string | null> {
    const { library, configuration } = await this.discover();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
    return library.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href;
  }

  /** Discovers the provider, asking once for all that wait. A request that failed is tried again by the next. */
  private discover(): Promise<Discovered> {
    const isOld = this.clock.elapsed() - this.askedAt >= DISCOVERY_MS;
    if (this.discovered !== null && !isOld) return this.discovered;
    const asked = this.ask();
    this.discovered = asked;
    this.askedAt = this.clock.elapsed();
    asked.catch(() => {
      if (this.discovered === asked) this.discovered = null;
    });
    return asked;
  }

  private async ask(): Promise<Discovered> {
    const library = await import('openid-client');
    const { clientId, clientSecret } = this.options;
    try {
      const configuration = await library.discovery(new URL(this.settings.issuer), clientId, clientSecret, undefined, {
        [library.customFetch]: limitedFetch,
        execute: this.checks(library),
        timeout: this.timeout,
      });
      return { library, configuration };
    } catch (error) {
      throw this.unreachable(error);
    }
  }

  private configure(library: Library, metadata: ConstructorParameters<Library['Configuration']>[0]): Configuration {
    const { clientId, clientSecret } = this.options;
    const client = { client_secret: clientSecret, [library.clockTolerance]: CLOCK_TOLERANCE_MS / 1000 };
    const configuration = new library.Configuration(metadata, clientId, client);
    configuration[library.customFetch] = limitedFetch;
    configuration.timeout = this.timeout;
    for (const check of this.checks(library)) check(configuration);
    return configuration;
  }

  /** The signature is checked although the token comes straight from the provider; without TLS only on this machine. */
  private checks({ enableNonRepudiationChecks, allowInsecureRequests }: Library) {
    const local = isLoopback(new URL(this.settings.issuer).hostname) ? [allowInsecureRequests] : [];
    return [enableNonRepudiationChecks, ...local];
  }

  private invalidAnswer(cause?: unknown): DomainError {
    const message = `The answer of ${this.settings.name} is not valid, or was used before. Start again.`;
    return Object.assign(refusedBy('invalid_answer', message), { cause: innermost(cause) });
  }

  private unreachable(cause: unknown): DomainError {
    const message = `${this.settings.name} cannot be reached. Try again later, or sign in in another way.`;
    return Object.assign(new DomainError('service_unavailable', message), { cause: innermost(cause) });
  }
}

/** It says what is wrong; those around it only that something is. */
function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? innermost(error.cause) : error;
}

/** The names of claims that differ between providers. */
interface ClaimNames {
  /** Says that the address is the person's; `email_verified` by the standard. */
  readonly verified: string;
  /** Lists the groups of a person; null: they are not needed. */
  readonly groups: string | null;
}

const TRUE: readonly unknown[] = [true, 1, '1', 'true'];
const GOOGLE = 'https://accounts.google.com';

type Claims = Readonly<Record<string, unknown>>;

/**
 * Returns what the claims of a checked token say, and `more` of the same person. How and when the person signed in is only said by the token, which
 * is about this sign-in and signed. Claims of unexpected types say nothing.
 */
export function assertionOf(token: Claims, more: Claims, { verified, groups }: ClaimNames): Assertion {
  const { iss, sub, auth_time, amr, acr } = token;
  // Whether an address is verified is only said by who says the address: the token, or `more` where it has none or the same one, unmarked.
  const isOfMore = token['email'] === undefined || (token[verified] === undefined && more['email'] === token['email']);
  const address = isOfMore ? more : token;
  const email = address['email'];
  const claims: Claims = { ...more, ...token };
  return {
    issuer: String(iss),
    subject: String(sub),
    email: typeof email === 'string' && email !== '' ? email : null,
    // Some providers write booleans as texts or numbers.
    isEmailVerified: TRUE.includes(address[verified]) && (iss !== GOOGLE || isOfGoogle(address)),
    groups: groups === null ? [] : texts(claims[groups]),
    methods: [...texts(amr), ...texts(acr)],
    authenticatedAt: typeof auth_time === 'number' ? new Date(auth_time * 1000) : null,
  };
}

/**
 * Google says that an address is verified for as long as the Google account exists, even after the domain has gone to another owner or the
 * person has left. It only answers for its own addresses, and for those of organizations (`hd`) whose domain is with it.
 */
function isOfGoogle({ email, hd }: Claims): boolean {
  if (typeof email !== 'string') return false;
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return domain === 'gmail.com' || (typeof hd === 'string' && hd.toLowerCase() === domain);
}

function texts(value: unknown): readonly string[] {
  return [value].flat().filter((each) => typeof each === 'string');
}

/** Far more than a provider's keys, or what it says about a person, ever take. */
const MAX_BYTES = 1024 * 1024;

/** A provider is the operator's choice and may be on any network, but what it says must not be readable or changeable on the way. */
async function limitedFetch(url: string, options: CustomFetchOptions): Promise<Response> {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && !isLoopback(hostname)) throw new Error('the provider names an address without TLS');
  const response = await fetch(url, options as RequestInit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`the provider sent more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { status, headers } = response;
  return new Response(size === 0 ? null : Buffer.concat(chunks), { status, headers });
}
