import { hash } from 'node:crypto';
import pg from 'pg';
import { type EntityManager, EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import type { Id } from '../../../core/shared/ids.js';
import { type Statement, StatementRunner } from './transaction.js';

/*
 * SQL by hand, for statements that TypeORM has no form for, or that a measurement asks for. A table is declared once, as a value (`tableOf`,
 * with the types of `column`), and its rows go in and out by that declaration. In the order of this file:
 *
 * - statements: `select` and `change` run one on the connection of `inTransaction`, `inCustomerTransaction` or `withoutTransaction`;
 *   `prepared` marks one that is frequent;
 * - rows in, as JSON in one parameter, however many there are: `insert`, `update`, `updateMany`, and for larger statements their parts
 *   `insertion`, `assignments` and `asJson`;
 * - rows out, as the objects of the table (`selectList`), or as JSON arrays where many wide rows are read (`jsonColumns`, `placesOf`, and
 *   `instantOf` for the instants in them);
 * - parts of other statements: `anyOf`, `inSeconds`.
 */

/** A table as a value: its columns and their types. Keys, indexes and constraints are in the migrations. */
type Table<T> = EntitySchema<T>;

/** It does not compile without a column for every field, so no field can be lost. */
export function tableOf<T>(
  name: string,
  tableName: string,
  columns: { [Field in keyof T]-?: EntitySchemaColumnOptions },
): Table<T> {
  return new EntitySchema<T>({ name, tableName, columns });
}

/** `customerId` is stored in `customer_id`. */
export function columnName(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const text = { type: 'text' } as const;
const whole = { type: 'integer' } as const;
const bigWhole = { type: 'bigint' } as const;
const key = { type: 'bigint', primary: true } as const;
/** UTC, whole milliseconds: the precision of a `Date`. */
const instant = { type: 'timestamptz', precision: 3 } as const;
/** A document that is stored unchanged. Unlike `jsonb` it may contain any character and preserves the order of its keys. */
const document = { type: 'json' } as const;

/** The types of columns. */
export const column = {
  text,
  whole,
  bigWhole,
  key,
  instant,
  document,
  yesOrNo: { type: 'boolean' },
  real: { type: 'double precision', nullable: true },
  generatedKey: { ...key, generated: 'increment' },
  optionalText: { ...text, nullable: true },
  optionalWhole: { ...whole, nullable: true },
  optionalBigWhole: { ...bigWhole, nullable: true },
  optionalInstant: { ...instant, nullable: true },
  optionalDocument: { ...document, nullable: true },
} as const;

function properties<T>(table: Table<T>): (keyof T & string)[] {
  return Object.keys(table.options.columns) as (keyof T & string)[];
}

/**
 * Makes each connection prepare this statement once, by name, and send only its values afterwards: parsing and planning took longer than
 * most of our statements run. Only for frequent statements whose best plan does not depend on the values.
 * @param isVariant Whether its text depends on what a client asks for.
 */
export function prepared(text: string, isVariant = false): Statement {
  // By the text, not by a number: behind a pooler, processes of several releases may share a connection.
  return { name: hash('sha256', text, 'base64url').slice(0, 16), text, isVariant };
}

/** The rows of a query. */
export async function select<T>(...statement: Parameters<typeof change>): Promise<T[]> {
  return (await change<T>(...statement)).rows;
}

/** Runs a statement. @returns Its rows, and the number of those that were found or changed. */
export function change<T = unknown>(
  { queryRunner }: EntityManager,
  statement: Statement | string,
  parameters: readonly unknown[] = [],
): Promise<{ rows: T[]; count: number }> {
  if (!(queryRunner instanceof StatementRunner)) throw new Error('A connection of database/transaction.ts is needed.');
  return queryRunner.run<T>(typeof statement === 'string' ? { text: statement } : statement, parameters.map(toStored));
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
  const keys = namedBy(table, row).filter((property) => isKey(table, property));
  const same = keys.map((property) => `stored.${columnName(property)} = given.${columnName(property)}`).join(' AND ');
  const sql = `UPDATE ${tableName} AS stored SET ${assignments(table, row)} FROM ${given} WHERE ${same}`;
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

function isKey<T>(table: Table<T>, property: keyof T): boolean {
  return table.options.columns[property]?.primary === true;
}

/** Values from core may have fields that the table does not store. */
function namedBy<T>(table: Table<T>, row: Partial<T>): (keyof T & string)[] {
  return properties(table).filter((property) => property in row);
}

/** Rows as JSON with the names of columns, for `json_populate_record`. */
export function asJson(rows: object): string {
  const names = new Map<string, string>();
  return JSON.stringify(Array.isArray(rows) ? rows.map((row) => byColumnName(row, names)) : byColumnName(rows, names));
}

/** @param names Of the columns, by property, as far as other rows have needed them: deriving them takes longer than the rest. */
function byColumnName(row: object, names: Map<string, string>): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const [property, value] of Object.entries(row)) {
    const name = names.get(property) ?? columnName(property);
    names.set(property, name);
    columns[name] = toStored(value);
  }
  return columns;
}

/** Instants as in ISO 8601, except for the year 0 and earlier: Postgres counts 1 BC, 2 BC … */
function toStored(value: unknown): unknown {
  if (!(value instanceof Date)) return value;
  const year = value.getUTCFullYear();
  if (year >= 1 && year <= 9999) return value.toISOString();
  const sinceNewYear = value.toISOString().replace(/^[+-]?\d+/, '');
  const counted = String(year >= 1 ? year : 1 - year).padStart(4, '0');
  return `${counted}${sinceNewYear}${year >= 1 ? '' : ' BC'}`;
}

/** `p.id AS "id", p.customer_id AS "customerId", …`: rows come out as the objects that the table describes, or with some properties of these. */
export function selectList<T>(table: Table<T>, alias: string, which = selectedProperties(table)): string {
  return which.map((property) => `${alias}.${columnName(property)} AS "${property}"`).join(', ');
}

/** The properties that a selected row has: those of all columns except `select: false`. */
function selectedProperties<T>(table: Table<T>): (keyof T & string)[] {
  return properties(table).filter((property) => table.options.columns[property]?.select !== false);
}

/**
 * A row as one JSON array: the selected columns in the order of the table, instants as text. For a page, pg and Postgres together take half
 * the time for such arrays that they take for rows of 37 columns.
 */
export type JsonRow = readonly unknown[];

/** The columns of a `JsonRow`, for `json_build_array`. */
export function jsonColumns<Row>(table: Table<Row>, alias: string): string {
  return selectedProperties(table)
    .map((property) => `${alias}.${columnName(property)}`)
    .join(', ');
}

/** Where each column stands in a `JsonRow`. */
export function placesOf<Row>(table: Table<Row>): Readonly<Record<keyof Row & string, number>> {
  const places = selectedProperties(table).map((property, at) => [property, at]);
  return Object.fromEntries(places) as Record<keyof Row & string, number>;
}

const TIMESTAMPTZ = 1184;
const parseAnyInstant: (text: string) => Date = pg.types.getTypeParser(TIMESTAMPTZ);

/** An instant in a JSON document, for example `2026-03-01T12:00:00.123+00:00`: every connection uses UTC. */
export function instantOf(text: string): Date {
  // All except years BC and after 9999 are as JavaScript writes them.
  if (text[4] === '-' && text.endsWith('+00:00')) return new Date(text);
  return parseAnyInstant(text.replace('T', ' ').replace('+00:00', '+00'));
}

/**
 * `= ANY` of an array of few values. Of a plain parameter, the planner assumes ten values if it does not look; for one value it then makes a new
 * plan each time, which takes five times as long as looking up a photo.
 */
export function anyOf(array: string): string {
  return `ANY(ARRAY(SELECT unnest(${array})))`;
}

/** When so many seconds have passed, by the database's clock, which all processes compare. @param seconds SQL: `$1`. */
export function inSeconds(seconds: string): string {
  return `clock_timestamp() + make_interval(secs => ${seconds})`;
}
