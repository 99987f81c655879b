import type { IpCountries } from '../access/ip-countries.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import { isOver, type Session } from './session.js';

/** A session, and where in the world it is. */
export interface ListedSession extends Session {
  /** In which its address is registered; null if that is not known. */
  readonly country: string | null;
}

/** Where a person is signed in, last seen first. */
export async function listSessions(
  { store, clock, ipCountries }: { store: Readable<'users'>; clock: Clock; ipCountries: IpCountries },
  customerId: Id,
  userId: Id,
): Promise<readonly ListedSession[]> {
  const sessions = await store.query(customerId, ({ users }) => users.sessionsOf(userId));
  const open = sessions.filter((session) => !isOver(session, clock.now()));
  return Promise.all(
    open.map(async (session) => ({ ...session, country: await ipCountries.countryOf(session.address) })),
  );
}
