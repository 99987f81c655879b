/**
 * Why something failed, for people: the message of the innermost cause. Of several attempts, for example at the addresses of one name, the
 * first.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
