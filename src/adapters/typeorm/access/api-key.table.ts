import type { ApiKey } from '../../../core/access/api-key.js';
import {
  generatedKey,
  instant,
  key,
  optionalInstant,
  optionalText,
  optionalWhole,
  tableOf,
  text,
} from '../database/columns.js';

export const apiKeyTable = tableOf<ApiKey>('apiKey', 'api_keys', {
  customerId: key,
  id: generatedKey,
  name: text,
  tokenHash: text,
  lastFour: text,
  scopes: { type: 'text', array: true },
  ipList: { type: 'text', array: true },
  readLimit: optionalWhole,
  writeLimit: optionalWhole,
  expiresAt: optionalInstant,
  createdAt: instant,
  lastUsedAt: optionalInstant,
  lastUsedIp: optionalText,
  deletedAt: optionalInstant,
});
