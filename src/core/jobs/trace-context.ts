import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<string | null>();

/** Does work whose jobs are to tell by what they were caused: `traceparent` as W3C Trace Context writes it; null: nobody traces that. It goes along by itself. */
export function withTraceContext<T>(traceparent: string | null, work: () => T): T {
  // Where nothing is traced nothing needs to go along, which would cost every promise of the process a little.
  return traceparent === currentTraceContext() ? work() : storage.run(traceparent, work);
}

/** What the work at hand was caused by; null where nobody traces it. */
export function currentTraceContext(): string | null {
  return storage.getStore() ?? null;
}
