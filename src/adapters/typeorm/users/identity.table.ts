import type { Identity } from '../../../core/users/provider/identity.js';
import { bigWhole, generatedKey, instant, key, tableOf, text } from '../database/columns.js';

export const identityTable = tableOf<Identity>('identity', 'identities', {
  customerId: key,
  id: generatedKey,
  userId: bigWhole,
  issuer: text,
  subject: text,
  linkedAt: instant,
  lastUsedAt: instant,
});
