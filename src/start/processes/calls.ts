import type { Environment } from '../../config/environment-reader.js';

/** Params of `start`, the first call to a request process. */
export interface StartParams {
  readonly env: Environment;
  /** In its log lines. */
  readonly number: number;
}

/** Params of `stop`, the last one. */
export interface StopParams {
  /** `replaced`: another process has taken its place; otherwise why the whole service stops. */
  readonly reason: string;
}

/** Params of `count`: processes that answer requests now, and as many as there should be. */
export interface ProcessCounts {
  readonly ready: number;
  readonly wanted: number;
}
