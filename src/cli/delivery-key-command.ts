import { Command } from 'commander';
import { print } from 'photo-service-cli/print';
import { operatorFor } from '../core/customers/customer.js';
import {
  createDeliveryKey,
  type DeliveryKey,
  deleteDeliveryKey,
  editDeliveryKey,
  listDeliveryKeys,
} from '../core/delivery/delivery-key.js';
import { requireFound } from '../core/shared/errors.js';
import { instantOption, wordOr } from './options.js';
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

const ID = 'the id of the key, for example dk_3kTMd1PzUo8WcQ5x';

export function deliveryKeyCommand(): Command {
  const keys = new Command('delivery-key').description('manage the keys that a customer signs image URLs with');

  ofCustomer(keys.command('create'), 'create a delivery key; its secret is shown only once')
    .requiredOption('--name <name>', 'what the key is for')
    .option('--presets-only', 'its URLs can only name presets')
    .option('--expires-at <time>', 'for example 2027-01-31T00:00:00Z (default: never)', instantOption)
    .action(async (options: CreateOptions) => {
      const { customer, name, presetsOnly = false, expiresAt = null } = options;
      const { key, secret } = await withPorts((ports) =>
        createDeliveryKey(ports, operatorFor(customer), { name, presetsOnly, expiresAt }),
      );
      print(options, { ...keyJson(key), secret }, [
        `Delivery key ${key.publicId} "${key.name}" for customer ${key.customerId}`,
        ...secretLines('Its secret', secret),
      ]);
    });

  keys
    .command('edit')
    .description('change a delivery key with immediate effect; its id and secret never change')
    .argument('<id>', ID)
    .option('--name <name>', 'what the key is for')
    .option('--presets-only', 'its URLs can only name presets')
    .option('--no-presets-only', 'its URLs can have any options')
    .option('--expires-at <time>', 'for example 2027-01-31T00:00:00Z, or never', wordOr('never', instantOption))
    .action(async (publicId: string, { presetsOnly, ...options }: EditOptions) => {
      const changes = { ...accessChanges(options), ...(presetsOnly !== undefined && { presetsOnly }) };
      const edited = await withPorts(async (ports) => {
        const { key } = requireFound(await ports.deliveryKeys.find(publicId), 'delivery_key');
        return editDeliveryKey(ports, operatorFor(key.customerId), key.id, changes);
      });
      print(options, keyJson(edited), [`Delivery key ${edited.publicId} "${edited.name}" changed.`]);
    });

  addList(keys, 'list the delivery keys of a customer', listDeliveryKeys, ['deliveryKeys', keyJson], {
    ID: ({ publicId }) => publicId,
    NAME: ({ name }) => name,
    OPTIONS: ({ presetsOnly }) => (presetsOnly ? 'presets only' : 'any'),
    EXPIRES: ({ expiresAt }) => expiresAt ?? 'never',
  });

  keys
    .command('delete')
    .description('delete a delivery key; its URLs are refused immediately')
    .argument('<id>', ID)
    .action(async (publicId: string, options: { json?: boolean }) => {
      await withPorts(async (ports) => {
        const { key } = requireFound(await ports.deliveryKeys.find(publicId), 'delivery_key');
        await deleteDeliveryKey(ports, operatorFor(key.customerId), key.id);
      });
      print(options, { id: publicId, deleted: true }, [`Delivery key ${publicId} deleted.`]);
    });

  return keys;
}

interface CreateOptions extends OfCustomer {
  readonly name: string;
  readonly presetsOnly?: boolean;
  readonly expiresAt?: Date;
}

interface EditOptions extends Omit<AccessOptions, 'ip'> {
  readonly presetsOnly?: boolean;
  readonly json?: boolean;
}

function keyJson(key: DeliveryKey) {
  return { id: key.publicId, ...pick(key, 'customerId', 'name', 'presetsOnly', 'expiresAt', 'createdAt') };
}
