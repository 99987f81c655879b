import type { JsonShape } from '../../core/shared/json-shape.js';
import { declaredFields, type Model } from './declared.js';

/** The fields that a class declares, except those that are not always there, in the order of the class. */
export function jsonShapeOf(model: Model): JsonShape {
  const own = declaredFields.filter(({ prototype, schema }) => prototype === model.prototype && !schema.sometimes);
  return Object.fromEntries(own.map(({ name, schema }) => [name, schema.model ? jsonShapeOf(schema.model) : true]));
}
