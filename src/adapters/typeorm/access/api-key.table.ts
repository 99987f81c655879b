import type { ApiKey } from '../../../core/access/api-key.js';
import type { KeyAddress } from '../../../core/access/key-store.js';
import type { Id } from '../../../core/shared/ids.js';
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

export interface KeyAddressRow extends KeyAddress {
  readonly customerId: Id;
  readonly keyId: Id;
}

export const keyAddressTable = tableOf<KeyAddressRow>('keyAddress', 'key_addresses', {
  customerId: key,
  keyId: key,
  address: { ...text, primary: true },
  lastSeenAt: instant,
});
