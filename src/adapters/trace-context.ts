import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<string | null>();

/** Runs work whose jobs store this trace context: `traceparent` as in W3C Trace Context; null: no trace. It is propagated implicitly. */
export function withTraceContext<T>(traceparent: string | null, work: () => T): T {
  // Without a trace nothing needs to be propagated, which would make every promise of the process slightly slower.
  return traceparent === currentTraceContext() ? work() : storage.run(traceparent, work);
}

export function currentTraceContext(): string | null {
  return storage.getStore() ?? null;
}
