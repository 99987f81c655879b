import { DomainError, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Role } from './user.js';

/** The operator's decisions about a provider at which people sign in (OpenID Connect). */
export interface ProviderSettings {
  /** In addresses. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** The issuer as the operator writes it. */
  readonly issuer: string;
  /** Domains of e-mail addresses that are let in, in lower case; empty: all. */
  readonly domains: readonly string[];
  /** The only customer whose people sign in there; null: those of all customers. */
  readonly customerId: Id | null;
  /** A person who is let in and has no user yet becomes one of this customer, if its owners allow it. */
  readonly admitsNewPeople: boolean;
  /** The role of new people, and of those in none of the groups below. */
  readonly role: Exclude<Role, 'owner'>;
  /** Roles by group: they apply at each sign-in. Null: groups decide nothing. */
  readonly groupRoles: Readonly<Record<string, Role>> | null;
  /** Ways to sign in there after which no second factor is asked for here: values of `amr` or `acr`. */
  readonly trustedMethods: readonly string[];
}

/** One sign-in, as both directions know it. An attacker who has seen the other values cannot tell the verifier. */
export interface ProviderRequest {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Where the provider sends the browser afterwards. */
  readonly returnTo: string;
  /** The person has to sign in again, although the provider still knows the browser. */
  readonly isFresh: boolean;
}

/** The statement of a provider about a person. */
export interface Assertion {
  readonly issuer: string;
  /** The one among all names of a person that the issuer never gives to another. */
  readonly subject: string;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly groups: readonly string[];
  /** The methods by which the person signed in there. */
  readonly methods: readonly string[];
  /** When the person last gave a password, or the like, there; null if the provider does not say. */
  readonly authenticatedAt: Date | null;
}

/** A provider at which people sign in. It is asked for nothing before a person wants to. */
export interface IdentityProvider {
  readonly settings: ProviderSettings;
  /** The address at which the person signs in. Errors: `service_unavailable` when the provider cannot be reached. */
  start(request: ProviderRequest): Promise<string>;
  /**
   * Checks what the provider sent with the browser to `answer`, an address that begins with `returnTo`: that it is the answer of this
   * provider to this request, signed by a current key, neither old nor used before. Errors: `unauthorized` otherwise, and when the person
   * was not signed in there; `service_unavailable`.
   */
  finish(answer: string, request: ProviderRequest): Promise<Assertion>;
  /** The address at which a person signs out there and comes back; null if there is none. Errors: `service_unavailable`. */
  signOutAddress(returnTo: string): Promise<string | null>;
}

export type IdentityProviders = readonly IdentityProvider[];

/** The one by which new people can come to a customer, if its owners allow it. */
export function providerOfNewPeople(providers: IdentityProviders, customerId: Id): ProviderSettings | null {
  const all = providers.map(({ settings }) => settings);
  return all.find((settings) => settings.admitsNewPeople && settings.customerId === customerId) ?? null;
}

/** Errors: `not_found`. */
export function providerOf(providers: IdentityProviders, id: string): IdentityProvider {
  const found = providers.find(({ settings }) => settings.id === id);
  return requireFound(found, 'identity_provider');
}

/** The reason why a person was not signed in, for the log: messages are for the person. */
export type RefusalReason =
  | 'expired'
  | 'declined'
  | 'invalid_answer'
  | 'address_not_verified'
  | 'domain_not_allowed'
  | 'no_account'
  | 'several_accounts'
  | 'needs_second_factor'
  | 'other_identity'
  | 'too_many_people'
  | 'not_fresh'
  | 'other_person';

export function refusedBy(reason: RefusalReason, message: string): DomainError {
  return new DomainError('unauthorized', message, { reason });
}
