/**
 * How much of the machine is left to a process that decodes pictures, should one of them take it over; best first. `sandbox`: the
 * picture in hand, and nothing else. `user`: what every account may read, and the network. `process`: all that the service itself may do.
 */
export const isolationLevels = ['sandbox', 'user', 'process'] as const;
export type IsolationLevel = (typeof isolationLevels)[number];

/** A level that must be had, or the best that works. */
export type WantedIsolation = IsolationLevel | 'auto';

/** The level that pictures are read at. */
export interface MediaIsolation {
  readonly level: IsolationLevel;
  /** Better levels, and why they do not work here. */
  readonly refused: readonly { readonly level: IsolationLevel; readonly reason: string }[];
}
