import type { RequestCount } from '../../../core/traffic/traffic.js';
import { number } from '../counted.js';

/** How many requests a day, an hour or a key had. */
export type Figures = Pick<RequestCount, 'requests' | 'limited' | 'failed'>;

/** The columns in which `figures` stand. */
export const figureColumns = ['Requests', 'Errors', 'Over the limit (429)'];

export function figures({ requests, failed, limited }: Figures): readonly string[] {
  return [number(requests), number(failed), number(limited)];
}

export function sum(counts: readonly Figures[]): Figures {
  const total = { requests: 0, limited: 0, failed: 0 };
  for (const { requests, limited, failed } of counts) {
    total.requests += requests;
    total.limited += limited;
    total.failed += failed;
  }
  return total;
}
