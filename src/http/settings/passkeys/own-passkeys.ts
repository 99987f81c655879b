import type { Ports } from '../../../core/ports.js';
import type { KnownSession } from '../../../core/users/session.js';

/** Whether a person who is asked again can answer with a passkey. */
export async function canUsePasskey(ports: Ports, { user, hasFactor }: KnownSession): Promise<boolean> {
  if (!hasFactor || ports.addresses.passkeySite === null) return false;
  const own = await ports.store.query(user.customerId, ({ factors }) => factors.passkeysOf(user.id));
  return own.length > 0;
}
