import { seal, unseal } from '../../core/shared/secrets.js';
import type { StoredBodyFormat } from '../idempotency/idempotent.js';

/**
 * A body with a secret, which a repeated request gets again: after a broken connection nobody else has it. Encrypted, so that a copy of the
 * database does not reveal it.
 */
export const sealedBody: StoredBodyFormat<object, { readonly sealed: string }> = {
  toStored: (body, { secrets }) => ({ sealed: seal(secrets, 'response', JSON.stringify(body)) }),
  async toBody({ secrets }, _, { sealed }) {
    const text = unseal(secrets, 'response', sealed);
    if (text === null) throw new Error('a stored response was encrypted with a SECRET_KEY that is no longer there');
    return JSON.parse(text);
  },
};
