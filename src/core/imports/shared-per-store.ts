/** A value shared by all users of the same store: created for the first of them, and garbage-collected with the store. */
export function sharedPerStore<U extends { store: object }, T>(make: (uses: U) => T): (uses: U) => T {
  const made = new WeakMap<U['store'], T>();
  return (uses) => {
    const shared = made.get(uses.store) ?? make(uses);
    made.set(uses.store, shared);
    return shared;
  };
}
