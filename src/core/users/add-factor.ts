import { type Clock } from '../shared/clock.js';
import { type DomainError, invalid } from '../shared/errors.js';
import { seal } from '../shared/sealed.js';
import type { Transactional } from '../shared/transactional.js';
import { openEnrolment } from './enrolment.js';
import { type NoticeUses } from './notify-person.js';
import { stepOfCode } from './one-time-code.js';
import { readFactorName } from './second-factor.js';
import type { KnownSession } from './session.js';
import { storeFactor } from './store-factor.js';

/**
 * Adds an authenticator app that shows the right code. Every other browser of the person is signed out: it may be in the hands of whoever
 * has the password. Returns the recovery codes that the first factor brings, otherwise null. Errors: `invalid_request`, `limit_reached`.
 */
export async function addFactor(
  uses: NoticeUses & {
    store: Transactional<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>;
    clock: Clock;
  },
  person: KnownSession,
  given: { readonly name: string; readonly code: string; readonly sealed: string },
  address: string,
): Promise<readonly string[] | null> {
  const [name, secret, at] = [
    readFactorName(given.name),
    openEnrolment(uses, person.user, given.sealed),
    uses.clock.now(),
  ];
  const step = secret === null ? null : stepOfCode(secret, given.code.replace(/\s/g, ''), at);
  if (secret === null || step === null) throw wrongCode();
  const row = { userId: person.user.id, name, lastStep: step, createdAt: at, lastUsedAt: at };
  return storeFactor(uses, person, { name, address }, async (factors) => {
    await factors.insertApp({ ...row, secret: seal(uses.secrets, 'factor', secret) });
  });
}

function wrongCode(): DomainError {
  const message = 'This is not the code of the app now. Check the time of the device, and enter the code it shows.';
  return invalid({ field: 'code', code: 'invalid_format', message });
}
