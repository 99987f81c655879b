import { DomainError, requireFound } from '../../../src/core/shared/errors.js';
import type { Id } from '../../../src/core/shared/ids.js';
import { newRandomToken } from '../../../src/core/shared/secrets.js';
import {
  type Assertion,
  type IdentityProvider,
  type ProviderRequest,
  type ProviderSettings,
  refusedBy,
} from '../../../src/core/users/identity-provider.js';
import {
  type Identity,
  type IdentityRepository,
  isSameIdentity,
  type NewIdentity,
} from '../../../src/core/users/provider/identity.js';
import { MemoryRepository } from '../memory-repository.js';

export class MemoryIdentityRepository extends MemoryRepository implements IdentityRepository {
  private readonly rows = this.database.table<Identity>('identities');

  async of(userId: Id): Promise<readonly Identity[]> {
    return (await this.list()).filter((identity) => identity.userId === userId);
  }

  async list(): Promise<readonly Identity[]> {
    return this.rows.rowsOf(this.customerId).sort((a, b) => a.id - b.id);
  }

  async insert(identity: NewIdentity): Promise<Identity | null> {
    requireFound(this.database.users.rowOf(this.customerId, identity.userId), 'user');
    if ((await this.list()).some((each) => isSameIdentity(each, identity))) return null;
    const row = { ...identity, customerId: this.customerId, id: this.database.next('identity') };
    this.rows.set(row.id, row);
    return row;
  }

  async use(userId: Id, id: Id, at: Date): Promise<void> {
    const row = this.rows.rowOf(this.customerId, id);
    if (row?.userId === userId) this.rows.set(id, { ...row, lastUsedAt: at });
  }

  async delete(userId: Id, id: Id): Promise<boolean> {
    return this.rows.rowOf(this.customerId, id)?.userId === userId && this.rows.delete(id);
  }
}

/** A provider whose people sign in when a test says so. */
export class MemoryIdentityProvider implements IdentityProvider {
  readonly settings: ProviderSettings;
  isAway = false;
  private readonly begun = new Map<string, ProviderRequest>();
  private readonly codes = new Map<string, { readonly request: ProviderRequest; readonly assertion: Assertion }>();

  constructor(values: Partial<ProviderSettings> = {}) {
    this.settings = providerSettings(values);
  }

  async start(request: ProviderRequest): Promise<string> {
    this.requireHere();
    this.begun.set(request.state, request);
    return `${this.settings.issuer}/sign-in?state=${request.state}`;
  }

  /** The parameters that come back from this address once a person has signed in there. */
  signIn(address: string, person: Person): string {
    const state = new URL(address).searchParams.get('state') ?? '';
    const request = this.begun.get(state);
    if (request === undefined) throw new Error('no sign-in began at this address');
    const code = newRandomToken();
    const unknown = { email: null, isEmailVerified: false, groups: [], methods: [], authenticatedAt: null };
    this.codes.set(code, { request, assertion: { ...unknown, ...person, issuer: this.settings.issuer } });
    return `${request.returnTo}?${new URLSearchParams({ code, state, iss: this.settings.issuer })}`;
  }

  async finish(answer: string, request: ProviderRequest): Promise<Assertion> {
    this.requireHere();
    const { origin, pathname, searchParams } = new URL(answer);
    const isFor = (other: ProviderRequest) => other.nonce === request.nonce && other.verifier === request.verifier;
    if (searchParams.get('state') !== request.state || searchParams.get('iss') !== this.settings.issuer)
      throw invalid();
    if (searchParams.has('error')) throw refusedBy('declined', 'The provider did not sign you in.');
    const code = searchParams.get('code') ?? '';
    const issued = this.codes.get(code);
    this.codes.delete(code);
    if (issued === undefined || !isFor(issued.request) || `${origin}${pathname}` !== request.returnTo) throw invalid();
    return issued.assertion;
  }

  async signOutAddress(returnTo: string): Promise<string | null> {
    this.requireHere();
    return `${this.settings.issuer}/sign-out?${new URLSearchParams({ post_logout_redirect_uri: returnTo })}`;
  }

  private requireHere(): void {
    if (this.isAway) throw new DomainError('service_unavailable', `${this.settings.name} cannot be reached.`);
  }
}

function invalid(): DomainError {
  return refusedBy('invalid_answer', 'The answer of the provider is not valid.');
}

export function providerSettings(values: Partial<ProviderSettings> = {}): ProviderSettings {
  return {
    id: 'keycloak',
    name: 'Keycloak',
    issuer: 'https://sign-in.example.com',
    domains: [],
    customerId: null,
    admitsNewPeople: false,
    role: 'viewer',
    groupRoles: null,
    trustedMethods: [],
    ...values,
  };
}

type Person = Partial<Omit<Assertion, 'issuer'>> & Pick<Assertion, 'subject'>;
