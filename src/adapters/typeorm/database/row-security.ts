import type { DataSource } from 'typeorm';
import { type Query, quoted, tablesByReference } from './catalogue.js';

/** Whether transactions of a customer run under row-level security policies, and as which role. */
export interface RowSecurity {
  /** Null: there is no role that the policies apply to, and transactions run as the owner of the tables. */
  readonly role: string | null;
  /** Advice on what an administrator has to run, or to check, to provide one; empty when there is one. */
  readonly remedy: string;
}

/** The setting that the policies compare `customer_id` with. Unset, or empty as at the end of a transaction, no row is visible. */
const CUSTOMER = 'photo_service.customer';
const POLICY = 'customer_isolation';
const ALL = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

/** Tables on which the role has restricted privileges: the owner creates and removes customers, and entries of the audit log never change. */
const PRIVILEGES: Readonly<Record<string, readonly string[]>> = {
  customers: ['SELECT', 'UPDATE'],
  audit_entries: ['SELECT', 'INSERT'],
};

/** The role is named after the owner of the tables: two installations on one server with different owners do not share it. */
const ROLE = `
  SELECT owner, role, owner = current_user OR pg_has_role(current_user, owner, 'MEMBER') AS "isOwner",
    (SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user) AS "mayCreate",
    (SELECT rolsuper OR rolbypassrls OR pg_has_role(oid, owner, 'MEMBER') FROM pg_roles WHERE rolname = role) AS "isAbove"
  FROM (
    SELECT pg_get_userbyid(relowner) AS owner, (left(pg_get_userbyid(relowner)::text, 40) || '_tenant')::name::text AS role
    FROM pg_class WHERE oid = to_regclass('customers')
  ) named`;

interface RoleState {
  readonly owner: string;
  readonly role: string;
  readonly isOwner: boolean;
  readonly mayCreate: boolean;
  /** The policies would not apply to it. Null: there is no such role. */
  readonly isAbove: boolean | null;
}

/** Returns the state of row security as it was found when the database was opened. */
export function rowSecurityOf(dataSource: DataSource): RowSecurity {
  const { rowSecurity } = dataSource.options.extra as { rowSecurity?: RowSecurity | null };
  if (!rowSecurity) throw new Error('Only a database opened for the service supports customer transactions.');
  return rowSecurity;
}

/**
 * SQL that begins a transaction of this customer, in one message: every one that a use case asks the store of a customer for
 * (`inCustomerTransaction`, transaction.ts). From then on the policies of the tables show it the rows of this customer alone; without a role,
 * the conditions of each statement do. Ids are whole numbers, and names are quoted: nothing else is interpolated.
 */
export function beginOf({ role }: { readonly role: string | null }, customerId: number): string {
  if (!Number.isSafeInteger(customerId)) throw new Error('The id of a customer must be a whole number.');
  if (role === null) return 'START TRANSACTION';
  return `START TRANSACTION; SET LOCAL ROLE ${quoted(role)}; SET LOCAL ${CUSTOMER} = '${customerId}'`;
}

/**
 * Ensures policies on all customer tables, read from the catalogue, and a role that they apply to. Changes nothing, and locks nothing, if
 * everything is in place. The connection is that of the owner of the tables, outside a transaction.
 */
export async function secureTenantTables(query: Query): Promise<RowSecurity> {
  const [state] = (await query(ROLE)) as RoleState[];
  if (state === undefined) return { role: null, remedy: 'Run phs migrate.' };
  if (!state.isOwner) {
    return { role: null, remedy: `Connect as ${state.owner}, which owns the tables, or as a member of that role.` };
  }
  for (const table of await tenantTables(query)) {
    if (table.isSecured) continue;
    const name = quoted(table.name);
    const owner = table.name === 'customers' ? 'id' : 'customer_id';
    // In one message, which is one transaction: a table without a policy would appear empty to the role.
    await query(`ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY;
      DROP POLICY IF EXISTS ${POLICY} ON ${name};
      CREATE POLICY ${POLICY} ON ${name} USING (${owner} = nullif(current_setting('${CUSTOMER}', true), '')::bigint)`);
  }
  const { role, mayCreate, isAbove } = state;
  if (mayCreate && isAbove === null) {
    // Roles belong to the whole server: another database's migrations may create it at the same moment.
    await query(`CREATE ROLE ${quoted(role)} NOLOGIN NOINHERIT`).catch(unless('42710', '23505'));
  }
  // The creator of a role may grant it, but is not a member of it.
  if (mayCreate && !(await mayBecome(query, role)))
    await query(`GRANT ${quoted(role)} TO CURRENT_USER`).catch(unless('42501'));
  const found = await readRowSecurity(query);
  if (found.role !== null) await grant(query, found.role);
  return found;
}

