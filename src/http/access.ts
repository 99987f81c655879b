import { type ExecutionContext, SetMetadata, type Type } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { Scope } from '../core/access/caller.js';
import type { OperatorScope } from '../core/operators/operator-token.js';
import type { Role } from '../core/users/user.js';

/** Limits that do not apply to a form of the settings area. */
export interface FormRules {
  /** A script sends it as part of one change that was already counted, as often as there are photos. */
  readonly uncounted?: boolean;
  /** It changes nothing in the account. */
  readonly whileSuspended?: boolean;
  /** Also for a person who has to add a second factor before anything else. */
  readonly beforeFactor?: boolean;
  /** Only of a person who gave the password a moment ago: no one keeps access, or takes it away, with a stolen session. */
  readonly confirmed?: boolean;
}

/** The requirements of a route on its caller. */
export type Access =
  | { readonly needs: 'scope'; readonly scope: Scope }
  | ({ readonly needs: 'person'; readonly role: Role } & FormRules)
  | { readonly needs: 'operator'; readonly scope: OperatorScope }
  | { readonly needs: 'key' | 'operator_token' | 'nothing' | 'visitor' };

const ACCESS = Symbol('Access');

/** The route needs a key with this scope. A route that declares nothing is closed. */
export const RequireScope = (scope: Scope) => SetMetadata<symbol, Access>(ACCESS, { needs: 'scope', scope });

/** Any valid key will do: only for the route that answers unknown paths. */
export const RequireAnyKey = () => SetMetadata<symbol, Access>(ACCESS, { needs: 'key' });

/** Under /operator/v1: the route needs a token of the operator with this scope. */
export const RequireOperatorScope = (scope: OperatorScope) =>
  SetMetadata<symbol, Access>(ACCESS, { needs: 'operator', scope });

/** Any valid token of the operator will do: only for the route that answers unknown paths. */
export const RequireAnyOperatorToken = () => SetMetadata<symbol, Access>(ACCESS, { needs: 'operator_token' });

/** Outside /api/v1: no key, no budget. */
export const NoKeyRequired = () => SetMetadata<symbol, Access>(ACCESS, { needs: 'nothing' });

/** A page or form of the settings area, for people who are signed in with at least this role. */
export const RequireRole = (role: Role, rules: FormRules = {}) =>
  SetMetadata<symbol, Access>(ACCESS, { needs: 'person', role, ...rules });

/** A page or form of the settings area that does not require sign-in. Its forms are protected like all others. */
export const Public = () => SetMetadata<symbol, Access>(ACCESS, { needs: 'visitor' });

/** Returns what a route wants in `Authorization`; null: nothing. A route that declares nothing is closed to callers without a key. */
export function credentialOf(access: Access | undefined): 'key' | 'operator_token' | null {
  if (access === undefined || access.needs === 'scope' || access.needs === 'key') return 'key';
  return access.needs === 'operator' || access.needs === 'operator_token' ? 'operator_token' : null;
}

/** The scope that an endpoint of either API requires; null for everything else. */
export function scopeOf(access: Access | undefined): Scope | OperatorScope | null {
  return access?.needs === 'scope' || access?.needs === 'operator' ? access.scope : null;
}

export function accessOf(reflector: Reflector, context: ExecutionContext): Access | undefined {
  return declaredAccess(reflector, context.getHandler(), context.getClass());
}

type Handler = ReturnType<ExecutionContext['getHandler']>;

/** The same for a handler and its controller. */
export function declaredAccess(reflector: Reflector, handler: Handler, controller: Type): Access | undefined {
  return reflector.getAllAndOverride<Access | undefined>(ACCESS, [handler, controller]);
}
