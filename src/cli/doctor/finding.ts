export type Level = 'ok' | 'warn' | 'fail';

/** What one look found. */
export interface Finding {
  readonly check: string;
  readonly level: Level;
  readonly message: string;
  /** What to do; empty where all is well. */
  readonly advice: string;
}

export const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message, advice: '' });
export const warn = (check: string, message: string, advice: string): Finding => ({
  check,
  level: 'warn',
  message,
  advice,
});
export const fail = (check: string, message: string, advice: string): Finding => ({
  check,
  level: 'fail',
  message,
  advice,
});

/** What a check throws is its finding. */
export async function attempt(
  check: string,
  advice: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [fail(check, reasonOf(error), advice)];
  }
}

/** The innermost cause says what happened. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
