/** Looks at a resource while it is held and throws (`precondition_failed`) when the caller has seen another state of it. */
export type Precondition<T> = (current: T) => void;

export function unconditional(): void {}
