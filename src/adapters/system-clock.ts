import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../core/shared/clock.js';

/** Resolves at the next turn, as `Clock` has it, for adapters that collect requests. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

export class SystemClock implements Clock {
  now(): Date {
    return new Date();
  }

  elapsed(): number {
    return performance.now();
  }

  async pause(milliseconds: number): Promise<void> {
    await setTimeout(milliseconds, undefined, { ref: false });
  }

  nextTurn(): Promise<void> {
    return nextTurn();
  }
}
