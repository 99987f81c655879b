import type { RenditionLease, RenditionLeases } from '../../decorators/shared-rendition-maker.js';
import { TypeormStore } from '../database/repository.js';
import { inSeconds, prepared } from '../database/sql.js';

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
export class TypeormRenditionLeases extends TypeormStore implements RenditionLeases {
  async acquire({ customerId, key, token }: RenditionLease, seconds: number): Promise<boolean> {
    return (await this.change(ACQUIRE, customerId, key, token, seconds)) > 0;
  }

  async extend({ customerId, key, token }: RenditionLease, seconds: number): Promise<void> {
    await this.change(EXTEND, customerId, key, token, seconds);
  }

  async release({ customerId, key, token }: RenditionLease): Promise<void> {
    await this.change(RELEASE, customerId, key, token);
  }
}
