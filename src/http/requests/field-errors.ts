import { DomainError, type FieldError } from '../../core/shared/errors.js';

/**
 * In the order in which the fields were sent; absent fields come last, and so does what is missing in an object.
 * @param names Of all fields that were sent, with their path, in their order.
 */
export function inOrder(errors: readonly FieldError[], names: readonly string[]): FieldError[] {
  const places = new Map([...names.entries()].reverse().map(([at, name]) => [name, at]));
  const place = (name: string) => places.get(name) ?? names.length;
  const top = ({ field }: FieldError) => place(field.split(/[.[]/)[0] ?? '');
  return [...errors].sort((a, b) => top(a) - top(b) || place(a.field) - place(b.field));
}

/** The field errors of an error; null when it has none. */
export function fieldErrorsOf(error: unknown): readonly FieldError[] | null {
  if (!(error instanceof DomainError) || error.code !== 'invalid_request') return null;
  return (error.details?.['errors'] as readonly FieldError[] | undefined) ?? null;
}
