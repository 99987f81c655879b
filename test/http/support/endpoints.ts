import type { Scope } from '../../../src/core/access/scope.js';
import { type Schema, storedDocument } from './stored-document.js';

export interface Endpoint {
  readonly method: string;
  /** Below /api/v1, with ids that no row has. */
  readonly path: string;
  readonly scope: Scope;
  /** The least that it takes, by the examples of the document; undefined if it takes no body. */
  readonly body?: unknown;
}

const BASE = '/api/v1';

const { paths, components } = storedDocument();

/** Every endpoint of the API and its scope, as openapi.json has it: what test/architecture compares with the routes and with the last release. */
export const endpoints: readonly Endpoint[] = Object.entries(paths)
  .filter(([template]) => template.startsWith(BASE))
  .flatMap(([template, operations]) =>
    Object.entries(operations).map(([method, { security, requestBody }]) => ({
      method: method.toUpperCase(),
      path: template.slice(BASE.length).replace(/\{[A-Za-z]+\}/g, '999999'),
      scope: security[0]?.apiKey[0] as Scope,
      ...(requestBody && { body: leastOf(Object.values(requestBody.content)[0]?.schema ?? {}) }),
    })),
  );

function leastOf(schema: Schema): unknown {
  if (schema.$ref) return leastOf(components.schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {});
  const [alternative] = schema.oneOf ?? [];
  if (alternative) return leastOf(alternative);
  if (schema.type === 'object') {
    const required = schema.required ?? schema.anyOf?.[0]?.required ?? [];
    return Object.fromEntries(required.map((name) => [name, leastOf(schema.properties?.[name] ?? {})]));
  }
  return schema.examples?.[0] ?? (schema.items ? [leastOf(schema.items)] : undefined);
}
