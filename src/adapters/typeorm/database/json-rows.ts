import { columnName, type Table } from './columns.js';
import { selectedProperties } from './rows.js';
import { instantOf } from './value-parsers.js';

/**
 * A row as one JSON array: the selected columns in the order of the table, instants as text. For a page, pg and Postgres together take half
 * the time for such arrays that they take for rows of 37 columns.
 */
export type JsonRow = readonly unknown[];

/** Fields that are objects, each of columns of its own: by the names of its parts. Null where the first of the columns is. */
type ObjectFields<Row, Field extends PropertyKey> = {
  readonly [Name in Field]: Readonly<Record<string, keyof Row & string>>;
};

/** The columns of a `JsonRow`, for `json_build_array`. */
export function jsonColumns<Row>(table: Table<Row>, alias: string): string {
  return selectedProperties(table)
    .map((property) => `${alias}.${columnName(property)}`)
    .join(', ');
}

/**
 * A function that reads the values of a `JsonRow`. It is written when this is called, once for each table, as one would by hand: a loop over
 * names takes ten times as long for each row.
 * @param objects The fields that are not columns themselves. Their columns are not fields.
 */
export function jsonReader<Row, Value>(
  table: Table<Row>,
  objects: ObjectFields<Row, Exclude<keyof Value, keyof Row>>,
): (row: JsonRow) => Value {
  const properties = selectedProperties(table);
  const objectFields = Object.entries<Readonly<Record<string, keyof Row & string>>>(objects);
  const parts = new Set(objectFields.flatMap(([, columns]) => Object.values(columns)));
  const valueIn = (property: keyof Row & string) => converted(table, property, `row[${properties.indexOf(property)}]`);
  const objectOf = (columns: Readonly<Record<string, keyof Row & string>>) =>
    `{ ${Object.entries(columns)
      .map(([part, property]) => `${part}: ${valueIn(property)}`)
      .join(', ')} }`;
  const isNull = (columns: object) => `row[${properties.indexOf(Object.values(columns)[0])}] === null`;
  const fields = [
    ...properties.filter((property) => !parts.has(property)).map((property) => `${property}: ${valueIn(property)}`),
    ...objectFields.map(([field, columns]) => `${field}: ${isNull(columns)} ? null : ${objectOf(columns)}`),
  ];
  return new Function('instantOf', `return (row) => ({ ${fields.join(', ')} });`)(instantOf);
}

function converted<Row>(table: Table<Row>, property: keyof Row & string, value: string): string {
  const { type, nullable = false } = table.options.columns[property] ?? {};
  if (type !== 'timestamptz') return value;
  return nullable ? `${value} === null ? null : instantOf(${value})` : `instantOf(${value})`;
}
