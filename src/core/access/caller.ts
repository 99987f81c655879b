import type { AccountCaller } from '../customers/customer.js';
import { DomainError, type FieldError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';

/** The caller: what a use case needs to know about a request's key. */
export interface Caller extends AccountCaller {
  /** Null for the operator and for the service itself. */
  readonly apiKeyId: Id | null;
  readonly scopes: readonly Scope[];
  /** The key has an IP list, so it must not be given anything that works without the key. */
  readonly ipRestricted: boolean;
}

export function requireScope(caller: Pick<Caller, 'scopes'>, scope: Scope): void {
  if (caller.scopes.includes(scope)) return;
  throw new DomainError('scope_required', `This request requires a key with the scope ${scope}.`, { scope });
}

/**
 * The permissions that a key can have, declared here alone; routes name them (`RequireScope`), and pages/keys/key-form.view.tsx offers common
 * sets. Scopes never change after the key was created.
 */
export const scopeMeanings = {
  'customer:read': 'read the account, its limits and the key itself',
  'photos:read': 'list, read and download photos',
  'photos:write': 'import and change photos',
  'photos:delete': 'delete photos',
  'tags:read': 'list and read tags',
  'tags:write': 'create, change and delete tags',
} as const;
export type Scope = keyof typeof scopeMeanings;

export const scopes = Object.keys(scopeMeanings) as readonly Scope[];

/** The scopes of `valid` that are named, `all` being every one; or all problems with the names. `what` has them: a key, or a token. */
export function readScopes<S extends string>(
  names: readonly string[],
  valid: readonly S[],
  what: string,
): { scopes: readonly S[]; errors: readonly FieldError[] } {
  const field = 'scopes';
  const known = `Valid scopes: ${valid.join(', ')}, or all.`;
  if (names.length === 0) {
    return {
      scopes: [],
      errors: [{ field, code: 'required', message: `A ${what} needs at least one scope. ${known}` }],
    };
  }
  const unknown = names.filter((name) => name !== 'all' && !(valid as readonly string[]).includes(name));
  const message = (name: string) => `${name} is not a scope. ${known}`;
  return {
    scopes: valid.filter((scope) => names.includes('all') || names.includes(scope)),
    errors: unknown.map((name) => ({ field, code: 'invalid_format', message: message(name) })),
  };
}
