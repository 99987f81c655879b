import type { JsonShape } from '../../../core/shared/json-shape.js';
import { columnName, type Table } from './columns.js';
import type { ObjectFields } from './json-rows.js';

export interface JsonTextFields<Row> {
  readonly objects: ObjectFields<Row>;
  /** The JSON of fields that are in other tables, as SQL. */
  readonly others: Readonly<Record<string, string>>;
}

/** A function of Postgres takes at most 100 arguments. */
const MAX_ARGUMENTS = 100;

/**
 * The fields of a row that `shape` names as a JSON object: SQL, as text. Concatenated, because that takes Postgres half the time of
 * `json_build_object` (docs/decisions/0042). Columns of documents are taken whole: core writes them with the fields of their type and no
 * others. Errors: an Error when a field is neither a column nor one of `fields`.
 */
export function jsonText<Row>(
  table: Table<Row>,
  alias: string,
  shape: JsonShape,
  { objects, others }: JsonTextFields<Row>,
): string {
  const value = (property: keyof Row & string) => columnAsJson(table, alias, property);
  const valueOfField = (field: string, parts: true | JsonShape): string => {
    if (Object.hasOwn(others, field)) return others[field] as string;
    if (!Object.hasOwn(objects, field)) return value(field as keyof Row & string);
    const columns = objects[field] as Readonly<Record<string, keyof Row & string>>;
    const [first] = Object.values(columns);
    const members = Object.keys(parts).map((part): Member => [part, value(columns[part] as keyof Row & string)]);
    return `CASE WHEN ${alias}.${columnName(first as string)} IS NULL THEN 'null' ELSE ${objectOf(members)} END`;
  };
  return objectOf(Object.entries(shape).map(([field, parts]) => [field, valueOfField(field, parts)]));
}

type Member = readonly [name: string, value: string];

function objectOf(members: readonly Member[]): string {
  const pieces = members.flatMap(([name, value], index) => [`'${index === 0 ? '{' : ','}"${name}":'`, value]);
  const calls: string[] = [];
  for (let from = 0; from < pieces.length; from += MAX_ARGUMENTS) {
    calls.push(`concat(${pieces.slice(from, from + MAX_ARGUMENTS).join(', ')})`);
  }
  return `${calls.join(' || ')} || '}'`;
}

function columnAsJson<Row>(table: Table<Row>, alias: string, property: keyof Row & string): string {
  const options = table.options.columns[property];
  if (options === undefined) throw new Error(`${table.options.tableName} has no column for ${property}`);
  const json = jsonOf(`${alias}.${columnName(property)}`, String(options.type));
  return options.nullable ? `coalesce((${json})::text, 'null')` : json;
}

/** The JSON of a value that is not null: of a type that is written as such JSON. */
function jsonOf(column: string, type: string): string {
  switch (type) {
    case 'text':
      return `to_json(${column})`;
    case 'boolean':
      return `${column}::text`;
    case 'double precision':
      // Not -0.
      return `${column} + 0`;
    case 'timestamptz':
      // Six digits of a second are always written, and cut to three: faster than to_char. With Z, as JavaScript writes it.
      return `left(to_json(${column} AT TIME ZONE 'UTC' + interval '1 microsecond')::text, 24) || 'Z"'`;
    default:
      return column;
  }
}
