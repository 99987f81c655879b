import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/core/shared/clock.js';

/** A clock that stands still until it is moved. */
export class SettableClock implements Clock {
  constructor(private time = new Date('2026-11-21T12:00:00.000Z')) {}

  now(): Date {
    return new Date(this.time);
  }

  elapsed(): number {
    return this.time.getTime();
  }

  /** A moment later, for who stands still has no longer to wait. */
  async pause(): Promise<void> {
    await setImmediate();
  }

  async nextTurn(): Promise<void> {
    await setImmediate();
  }

  set(time: Date): void {
    this.time = new Date(time);
  }

  /** Forwards, or back with less than 0. Milliseconds. */
  pass(milliseconds: number): void {
    this.time = new Date(this.time.getTime() + milliseconds);
  }
}