/** Checks without changing anything, except for an empty transaction. */
export async function readRowSecurity(query: Query): Promise<RowSecurity> {
  const [state] = (await query(ROLE)) as RoleState[];
  if (state === undefined) return { role: null, remedy: 'Run phs migrate.' };
  const { role, owner, isAbove } = state;
  const make = `CREATE ROLE ${quoted(role)} NOLOGIN; GRANT ${quoted(role)} TO ${quoted(owner)};`;
  if (isAbove === null) return { role: null, remedy: `Ask an administrator to run: ${make}` };
  if (isAbove) {
    return { role: null, remedy: `${role} must not be a superuser, have BYPASSRLS, or be a member of ${owner}.` };
  }
  const member = `Ask an administrator to run: GRANT ${quoted(role)} TO ${quoted(owner)};`;
  return (await mayBecome(query, role)) ? { role, remedy: '' } : { role: null, remedy: member };
}

/** Tables of customers, and that of the customers themselves. */
async function tenantTables(query: Query): Promise<readonly { name: string; isSecured: boolean }[]> {
  const names = (await tablesByReference(query)).filter(({ name, isTenants }) => isTenants || name === 'customers');
  const secured = (await query(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid AND p.polname = '${POLICY}'
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relrowsecurity`,
  )) as { name: string }[];
  return names.map(({ name }) => ({ name, isSecured: secured.some((each) => each.name === name) }));
}

async function mayBecome(query: Query, role: string): Promise<boolean> {
  try {
    await query(`BEGIN; SET LOCAL ROLE ${quoted(role)}; ROLLBACK`);
    return true;
  } catch (error) {
    await query('ROLLBACK');
    unless('42501', '22023')(error);
    return false;
  }
}

/** Returns only what is missing: a GRANT locks rows of the catalogue. */
async function grant(query: Query, role: string): Promise<void> {
  const tables = new Set((await tenantTables(query)).map(({ name }) => name));
  const relations = (await query(
    `SELECT relname AS name, relkind = 'S' AS "isSequence", CASE WHEN relkind = 'S'
       THEN ARRAY(SELECT p FROM unnest(ARRAY['USAGE']) p WHERE has_sequence_privilege($1, oid, p))
       ELSE ARRAY(SELECT p FROM unnest($2::text[]) p WHERE has_table_privilege($1, oid, p)) END AS granted
     FROM pg_class WHERE relkind IN ('r', 'p', 'S') AND relnamespace = current_schema()::regnamespace
       AND pg_has_role(current_user, relowner, 'USAGE')`,
    [role, ALL],
  )) as { name: string; isSequence: boolean; granted: string[] }[];
  for (const { name, isSequence, granted } of relations) {
    if (!isSequence && !tables.has(name)) continue;
    const privileges = isSequence ? ['USAGE'] : (PRIVILEGES[name] ?? ALL);
    if (privileges.every((privilege) => granted.includes(privilege))) continue;
    await query(`GRANT ${privileges.join(', ')} ON ${isSequence ? 'SEQUENCE ' : ''}${quoted(name)} TO ${quoted(role)}`);
  }
  const [schema] = (await query(
    `SELECT current_schema() AS name WHERE NOT has_schema_privilege($1, current_schema(), 'USAGE')`,
    [role],
  )) as { name: string }[];
  if (schema !== undefined) await query(`GRANT USAGE ON SCHEMA ${quoted(schema.name)} TO ${quoted(role)}`);
}

/** Ignores errors with one of these codes. */
function unless(...codes: readonly string[]): (error: unknown) => void {
  return (error) => {
    const code = (error as { code?: string; driverError?: { code?: string } }).driverError?.code;
    if (!codes.includes(code ?? (error as { code?: string }).code ?? '')) throw error;
  };
}
