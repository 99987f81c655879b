import type { Lifecycle } from '../lifecycle.js';
import type { Schema } from './schema.js';

/** An operation, a parameter or a field with what clients may rely on, and with what to use in the place of something deprecated. */
export function withLifecycle<Part extends { readonly description?: unknown }>(part: Part, lifecycle: Lifecycle) {
  const { stability, addedIn, deprecation } = lifecycle;
  return {
    ...part,
    ...(deprecation && {
      description: `${part.description ?? ''}\n\nDeprecated: ${deprecation.instead}`.trim(),
      deprecated: true,
      'x-deprecated-since': deprecation.since,
    }),
    ...(deprecation?.sunset && { 'x-sunset': deprecation.sunset }),
    'x-stability': stability,
    'x-added-in': addedIn,
  };
}

/** The keywords of a lifecycle, of a parameter whose schema has them. */
export function takeLifecycle({ deprecated, ...schema }: Schema): {
  readonly lifecycle: Schema;
  readonly schema: Schema;
} {
  const isOf = ([name]: [string, unknown]) =>
    ['x-deprecated-since', 'x-sunset', 'x-stability', 'x-added-in'].includes(name);
  const all = Object.entries(schema);
  return {
    lifecycle: { ...(deprecated === true && { deprecated }), ...Object.fromEntries(all.filter(isOf)) },
    schema: Object.fromEntries(all.filter((entry) => !isOf(entry))),
  };
}

/** Gives every field in here that says nothing of its lifecycle this one: those that no class stands for, too. */
export function withLifecycles<Part>(part: Part, lifecycle: Lifecycle): Part {
  if (Array.isArray(part)) return part.map((each) => withLifecycles(each, lifecycle)) as Part;
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      const inner = withLifecycles(value, lifecycle);
      // A field that is itself called `properties` has a schema, and is no list of fields.
      if (key !== 'properties' || !isFields(value)) return [key, inner];
      const fields = Object.entries(inner as Record<string, Schema>);
      return [key, Object.fromEntries(fields.map(([name, schema]) => [name, ofField(schema, lifecycle)]))];
    }),
  ) as Part;
}

function ofField(schema: Schema, lifecycle: Lifecycle): Schema {
  return 'x-stability' in schema ? schema : withLifecycle(schema, lifecycle);
}

function isFields(value: object): boolean {
  return Object.values(value).every((each) => typeof each === 'object' && each !== null && !Array.isArray(each));
}
