import type { Actor } from '../../core/audit/audit-entry.js';
import { seal, unseal } from '../../core/shared/secrets.js';
import type { PeopleManager } from '../../core/users/user.js';
import { pathIdOf } from '../../http/requests/parameters.js';
import { operatorOf, requestContextOf, requestParameter } from '../../http/server/request-context.js';
import type { StoredBodyFormat } from '../idempotency/idempotent-responses.js';
import { pathId } from '../openapi/parameters.js';

export const CurrentOperator = requestParameter((request): Actor => operatorOf(requestContextOf(request)));

/** The same, in the account that the path names, with the rights of its owners. */
export const OperatorAccount = requestParameter((request): PeopleManager => {
  const actor = operatorOf(requestContextOf(request));
  return { customerId: pathIdOf(request, 'customerId'), actor, role: 'owner' };
});

/**
 * A body with a secret, which a repeated request gets again: after a broken connection no one else has it. Encrypted, so that a copy of the
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

export const customerId = pathId('customerId', 'account', 1);
