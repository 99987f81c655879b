import type { Schema } from '../fields/schema.js';

/** What clients may rely on of an operation, a parameter or a field. Nothing is younger than the first release, and nothing is likely to change. */
export const lifecycle = { 'x-stability': 'stable', 'x-added-in': '0.1.0' } as const;

/** Marks every field of the schemas in here. */
export function withLifecycle<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(withLifecycle) as Part;
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      const inner = withLifecycle(value);
      // A field that is itself called `properties` has a schema, and is no list of fields.
      if (key !== 'properties' || !isFields(value)) return [key, inner];
      const fields = Object.entries(inner as Record<string, Schema>);
      return [key, Object.fromEntries(fields.map(([name, schema]) => [name, { ...schema, ...lifecycle }]))];
    }),
  ) as Part;
}

function isFields(value: object): boolean {
  return Object.values(value).every((each) => typeof each === 'object' && each !== null && !Array.isArray(each));
}
