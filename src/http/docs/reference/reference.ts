import type { CodeSample } from '../../openapi/samples/code-samples.js';

/** A JSON Schema, as far as the pages read it. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly 'x-stability'?: string;
  readonly 'x-added-in'?: string;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface DescribedResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: { readonly description?: string; readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, DescribedResponse>>;
  readonly 'x-stability'?: string;
  readonly 'x-required-scope'?: string | null;
  readonly 'x-codeSamples'?: readonly CodeSample[];
}

/** An OpenAPI document, as far as the pages read it. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, DescribedResponse>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

export interface ReferenceOperation {
  readonly method: string;
  /** The path, or the name of an event. */
  readonly path: string;
  readonly isEvent: boolean;
  readonly operation: DescribedOperation;
  /** Its place in the documentation. */
  readonly url: string;
  /** The error codes that it answers with. */
  readonly codes: readonly string[];
}

/** What belongs together on one page. */
export interface Resource {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly operations: readonly ReferenceOperation[];
}

/** One of the two APIs as its pages show it. */
export interface Reference {
  readonly title: string;
  readonly url: string;
  /** Where its document is; null while only some installations serve it. */
  readonly file: string | null;
  readonly document: ApiDocument;
  readonly resources: readonly Resource[];
}

/** @param base The address of its first page; `folder` that of the others. */
export function referenceOf(
  document: ApiDocument,
  {
    title,
    url,
    folder,
    file,
  }: { readonly title: string; readonly url: string; readonly folder: string; readonly file: string | null },
): Reference {
  const all = [...entriesOf(document.paths, false), ...entriesOf(document.webhooks ?? {}, true)];
  const resources = document.tags.map(({ name, description = '' }) => {
    const page = `${folder}/${name.toLowerCase().replaceAll(' ', '-')}`;
    const operations = all
      .filter(({ operation }) => operation.tags[0] === name)
      .map((entry) => ({
        ...entry,
        url: `${page}#${entry.operation.operationId}`,
        codes: codesOf(entry.operation, document),
      }));
    return { name, description, url: page, operations };
  });
  return { title, url, file, document, resources };
}

function entriesOf(paths: ApiDocument['paths'], isEvent: boolean) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, isEvent, operation })),
  );
}

function codesOf({ responses }: DescribedOperation, { components }: ApiDocument): readonly string[] {
  const all = Object.values(responses).map((response) => {
    const name = response.$ref?.replace('#/components/responses/', '');
    return name === undefined ? response : (components.responses[name] ?? {});
  });
  return [...new Set(all.flatMap((response) => codesIn(response)))];
}

/** The enums that narrow `error.code`, wherever they are in the schema. */
function codesIn(part: unknown): readonly string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { code } = part as { readonly code?: { readonly enum?: readonly string[] } };
  return [
    ...(code?.enum ?? []),
    ...Object.entries(part).flatMap(([name, inner]) => (name === 'code' ? [] : codesIn(inner))),
  ];
}
