/** What the pages read of an OpenAPI document. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, object>> };
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly responses: Readonly<Record<string, object>>;
}

export interface DocsOperation {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Its place on the page of the reference. */
  readonly url: string;
  /** The error codes that it answers with. */
  readonly codes: readonly string[];
}

/** Every operation of a document, in its order. */
export function operationsOf({ paths, components }: ApiDocument): readonly DocsOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary, description, tags, responses }]) => ({
      method: method.toUpperCase(),
      path,
      summary,
      description,
      url: `/docs#/${encodeURIComponent((tags[0] ?? '').replaceAll(' ', '_'))}/${operationId}`,
      codes: Object.values(responses).flatMap((response) => codesOf(resolved(response, components.responses))),
    })),
  );
}

function resolved(response: object, responses: Readonly<Record<string, object>>): object {
  const { $ref } = response as { readonly $ref?: string };
  return $ref === undefined ? response : (responses[$ref.replace('#/components/responses/', '')] ?? {});
}

/** The enums that narrow `error.code`, wherever they are in the schema. */
function codesOf(part: unknown): readonly string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { code } = part as { readonly code?: { readonly enum?: readonly string[] } };
  return [
    ...(code?.enum ?? []),
    ...Object.entries(part).flatMap(([name, inner]) => (name === 'code' ? [] : codesOf(inner))),
  ];
}
