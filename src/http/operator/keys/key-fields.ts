import { MAX_KEY_LIMIT, MAX_KEY_NAME } from '../../../core/access/api-key.js';
import { MAX_IP_ENTRIES, MAX_IP_ENTRY } from '../../../core/access/ip-list.js';
import { defaultBudgets } from '../../../core/access/rolling-window.js';
import { type FieldOptions, Text, WholeNumber } from '../../fields/fields.js';
import { Texts } from '../../fields/lists.js';

export const KeyName = (options: FieldOptions = {}) =>
  Text({ description: 'What the key is for.', example: 'importer', min: 1, max: MAX_KEY_NAME, ...options });

export const IpList = () =>
  Texts(MAX_IP_ENTRIES, {
    description: 'Addresses and CIDR ranges from which the key works. Empty: every address.',
    example: ['203.0.113.0/24'],
    maxEntry: MAX_IP_ENTRY,
    item: { type: 'string', description: 'An address or range, of IPv4 or IPv6.', examples: ['203.0.113.0/24'] },
  });

const Limit = (description: string, example: number) =>
  WholeNumber({ description, example, min: 0, max: MAX_KEY_LIMIT, nullable: true });

export const ReadLimit = () => Limit(`Reads per minute. Null: the default, ${defaultBudgets.read}.`, 600);

export const WriteLimit = () => Limit(`Writes per minute. Null: the default, ${defaultBudgets.write}.`, 60);
