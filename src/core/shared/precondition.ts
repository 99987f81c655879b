/** Checks a locked resource and throws (`precondition_failed`) when the caller has seen a different state of it. */
export type Precondition<T> = (current: T) => void;

export function unconditional(): void {}
