import { createHash } from 'node:crypto';
import { randomFraction } from '../shared/random.js';
import type { BlobKey } from './blob-key.js';
import type { BlobState } from './blob-store.js';

/** Blobs that are remembered, in 3 MiB. Two blobs may share a slot: the later one takes it, and the other is verified again. */
const SLOTS = 2 ** 18;
/** Words of a slot: a hash of 96 bits that identifies a blob and its state, so that no other is ever taken for it. */
const WORDS = 3;
/** One read of so many is verified although nothing has written to the blob: disks lose bits without any trace. */
const ONE_IN = 64;
/** Some file systems have clocks that advance only once a second: a second change within that time may leave no trace. */
const SETTLED_MS = 2000;

/**
 * Blobs whose bytes were found to have the right hash, and which nothing has written to since, as far as the store can tell: they can be read
 * without being hashed again. A process has one of these.
 */
export class VerifiedBlobs {
  private readonly words = new Uint32Array(SLOTS * WORDS);

  constructor(private readonly random: () => number = randomFraction) {}

  /**
   * Whether the bytes need not be hashed.
   * @param sampled Whether this may be one of the reads that are verified nonetheless.
   */
  trusts(key: BlobKey, state: BlobState | undefined, { sampled = true }: { readonly sampled?: boolean } = {}): boolean {
    if (state === undefined || (sampled && this.random() * ONE_IN < 1)) return false;
    const { slot, words } = slotOf(key, state);
    return words.every((word, at) => this.words[slot + at] === word);
  }

  /** The bytes of the blob were read, in this state, and had the right hash. */
  add(key: BlobKey, state: BlobState | undefined, readAt: Date): void {
    if (state === undefined || readAt.getTime() - state.changedAt.getTime() < SETTLED_MS) return;
    this.remember(key, state);
  }

  /** The bytes were hashed while the service itself wrote them, under a name that nothing else knows yet: this is their state from then on. */
  addWritten(key: BlobKey, state: BlobState): void {
    this.remember(key, state);
  }

  private remember(key: BlobKey, state: BlobState): void {
    const { slot, words } = slotOf(key, state);
    this.words.set(words, slot);
  }
}

function slotOf(key: BlobKey, { fingerprint }: BlobState): { slot: number; words: readonly number[] } {
  const hash = createHash('sha256').update(`${key} ${fingerprint}`).digest();
  const slot = (createHash('sha256').update(key).digest().readUInt32LE(0) % SLOTS) * WORDS;
  return { slot, words: Array.from({ length: WORDS }, (_, at) => hash.readUInt32LE(4 * at)) };
}
