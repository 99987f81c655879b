import type { DataSource } from 'typeorm';
import type { Ports } from '../../core/ports.js';
import { TypeormKeyFinder } from './access/api-key.repository.js';
import { TypeormAuditLog } from './audit/audit.repository.js';
import { TypeormCustomerStore } from './customer-store.js';
import { TypeormCustomerDirectory } from './customers/customer.repository.js';
import { TypeormDeliveryKeyFinder } from './delivery/delivery-key.repository.js';
import { TypeormIdempotencyStore } from './idempotency/idempotency.repository.js';
import { TypeormJobQueue } from './jobs/job.repository.js';
import { TypeormOperatorTokenStore } from './operators/operator-token.repository.js';
import { TypeormShareFinder } from './shares/share.repository.js';
import { TypeormTrafficStore } from './traffic/traffic.repository.js';
import { TypeormSessionStore, TypeormUserStore } from './users/user.repository.js';
import { TypeormDeliveryLog } from './webhooks/webhook.repository.js';

const adapters = {
  store: TypeormCustomerStore,
  customers: TypeormCustomerDirectory,
  keys: TypeormKeyFinder,
  users: TypeormUserStore,
  sessions: TypeormSessionStore,
  idempotency: TypeormIdempotencyStore,
  jobs: TypeormJobQueue,
  deliveryLog: TypeormDeliveryLog,
  deliveryKeys: TypeormDeliveryKeyFinder,
  shares: TypeormShareFinder,
  operatorTokens: TypeormOperatorTokenStore,
  auditLog: TypeormAuditLog,
  traffic: TypeormTrafficStore,
} satisfies { readonly [Name in keyof Ports]?: new (dataSource: DataSource) => Ports[Name] };

/** The ports that share one database: what one of them writes, the others read, and jobs, events and audit entries are rows of the change that adds them. */
export type DatabasePorts = Pick<Ports, keyof typeof adapters>;

export const databasePortNames = Object.keys(adapters) as readonly (keyof DatabasePorts)[];

/** Returns all of them on this database. None can be replaced alone. */
export function databasePorts(dataSource: DataSource): DatabasePorts {
  const made = Object.entries(adapters).map(([name, Adapter]) => [name, new Adapter(dataSource)]);
  return Object.fromEntries(made) as DatabasePorts;
}
