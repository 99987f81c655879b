import {
  DefaultNamingStrategy,
  EntitySchema,
  type EntitySchemaColumnOptions,
  type NamingStrategyInterface,
} from 'typeorm';

/** A table as a value: its columns and their types. Keys, indexes and constraints are in the migrations. */
export type Table<T> = EntitySchema<T>;

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

export class SnakeCaseNames extends DefaultNamingStrategy implements NamingStrategyInterface {
  override columnName(property: string, given: string | undefined): string {
    return given || columnName(property);
  }
}

/** UTC, whole milliseconds: the precision of a `Date`. */
export const instant = { type: 'timestamptz', precision: 3 } as const;
export const optionalInstant = { ...instant, nullable: true } as const;
export const text = { type: 'text' } as const;
export const optionalText = { ...text, nullable: true } as const;
export const whole = { type: 'integer' } as const;
export const optionalWhole = { ...whole, nullable: true } as const;
export const bigWhole = { type: 'bigint' } as const;
export const optionalBigWhole = { ...bigWhole, nullable: true } as const;
export const yesOrNo = { type: 'boolean' } as const;
export const real = { type: 'double precision', nullable: true } as const;
/** A document that is stored unchanged. Unlike `jsonb` it may contain any character and preserves the order of its keys. */
export const document = { type: 'json' } as const;
export const optionalDocument = { ...document, nullable: true } as const;
export const key = { type: 'bigint', primary: true } as const;
export const generatedKey = { ...key, generated: 'increment' } as const;
