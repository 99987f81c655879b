import type { Scope } from '../../../src/core/access/caller.js';
import type { OperatorScope } from '../../../src/core/operators/operator-token.js';
import { type Schema, type StoredDocument, storedDocument } from './stored-document.js';

export interface Endpoint<Name = Scope> {
  readonly method: string;
  /** Below the path of its API, with ids that no row has. */
  readonly path: string;
  readonly scope: Name;
  /** The least that it takes, by the examples of the document; undefined if it takes no body. */
  readonly body?: unknown;
}

/** Every endpoint of the API and its scope, as openapi.json has it: what test/architecture compares with the routes and with the last release. */
export const endpoints: readonly Endpoint[] = endpointsOf(storedDocument(), '/api/v1', 'apiKey');

function endpointsOf<Name extends string>({ paths, components }: StoredDocument, base: string, credential: string) {
  return Object.entries(paths)
    .filter(([template]) => template.startsWith(base))
    .flatMap(([template, operations]) =>
      Object.entries(operations).map(([method, { security, requestBody }]) => ({
        method: method.toUpperCase(),
        path: template.slice(base.length).replace(/\{[A-Za-z]+\}/g, '999999'),
        scope: security[0]?.[credential]?.[0] as Name,
        ...(requestBody && { body: leastOf(components, Object.values(requestBody.content)[0]?.schema ?? {}) }),
      })),
    );
}

/** The same for the operator API, by openapi-operator.json. */
export function operatorEndpoints(): readonly Endpoint<OperatorScope>[] {
  return endpointsOf(storedDocument('openapi-operator.json'), '/operator/v1', 'operatorToken');
}

function leastOf(components: StoredDocument['components'], schema: Schema): unknown {
  if (schema.$ref)
    return leastOf(components, components.schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {});
  const [alternative] = schema.oneOf ?? [];
  if (alternative) return leastOf(components, alternative);
  if (schema.type === 'object') {
    const required = schema.required ?? schema.anyOf?.[0]?.required ?? [];
    return Object.fromEntries(required.map((name) => [name, leastOf(components, schema.properties?.[name] ?? {})]));
  }
  return schema.examples?.[0] ?? (schema.items ? [leastOf(components, schema.items)] : undefined);
}
