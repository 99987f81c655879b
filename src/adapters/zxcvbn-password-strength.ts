import { createRequire } from 'node:module';
import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import type { PasswordStrength } from '../core/users/passwords.js';

/** UTF-16 units that are estimated: enough for any score, and few enough that an estimate takes milliseconds. It grows with the cube. */
const MAX_ESTIMATED = 24;

/** Estimates by zxcvbn, with the most frequent passwords in leaks; loaded at the first question, because most processes are never asked. */
export class ZxcvbnPasswordStrength implements PasswordStrength {
  #estimator: Promise<ZxcvbnFactory> | null = null;

  async scoreOf(password: string, words: readonly string[]): Promise<number> {
    this.#estimator ??= newEstimator();
    return (await this.#estimator).check(password.slice(0, MAX_ESTIMATED), [...words]).score;
  }
}

async function newEstimator(): Promise<ZxcvbnFactory> {
  const { ZxcvbnFactory: Estimator } = await import('@zxcvbn-ts/core');
  const require = createRequire(import.meta.url);
  const common: typeof import('@zxcvbn-ts/language-common') = require('@zxcvbn-ts/language-common');
  return new Estimator({ dictionary: common.dictionary, graphs: common.adjacencyGraphs });
}
