import type { Clock } from '../../shared/clock.js';
import { invalid, notFound, requireFound } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import type { Readable, Transactional } from '../../shared/transactional.js';
import type { Assertion } from '../identity-provider.js';
import type { KnownSession } from '../session.js';
import { auditUser, type PeopleManager, requireMayManage, type User } from '../user.js';

/** The name under which a provider knows a person. It signs that person in, whatever the address is by then. */
export interface Identity {
  readonly customerId: Id;
  readonly id: Id;
  readonly userId: Id;
  readonly issuer: string;
  readonly subject: string;
  readonly linkedAt: Date;
  readonly lastUsedAt: Date;
}

export type NewIdentity = Omit<Identity, 'customerId' | 'id'>;

type Name = Pick<Assertion, 'issuer' | 'subject'>;

/** Both are compared exactly, as they are case-sensitive. */
export function isSameIdentity(a: Name, b: Name): boolean {
  return a.issuer === b.issuer && a.subject === b.subject;
}

/** Identities of the people of the bound customer. */
export interface IdentityReads {
  /** Returns the identities of a person, oldest first. */
  of(userId: Id): Promise<readonly Identity[]>;
  /** Returns the identities of everyone, by id. */
  list(): Promise<readonly Identity[]>;
}

/** A transaction that changes a person's identities holds the lock on the user. */
export interface IdentityRepository extends IdentityReads {
  /** Null when a person of this customer has it already. Errors: `not_found` when the user does not exist. */
  insert(identity: NewIdentity): Promise<Identity | null>;
  /** Records that it was used. */
  use(userId: Id, id: Id, at: Date): Promise<void>;
  /** False when the person has no such identity. */
  delete(userId: Id, id: Id): Promise<boolean>;
}

declare module '../../shared/transactional.js' {
  interface Reads {
    readonly identities: IdentityReads;
  }
  interface Repositories {
    readonly identities: IdentityRepository;
  }
}

/** The identities of a person, oldest first. */
export function listIdentities(
  { store }: { store: Readable<'identities'> },
  { customerId, id }: Pick<User, 'customerId' | 'id'>,
): Promise<readonly Identity[]> {
  return store.query(customerId, ({ identities }) => identities.of(id));
}

/** The identity of any person of the account. Errors: `not_found`. */
export async function readIdentity(
  { store }: { store: Readable<'identities'> },
  customerId: Id,
  id: Id,
): Promise<Identity> {
  const all = await store.query(customerId, ({ identities }) => identities.list());
  const found = all.find((identity) => identity.id === id);
  return requireFound(found, 'identity');
}

/**
 * A person can no longer sign in by this identity, until the address is linked again. Every browser of the person is signed out, but not the one
 * that asks. Errors: `not_found`, `scope_required`; `invalid_request` for a person who would be left without any way in.
 */
export async function unlinkIdentity(
  { store, clock }: { store: Transactional<'users' | 'factors' | 'identities' | 'audit'>; clock: Clock },
  caller: PeopleManager,
  { session }: Pick<KnownSession, 'session'>,
  { userId, identityId }: { readonly userId: Id; readonly identityId: Id },
): Promise<void> {
  const isSelf = session.userId === userId;
  await store.transaction(caller.customerId, async ({ users, factors, identities, audit }) => {
    const user = requireFound(await users.lock(userId), 'user');
    if (!isSelf) requireMayManage(caller, 'admin', user.role);
    if (!(await identities.delete(userId, identityId))) throw notFound('identity');
    if (isSelf && user.passwordHash === null && (await identities.of(userId)).length === 0) {
      const message = 'You could no longer sign in. Set a password first.';
      throw invalid({ field: 'identity', code: 'conflict', message });
    }
    await users.endSessions(userId, isSelf ? session.id : null);
    await factors.endPendingOf(userId);
    await auditUser(audit, caller.actor, user, { action: 'user.identity_unlinked', at: clock.now() });
  });
}
