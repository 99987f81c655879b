import type { EntityManager } from 'typeorm';
import type { Id } from '../../../core/shared/ids.js';
import { columnName, type Table } from './columns.js';
import { prepared } from './prepared.js';

/** `p.id AS "id", p.customer_id AS "customerId", …`: rows come out as the objects that the table describes, or with some properties of these. */
export function selectList<T>(table: Table<T>, alias: string, which = selectedProperties(table)): string {
  return which.map((property) => `${alias}.${columnName(property)} AS "${property}"`).join(', ');
}

/** The properties that a selected row has: those of all columns except `select: false`. */
export function selectedProperties<T>(table: Table<T>): (keyof T & string)[] {
  return properties(table).filter((property) => table.options.columns[property]?.select !== false);
}

/** The rows of a query. */
export function select<T>(manager: EntityManager, sql: string, parameters: readonly unknown[] = []): Promise<T[]> {
  return manager.query<T[]>(sql, parameters.map(toStored));
}

/** Runs an UPDATE or DELETE. */
export async function change<T = unknown>(
  manager: EntityManager,
  sql: string,
  parameters: readonly unknown[] = [],
): Promise<{ rows: T[]; count: number }> {
  const [rows, count] = await manager.query<[T[], number]>(sql, parameters.map(toStored));
  return { rows, count };
}

/**
 * Stores rows in one statement, however many, and returns those that were stored.
 * @param onConflict What follows the values, for example `ON CONFLICT DO NOTHING`.
 */
export function insert<T>(
  manager: EntityManager,
  table: Table<T>,
  rows: readonly Partial<T>[],
  onConflict = '',
): Promise<T[]> {
  const sql = `${insertion(table, rows[0] ?? {})} ${onConflict} RETURNING ${selectList(table, 'stored')}`;
  return select<T>(manager, sql, [asJson(rows)]);
}

/**
 * Takes the rows as JSON in `$1`. Columns that the first row does not name get their default.
 * @param computed Columns in addition to those of the table, and the SQL of their values, which refers to the row as `given`.
 * @param place Position of the JSON among the parameters.
 */
export function insertion<T>(
  table: Table<T>,
  first: Partial<T>,
  computed: Readonly<Record<string, string>> = {},
  place = '$1',
): string {
  const { tableName } = table.options;
  const names = namedBy(table, first).map(columnName);
  const columns = [...names, ...Object.keys(computed)].join(', ');
  const values = [...names, ...Object.values(computed)].join(', ');
  return `INSERT INTO ${tableName} AS stored (${columns}) SELECT ${values} FROM json_populate_recordset(NULL::${tableName}, ${place}) AS given`;
}

/** Stores every named column of the row that has these keys. */
export async function update<T>(manager: EntityManager, table: Table<T>, row: Partial<T>): Promise<void> {
  const { tableName } = table.options;
  const given = `json_populate_record(NULL::${tableName}, $1) AS given`;
  const sql = `UPDATE ${tableName} AS stored SET ${assignments(table, row)} FROM ${given} WHERE ${sameKeys(table, row)}`;
  await change(manager, prepared(sql), [asJson(row)]);
}

/** The same for many rows of one customer, in one statement. All name the columns that the first does. */
export async function updateMany<T extends { readonly id: Id }>(
  manager: EntityManager,
  table: Table<T>,
  customerId: Id,
  rows: readonly T[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const { tableName } = table.options;
  const given = `json_populate_recordset(NULL::${tableName}, $1) AS given`;
  // The keys are also given separately, so that the rows are found by them, however many there are.
  const sql = `UPDATE ${tableName} AS stored SET ${assignments(table, first)} FROM ${given}
    WHERE stored.customer_id = $2 AND stored.id = ANY($3::bigint[]) AND given.id = stored.id`;
  await change(manager, prepared(sql), [asJson(rows), customerId, rows.map(({ id }) => id)]);
}

/** `title = given.title, …` for every named column except the keys. @param source Of the values; after ON CONFLICT it is `excluded`. */
export function assignments<T>(table: Table<T>, row: Partial<T>, source: 'given' | 'excluded' = 'given'): string {
  const columns = namedBy(table, row).filter((property) => !isKey(table, property));
  return columns.map((property) => `${columnName(property)} = ${source}.${columnName(property)}`).join(', ');
}

/** When so many seconds have passed, by the database's clock, which all processes compare. @param seconds SQL: `$1`. */
export function inSeconds(seconds: string): string {
  return `clock_timestamp() + make_interval(secs => ${seconds})`;
}

function sameKeys<T>(table: Table<T>, row: Partial<T>): string {
  const keys = namedBy(table, row).filter((property) => isKey(table, property));
  return keys.map((property) => `stored.${columnName(property)} = given.${columnName(property)}`).join(' AND ');
}

function isKey<T>(table: Table<T>, property: keyof T): boolean {
  return table.options.columns[property]?.primary === true;
}

/** Values from core may have fields that the table does not store. */
function namedBy<T>(table: Table<T>, row: Partial<T>): (keyof T & string)[] {
  return properties(table).filter((property) => property in row);
}

/** Rows as JSON with the names of columns, for `json_populate_record`. */
export function asJson(rows: object): string {
  return JSON.stringify(Array.isArray(rows) ? rows.map(byColumnName) : byColumnName(rows));
}

function byColumnName(row: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([property, value]) => [columnName(property), toStored(value)]));
}

function toStored(value: unknown): unknown {
  return value instanceof Date ? timestamp(value) : value;
}

/** ISO 8601, except for the year 0 and earlier: Postgres counts 1 BC, 2 BC … */
function timestamp(at: Date): string {
  const year = at.getUTCFullYear();
  if (year >= 1 && year <= 9999) return at.toISOString();
  const sinceNewYear = at.toISOString().replace(/^[+-]?\d+/, '');
  const counted = String(year >= 1 ? year : 1 - year).padStart(4, '0');
  return `${counted}${sinceNewYear}${year >= 1 ? '' : ' BC'}`;
}

function properties<T>(table: Table<T>): (keyof T & string)[] {
  return Object.keys(table.options.columns) as (keyof T & string)[];
}
