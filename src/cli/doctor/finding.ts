import { reasonOf } from '../../core/shared/errors.js';

export type Level = 'ok' | 'warn' | 'fail';

/** The result of one check. */
export interface Finding {
  readonly check: string;
  readonly level: Level;
  readonly message: string;
  /** What to do; empty if all is well. */
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

/** An error thrown by a check is its finding. */
export async function findingOf(
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
