import type { Command } from 'commander';
import { print, tableOf } from 'photo-service-cli/print';
import type { Ports } from '../core/ports.js';
import { requireFound } from '../core/shared/errors.js';
import type { Id } from '../core/shared/ids.js';
import { idOption } from './options.js';
import { withPorts } from './with-ports.js';

export interface OfCustomer {
  readonly customer: Id;
  readonly json?: boolean;
}

export function ofCustomer(command: Command, description: string): Command {
  return command.description(description).requiredOption('--customer <id>', 'the id of the customer', idOption);
}

/** Adds the `list` of what a customer has: a table for people, and for programs an array of this name. Errors: `not_found`. */
export function addList<T>(
  parent: Command,
  description: string,
  read: (ports: Ports, customer: Id) => Promise<readonly T[]>,
  [name, json]: readonly [name: string, json: (item: T) => object],
  columns: Parameters<typeof tableOf<T>>[1],
): void {
  ofCustomer(parent.command('list'), description).action(async ({ customer, ...options }: OfCustomer) => {
    const items = await withPorts(async (ports) => {
      requireFound(await ports.customers.find(customer), 'customer');
      return read(ports, customer);
    });
    print(options, { [name]: items.map(json) }, tableOf(items, columns));
  });
}

/** Options of an `edit` of something that gives access. */
export interface AccessOptions {
  readonly name?: string;
  /** False: every address. */
  readonly ip?: readonly string[] | false;
  readonly expiresAt?: Date | 'never';
}

/** Absent options change nothing. */
export function accessChanges({ name, ip, expiresAt }: AccessOptions) {
  return {
    ...(name !== undefined && { name }),
    ...(ip !== undefined && { ipList: ip === false ? [] : ip }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt === 'never' ? null : expiresAt }),
  };
}

/** These fields, and no others, in this order. */
export function pick<T, Name extends keyof T>(value: T, ...names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, value[name]])) as Pick<T, Name>;
}

/** The lines for something that cannot be printed again, apart from others, so that it can be copied. */
export function secretLines(what: string, secret: string): string[] {
  return [`${what}, shown only now:`, '', `  ${secret}`, ''];
}
