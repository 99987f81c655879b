/**
 * What code that has taken over a decoder process can reach; best first. `sandbox`: the current picture, and nothing else. `user`: what
 * every account may read, and the network. `process`: everything that the service itself may.
 */
export const isolationLevels = ['sandbox', 'user', 'process'] as const;
export type IsolationLevel = (typeof isolationLevels)[number];

/** A required level, or the best that works. */
export type WantedIsolation = IsolationLevel | 'auto';

/** The level that pictures are read at. */
export interface MediaIsolation {
  readonly level: IsolationLevel;
  /** Better levels, and why they do not work here. */
  readonly refused: readonly { readonly level: IsolationLevel; readonly reason: string }[];
}

/**
 * Which processor time decoders get. `idle`: what nothing else wants, where the system can do that (Linux). `low`: little, but always some.
 */
export const decoderPriorities = ['idle', 'low'] as const;
export type DecoderPriority = (typeof decoderPriorities)[number];
