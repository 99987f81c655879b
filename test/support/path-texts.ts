import fc from 'fast-check';

type Json = Readonly<Record<string, unknown>>;

const SAMPLES = { numRuns: 500, seed: 1 };

/**
 * Texts that a schema admits as a segment of a path, bounds included, of each branch of a `oneOf`. There, all values are text, so two schemas can
 * look unlike and admit the same. Empty where the schema says nothing that can be sampled.
 */
export function pathTexts(schema: unknown, resolve: (schema: unknown) => Json): readonly string[] {
  const { type, oneOf, pattern, minimum, maximum } = resolve(schema);
  if (Array.isArray(oneOf)) return oneOf.flatMap((branch) => pathTexts(branch, resolve));
  if (type === 'integer') {
    const [min, max] = [Number(minimum ?? 0), Number(maximum ?? Number.MAX_SAFE_INTEGER)];
    return [min, max, ...fc.sample(fc.integer({ min, max }), SAMPLES)].map(String);
  }
  return type === 'string' && typeof pattern === 'string'
    ? fc.sample(fc.stringMatching(new RegExp(pattern)), SAMPLES)
    : [];
}
