import { Command } from 'commander';
import { createCustomer } from '../core/customers/create-customer.js';
import type { Customer } from '../core/customers/customer.js';
import { wholeOption } from './options.js';
import { print, table } from './print.js';
import { withPorts } from './with-ports.js';

export function customerCommand(): Command {
  return new Command('customer')
    .description('the customers of this installation')
    .addCommand(create())
    .addCommand(list());
}

interface CreateOptions {
  readonly name: string;
  readonly timeZone?: string;
  readonly storageBytes?: number;
  readonly photos?: number;
  readonly json?: boolean;
}

function create(): Command {
  return new Command('create')
    .description('make a customer')
    .requiredOption('--name <name>', 'what it is called')
    .option('--time-zone <zone>', 'IANA zone for photos that say nothing of theirs (default: UTC)')
    .option('--storage-bytes <n>', 'quota of original bytes (default: none)', wholeOption)
    .option('--photos <n>', 'quota of photos (default: none)', wholeOption)
    .option('--json', 'print one JSON document')
    .action(async (options: CreateOptions) => {
      const customer = await withPorts((ports) =>
        createCustomer(ports, {
          name: options.name,
          timeZone: options.timeZone,
          storageBytesLimit: options.storageBytes ?? null,
          photosLimit: options.photos ?? null,
        }),
      );
      print(options, shown(customer), [`Customer ${customer.id} "${customer.name}" created.`]);
    });
}

function list(): Command {
  return new Command('list')
    .description('all customers')
    .option('--json', 'print one JSON document')
    .action(async (options: { json?: boolean }) => {
      const customers = await withPorts((ports) => ports.customers.list());
      const rows = customers.map((customer) => [
        String(customer.id),
        customer.name,
        customer.status,
        customer.defaultTimeZone,
        customer.createdAt.toISOString(),
      ]);
      print(
        options,
        { customers: customers.map(shown) },
        table([['ID', 'NAME', 'STATUS', 'TIME ZONE', 'CREATED'], ...rows]),
      );
    });
}

function shown(customer: Customer) {
  return {
    id: customer.id,
    name: customer.name,
    status: customer.status,
    defaultTimeZone: customer.defaultTimeZone,
    storageBytesLimit: customer.storageBytesLimit,
    photosLimit: customer.photosLimit,
    createdAt: customer.createdAt.toISOString(),
  };
}
