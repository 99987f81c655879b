import type { Clock } from '../../src/core/shared/clock.js';

/** A clock whose pauses end when a test says so. */
export class HeldClock implements Clock {
  /** Milliseconds of those that were begun. */
  readonly pauses: number[] = [];
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  now(): Date {
    return this.clock.now();
  }

  elapsed(): number {
    return this.clock.now().getTime();
  }

  pause(milliseconds: number): Promise<void> {
    this.pauses.push(milliseconds);
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }

  async nextTurn(): Promise<void> {
    await new Promise(setImmediate);
  }

  release(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

/** Whether work in memory is done, once it has nothing left to do but to wait for a clock. */
export async function isOver(work: Promise<unknown>): Promise<boolean> {
  let over = false;
  const end = () => {
    over = true;
  };
  work.then(end, end);
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
  return over;
}
