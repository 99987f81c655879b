import type { DataSource } from 'typeorm';
import type { RenditionLease, RenditionLeases } from '../../decorators/shared-rendition-maker.js';
import { change, inSeconds, prepared, select } from '../database/sql.js';
import { withoutTransaction } from '../database/transaction.js';

/** By the database's clock, which all processes compare. */
const UNTIL = inSeconds('$4');

const ACQUIRE = prepared(`
  INSERT INTO rendition_leases AS l (customer_id, key, token, lease_until) VALUES ($1, $2, $3, ${UNTIL})
  ON CONFLICT (customer_id, key) DO UPDATE SET token = excluded.token, lease_until = ${UNTIL}
  WHERE l.lease_until <= clock_timestamp()
  RETURNING key`);

const EXTEND = prepared(
  `UPDATE rendition_leases SET lease_until = ${UNTIL} WHERE customer_id = $1 AND key = $2 AND token = $3`,
);

/** With it go the customer's leases that were not released: their holders died. Skipped if another process is taking them over. */
const RELEASE = prepared(`
  DELETE FROM rendition_leases WHERE (customer_id, key) IN (
    SELECT customer_id, key FROM rendition_leases
    WHERE customer_id = $1 AND ((key = $2 AND token = $3) OR lease_until < clock_timestamp() - interval '1 minute')
    FOR UPDATE SKIP LOCKED
  )`);

/** Each is one statement: no process holds a connection while a rendition is made, or while waiting for one. */
export class TypeormRenditionLeases implements RenditionLeases {
  constructor(private readonly dataSource: DataSource) {}

  async acquire({ customerId, key, token }: RenditionLease, seconds: number): Promise<boolean> {
    const values = [customerId, key, token, seconds];
    const rows = await withoutTransaction(this.dataSource, (manager) => select(manager, ACQUIRE, values));
    return rows.length > 0;
  }

  async extend({ customerId, key, token }: RenditionLease, seconds: number): Promise<void> {
    const values = [customerId, key, token, seconds];
    await withoutTransaction(this.dataSource, (manager) => change(manager, EXTEND, values));
  }

  async release({ customerId, key, token }: RenditionLease): Promise<void> {
    const values = [customerId, key, token];
    await withoutTransaction(this.dataSource, (manager) => change(manager, RELEASE, values));
  }
}
