import { Command, CommanderError } from 'commander';
import { PartlyDone } from 'photo-service-cli/exit-codes';
import { print, table, tableOf } from 'photo-service-cli/print';
import { commandLine } from '../core/audit/audit-entry.js';
import { createCustomer } from '../core/customers/create-customer.js';
import { type Customer, operatorFor } from '../core/customers/customer.js';
import type { Erasure } from '../core/customers/customer-directory.js';
import { resumeCustomer, suspendCustomer } from '../core/customers/edit-customer.js';
import { eraseCustomer } from '../core/customers/erase-customer.js';
import type { Id } from '../core/shared/ids.js';
import { counted } from '../core/shared/text.js';
import { editSettingsAddresses } from '../core/users/admission.js';
import { idOption, listOption, wholeOption } from './options.js';
import { pick } from './resource-commands.js';
import { withPorts } from './with-ports.js';

export function customerCommand(): Command {
  const customers = new Command('customer').description('manage the customers of this installation');

  customers
    .command('create')
    .description('create a customer')
    .requiredOption('--name <name>', 'the name of the customer')
    .option('--time-zone <zone>', 'IANA time zone of photos that do not state one (default: UTC)')
    .option('--storage-bytes <n>', 'quota for originals, in bytes (default: none)', wholeOption)
    .option('--photos <n>', 'quota of photos (default: none)', wholeOption)
    .action(async ({ name, timeZone, storageBytes, photos, ...options }: CreateOptions) => {
      const values = { name, timeZone, storageBytesLimit: storageBytes ?? null, photosLimit: photos ?? null };
      const customer = await withPorts((ports) => createCustomer(ports, commandLine, values));
      print(options, customerJson(customer), [`Customer ${customer.id} "${customer.name}" created.`]);
    });

  customers
    .command('list')
    .description('list all customers')
    .action(async (options: { json?: boolean }) => {
      const customers = await withPorts((ports) => ports.customers.list());
      const lines = tableOf(customers, {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        STATUS: ({ status }) => status,
        'TIME ZONE': ({ defaultTimeZone }) => defaultTimeZone,
        CREATED: ({ createdAt }) => createdAt,
      });
      print(options, { customers: customers.map(customerJson) }, lines);
    });

  const refusal = 'refuse all writes of a customer from now on; reads and downloads still work';
  for (const [name, description, change, state] of [
    ['suspend', refusal, suspendCustomer, 'is suspended: it is read-only'],
    ['resume', 'allow a suspended customer to write again', resumeCustomer, 'is active'],
  ] as const) {
    customers
      .command(name)
      .description(description)
      .argument('<id>', 'the id of the customer', idOption)
      .action(async (id: Id, options: { json?: boolean }) => {
        const customer = await withPorts((ports) => change(ports, commandLine, id));
        print(options, customerJson(customer), [`Customer ${id} "${customer.name}" ${state}.`]);
      });
  }

  customers
    .command('addresses')
    .description('show or set from which addresses people may use the settings area')
    .argument('<id>', 'the id of the customer', idOption)
    .option('--ip <cidr>', 'only from this address or range (repeatable)', listOption)
    .option('--no-ip', 'from anywhere, for example because no one is let in')
    .action(async (id: Id, options: { ip?: readonly string[] | false; json?: boolean }) => {
      const { settingsIpList } = await withPorts((ports) => {
        if (options.ip === undefined) return ports.store.query(id, ({ customer }) => customer.read());
        return editSettingsAddresses(ports, operatorFor(id), options.ip || []);
      });
      const lines = settingsIpList.length === 0 ? ['The settings area can be used from anywhere.'] : settingsIpList;
      print(options, { id, settingsIpList }, lines);
    });

  customers
    .command('erase')
    .description('permanently erase a customer and all its data; if interrupted, run it again')
    .argument('<id>', 'the id of the customer', idOption)
    .option('--yes', 'this cannot be undone')
    .action(async (id: Id, options: { yes?: boolean; json?: boolean }) => {
      if (!options.yes) {
        const { name, usage } = await withPorts(async ({ store }) =>
          store.query(id, async (reader) => ({ ...(await reader.customer.read()), usage: await reader.usage.read() })),
        );
        const photos = counted(usage.photos + usage.trashedPhotos, 'photo');
        const bytes = counted(usage.storageBytes + usage.trashedBytes, 'byte');
        const has = `${photos} (${bytes}) and ${counted(usage.tags, 'tag')}`;
        const message = `Customer ${id} "${name}" has ${has}. Nothing was erased. To erase everything permanently, add --yes.`;
        console.error(`phs: ${message}`);
        throw new CommanderError(2, 'phs.unconfirmed', message);
      }
      const erasure = await withPorts((ports) => eraseCustomer(ports, commandLine, id));
      print(options, erasure, erasureReport(erasure));
      if (!erasure.complete) throw new PartlyDone();
    });

  return customers;
}

interface CreateOptions {
  readonly name: string;
  readonly timeZone?: string;
  readonly storageBytes?: number;
  readonly photos?: number;
  readonly json?: boolean;
}

/** The proof for an operator: what there was, what was removed, and what a final check found. */
function erasureReport(erasure: Erasure): string[] {
  const { customerId, startedAt, finishedAt, rowsBefore, rowsAfter, blobsRemoved, blobsAfter, complete } = erasure;
  const rows = Object.keys(rowsBefore).map((name) => [name, String(rowsBefore[name]), String(rowsAfter[name] ?? 0)]);
  const { bytes, ...files } = blobsRemoved;
  const left = Object.values(rowsAfter).reduce((sum, count) => sum + count, 0);
  const { bytes: _, ...filesLeft } = blobsAfter;
  return [
    `Erasure of customer ${customerId}, ${startedAt.toISOString()} to ${finishedAt.toISOString()}`,
    '',
    ...table([['ROWS', 'BEFORE', 'AFTER'], ...rows]),
    '',
    `Stored files removed: ${counted(files.originals, 'original')}, ${counted(files.renditions, 'rendition')}, ${files.staging} staged: ${counted(bytes, 'byte')}.`,
    complete
      ? 'A final check found no rows, no stored files and no such customer.'
      : `A final check found ${counted(left, 'row')} and ${counted(filesLeft.originals + filesLeft.renditions + filesLeft.staging, 'stored file')}. Run the command again.`,
  ];
}

function customerJson(customer: Customer) {
  return pick(customer, 'id', 'name', 'status', 'defaultTimeZone', 'storageBytesLimit', 'photosLimit', 'createdAt');
}
