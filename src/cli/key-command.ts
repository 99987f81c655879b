import { Command } from 'commander';
import { print } from 'photo-service-cli/print';
import { type ApiKey, displayPrefix } from '../core/access/api-key.js';
import { deleteKey, editKey, issueKey, listKeys, ownerOfKey } from '../core/access/keys.js';
import { defaultBudgets } from '../core/access/rolling-window.js';
import { operatorFor } from '../core/customers/customer.js';
import type { Id } from '../core/shared/ids.js';
import { idOption, instantOption, listOption, wholeOption, wordOr } from './options.js';
import {
  type AccessOptions,
  accessChanges,
  addList,
  type OfCustomer,
  ofCustomer,
  pick,
  secretLines,
} from './resource-commands.js';
import { withPorts } from './with-ports.js';

export function keyCommand(): Command {
  const keys = new Command('key').description('manage the API keys of a customer');

  ofCustomer(keys.command('create'), 'create a key; its token is shown only once')
    .requiredOption('--name <name>', 'what the key is for')
    .requiredOption('--scopes <list>', 'for example photos:read,tags:read, or all', listOption)
    .option('--ip <cidr>', 'allow only this address or range (repeatable)', listOption)
    .option('--read-limit <n>', `reads per minute (default: ${defaultBudgets.read})`, wholeOption)
    .option('--write-limit <n>', `writes per minute (default: ${defaultBudgets.write})`, wholeOption)
    .option('--expires-at <time>', 'for example 2027-01-31T00:00:00Z (default: never)', instantOption)
    .action(async (options: CreateOptions) => {
      const { customer, name, scopes, ip = [], readLimit = null, writeLimit = null, expiresAt = null } = options;
      const values = { name, scopes, ipList: ip, readLimit, writeLimit, expiresAt };
      const { key, token } = await withPorts((ports) => issueKey(ports, operatorFor(customer), values));
      print(options, { ...keyJson(key), token }, [
        `Key ${key.id} "${key.name}" for customer ${key.customerId}: ${key.scopes.join(', ')}`,
        ...secretLines('Its token', token),
      ]);
    });

  keys
    .command('edit')
    .description('change a key with immediate effect; its scopes never change')
    .argument('<id>', 'the id of the key', idOption)
    .option('--name <name>', 'what the key is for')
    .option('--ip <cidr>', 'allow only these addresses or ranges (repeatable)', listOption)
    .option('--no-ip', 'allow every address')
    .option('--read-limit <n>', 'reads per minute, or default', wordOr('default', wholeOption))
    .option('--write-limit <n>', 'writes per minute, or default', wordOr('default', wholeOption))
    .option('--expires-at <time>', 'for example 2027-01-31T00:00:00Z, or never', wordOr('never', instantOption))
    .action(async (id: Id, { readLimit, writeLimit, ...options }: EditOptions) => {
      const changes = {
        ...accessChanges(options),
        ...(readLimit !== undefined && { readLimit: readLimit === 'default' ? null : readLimit }),
        ...(writeLimit !== undefined && { writeLimit: writeLimit === 'default' ? null : writeLimit }),
      };
      const key = await withPorts(async (ports) =>
        editKey(ports, operatorFor(await ownerOfKey(ports, id)), id, changes),
      );
      print(options, keyJson(key), [`Key ${key.id} "${key.name}" changed.`]);
    });

  addList(keys, 'list the keys of a customer', listKeys, ['keys', keyJson], {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    TOKEN: displayPrefix,
    SCOPES: ({ scopes }) => scopes.join(','),
    FROM: ({ ipList }) => ipList.join(',') || 'any address',
    EXPIRES: ({ expiresAt }) => expiresAt ?? 'never',
    'LAST USED': ({ lastUsedAt }) => lastUsedAt ?? 'never',
  });

  keys
    .command('delete')
    .description('delete a key; it is refused immediately')
    .argument('<id>', 'the id of the key', idOption)
    .action(async (id: Id, options: { json?: boolean }) => {
      await withPorts(async (ports) => deleteKey(ports, operatorFor(await ownerOfKey(ports, id)), id));
      print(options, { id, deleted: true }, [`Key ${id} deleted.`]);
    });

  return keys;
}

interface CreateOptions extends OfCustomer {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly ip?: readonly string[];
  readonly readLimit?: number;
  readonly writeLimit?: number;
  readonly expiresAt?: Date;
}

interface EditOptions extends AccessOptions {
  readonly readLimit?: number | 'default';
  readonly writeLimit?: number | 'default';
  readonly json?: boolean;
}

function keyJson(key: ApiKey) {
  return {
    ...pick(key, 'id', 'customerId', 'name'),
    prefix: displayPrefix(key),
    ...pick(key, 'scopes', 'ipList', 'readLimit', 'writeLimit', 'expiresAt', 'createdAt', 'lastUsedAt', 'lastUsedIp'),
  };
}
