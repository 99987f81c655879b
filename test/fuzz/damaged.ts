import fc from 'fast-check';

/** Where something happens to a file: a share of its length, more often near its beginning, where headers are. */
const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }).map((share) => share ** 3);

/** Lengths and counts that parsers trip over. */
const interesting = fc.constantFrom(
  [0x00],
  [0xff],
  [0x7f],
  [0x80],
  [0xff, 0xff],
  [0x00, 0x00, 0x00, 0x00],
  [0xff, 0xff, 0xff, 0xff],
  [0x7f, 0xff, 0xff, 0xff],
  [0x80, 0x00, 0x00, 0x00],
  [0x00, 0x00, 0x00, 0x08],
);
const some = fc.oneof(interesting, fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 6 }));
const length = fc.oneof(fc.integer({ min: 1, max: 16 }), fc.integer({ min: 1, max: 2000 }));

type Change = (bytes: Buffer, others: readonly Uint8Array[]) => Buffer;

const overwritten: fc.Arbitrary<Change> = fc.tuple(place, some).map(([share, put]) => (bytes) => {
  const copy = Buffer.from(bytes);
  copy.set(put.slice(0, copy.length - at(share, copy)), at(share, copy));
  return copy;
});
const inserted: fc.Arbitrary<Change> = fc.tuple(place, some).map(
  ([share, put]) =>
    (bytes) =>
      splice(bytes, at(share, bytes), 0, Buffer.from(put)),
);
const removed: fc.Arbitrary<Change> = fc.tuple(place, length).map(
  ([share, count]) =>
    (bytes) =>
      splice(bytes, at(share, bytes), count, Buffer.alloc(0)),
);
const repeated: fc.Arbitrary<Change> = fc
  .tuple(place, length, fc.integer({ min: 1, max: 40 }))
  .map(([share, count, times]) => (bytes) => {
    const from = at(share, bytes);
    const part = bytes.subarray(from, from + count);
    return splice(bytes, from, 0, Buffer.concat(Array.from({ length: times }, () => part)));
  });
const cutOff: fc.Arbitrary<Change> = place.map((share) => (bytes) => bytes.subarray(0, at(share, bytes)));
const mixed: fc.Arbitrary<Change> = fc
  .tuple(place, place, length, fc.nat())
  .map(([share, otherShare, count, which]) => (bytes, others) => {
    const other = Buffer.from(others[which % others.length] ?? []);
    const from = at(otherShare, other);
    return splice(bytes, at(share, bytes), count, other.subarray(from, from + count));
  });

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: overwritten },
  { weight: 2, arbitrary: inserted },
  { weight: 2, arbitrary: removed },
  { weight: 1, arbitrary: repeated },
  { weight: 1, arbitrary: cutOff },
  { weight: 2, arbitrary: mixed },
);

/** Seeds with up to eight changes each, none of them too: what is right must be read. */
export function damaged(seeds: readonly Uint8Array[]): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.nat({ max: seeds.length - 1 }), fc.array(change, { maxLength: 8 }))
    .map(([which, changes]) =>
      changes.reduce<Buffer>((bytes, each) => each(bytes, seeds), Buffer.from(seeds[which] ?? [])),
    );
}

function at(share: number, bytes: Uint8Array): number {
  return Math.floor(share * bytes.length);
}

function splice(bytes: Buffer, from: number, count: number, put: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from + count)]);
}
