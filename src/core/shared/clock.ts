import type { FieldError } from './errors.js';

/** The source of time for core. */
export interface Clock {
  /** The wall clock, in whole milliseconds. May jump; never use it to measure a duration. */
  now(): Date;
  /** Milliseconds since some moment in the past, for durations: they go on evenly, whatever the wall clock does. */
  elapsed(): number;
  /** Resolves after about so many milliseconds, whatever the wall clock does meanwhile; does not keep the process alive. */
  pause(milliseconds: number): Promise<void>;
  /** Resolves after the current turn of the event loop, when what has arrived by now has been handled: under load, requests of several clients. */
  nextTurn(): Promise<void>;
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export function after(instant: Date, milliseconds: number): Date {
  return new Date(instant.getTime() + milliseconds);
}

export function isExpired({ expiresAt }: { readonly expiresAt: Date | null }, now: Date): boolean {
  return expiresAt !== null && expiresAt.getTime() <= now.getTime();
}

/** For the end of something that is being made, or kept: none, or in the future. */
export function expiryErrors(expiresAt: Date | null | undefined, now: Date): FieldError[] {
  if (expiresAt === null || expiresAt === undefined || expiresAt.getTime() > now.getTime()) return [];
  return [{ field: 'expiresAt', code: 'out_of_range', message: 'expiresAt must be in the future.' }];
}
