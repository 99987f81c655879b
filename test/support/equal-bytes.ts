/** Of jest 29.4 and later; its types do not know it. */
interface WithTesters {
  addEqualityTesters(testers: readonly ((a: unknown, b: unknown) => boolean | undefined)[]): void;
}

/** Compares bytes as bytes: jest would compare the names of all indexes and then each number, which takes seconds for a picture. */
(expect as unknown as WithTesters).addEqualityTesters([
  (a, b) => {
    const isOfOneKind = a instanceof Uint8Array && b instanceof Uint8Array && a.constructor === b.constructor;
    return isOfOneKind ? Buffer.compare(a, b) === 0 : undefined;
  },
]);
