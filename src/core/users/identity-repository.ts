import type { Id } from '../shared/ids.js';
import type { Identity, NewIdentity } from './identity.js';

/** Identities of the people of the bound customer. */
export interface IdentityReads {
  /** Those of a person, oldest first. */
  of(userId: Id): Promise<readonly Identity[]>;
  /** Those of everyone, by id. */
  list(): Promise<readonly Identity[]>;
}

/** Whoever changes a person's identities holds the lock on the user. */
export interface IdentityRepository extends IdentityReads {
  /** Null when a person of this customer has it already. Errors: `not_found` when the user is not there (any more). */
  insert(identity: NewIdentity): Promise<Identity | null>;
  /** Records that it was used. */
  use(userId: Id, id: Id, at: Date): Promise<void>;
  /** False when the person has no such identity. */
  delete(userId: Id, id: Id): Promise<boolean>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly identities: IdentityReads;
  }
  interface Repositories {
    readonly identities: IdentityRepository;
  }
}
