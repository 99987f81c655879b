import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** As far as tests look into a schema. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
}

export interface StoredOperation {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

export interface StoredDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, StoredOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A document as it stands in the repository. */
export function storedDocument(name: 'openapi.json' | 'openapi-operator.json' = 'openapi.json'): StoredDocument {
  return JSON.parse(readFileSync(join(__dirname, '../../..', name), 'utf8'));
}
