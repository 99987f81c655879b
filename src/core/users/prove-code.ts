import { after } from '../shared/clock.js';
import { unseal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import type { Transaction } from '../shared/transactional.js';
import { CODE_DIGITS, stepOfCode } from './one-time-code.js';
import { hashRecoveryCode } from './recovery-code.js';
import { WRONG_CODES, WRONG_CODES_MS } from './second-factor.js';
import { auditSubject, type User, userActor } from './user.js';

export type Proof = 'proven' | 'wrong' | 'too_many';

interface GivenCode {
  /** As typed. */
  readonly given: string;
  /** Wrong codes are counted by it. */
  readonly source: string;
  readonly address: string;
  readonly at: Date;
}

/** Whether this is a one-time code or a recovery code of the person, who is locked, and uses it up. */
export async function proveCode(
  uses: { readonly secrets: Secrets },
  transaction: Transaction<'factors' | 'audit'>,
  user: User,
  { given, source, address, at }: GivenCode,
): Promise<Proof> {
  const { factors, audit } = transaction;
  const code = given.replace(/[\s-]/g, '');
  if (code.length === CODE_DIGITS && /^\d+$/.test(code)) {
    const since = after(at, -WRONG_CODES_MS);
    if ((await factors.countWrongCodes(user.id, source, since)) >= WRONG_CODES) return 'too_many';
    for (const app of await factors.appsOf(user.id)) {
      const secret = unseal(uses.secrets, 'factor', app.secret);
      const step = secret === null ? null : stepOfCode(secret, code, at);
      if (step !== null && (await factors.useStep(app.id, step, at))) return 'proven';
    }
    await factors.addWrongCode(user.id, source, at, since);
    return 'wrong';
  }
  if (!(await factors.useRecoveryCode(user.id, hashRecoveryCode(code)))) return 'wrong';
  const used = { action: 'user.recovery_code_used', subject: auditSubject(user), at } as const;
  await audit.add(userActor(user, address), used);
  return 'proven';
}
