import { columnName, type Table } from './columns.js';
import { selectedProperties } from './rows.js';
import { instantOf } from './value-parsers.js';

/**
 * A row as one JSON array: the selected columns in the order of the table, instants as text. For a page, pg and Postgres together take half
 * the time for such arrays that they take for rows of 37 columns.
 */
export type JsonRow = readonly unknown[];

/** A field that is stored in several columns. */
export interface ComposedField<Row, Value> {
  readonly columns: readonly (keyof Row & string)[];
  // biome-ignore lint/suspicious/noExplicitAny: the values of these columns, in their order.
  readonly compose: (...values: any[]) => Value;
}

/** The columns of a `JsonRow`, for `json_build_array`. */
export function jsonColumns<Row>(table: Table<Row>, alias: string): string {
  return selectedProperties(table)
    .map((property) => `${alias}.${columnName(property)}`)
    .join(', ');
}

/**
 * A function that reads the values of a `JsonRow`. It is written when this is called, once for each table, as one would by hand: a loop over
 * names takes ten times as long for each row.
 * @param composed The fields that are not columns themselves. Their columns are not fields.
 */
export function jsonReader<Row, Value>(
  table: Table<Row>,
  composed: { readonly [Field in Exclude<keyof Value, keyof Row>]: ComposedField<Row, Value[Field]> },
): (row: JsonRow) => Value {
  const properties = selectedProperties(table);
  const composedFields = Object.entries<ComposedField<Row, unknown>>(composed);
  const parts = new Set(composedFields.flatMap(([, { columns }]) => columns));
  const placeOf = (property: keyof Row & string) => `row[${properties.indexOf(property)}]`;
  const fields = [
    ...properties
      .filter((property) => !parts.has(property))
      .map((property) => `${property}: ${converted(table, property, placeOf(property))}`),
    ...composedFields.map(
      ([field, { columns }]) => `${field}: composed.${field}.compose(${columns.map(placeOf).join(', ')})`,
    ),
  ];
  const write = new Function('composed', 'instantOf', `return (row) => ({ ${fields.join(', ')} });`);
  return write(composed, instantOf);
}

function converted<Row>(table: Table<Row>, property: keyof Row & string, value: string): string {
  const { type, nullable = false } = table.options.columns[property] ?? {};
  if (type !== 'timestamptz') return value;
  return nullable ? `${value} === null ? null : instantOf(${value})` : `instantOf(${value})`;
}
