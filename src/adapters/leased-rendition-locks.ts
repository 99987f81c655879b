import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { BlobKey } from '../core/blobs/blob-key.js';
import { type Making, RENDITION_LOCK_SECONDS, type RenditionLocks } from '../core/photos/renditions/rendition.js';
import { SECOND } from '../core/shared/clock.js';
import type { Id } from '../core/shared/ids.js';

export interface RenditionLease {
  readonly customerId: Id;
  readonly key: BlobKey;
  /** The token of one holder. */
  readonly token: string;
}

/** The leases that processes share: at most one unexpired lease for each customer and key. Errors: `service_unavailable`. */
export interface RenditionLeases {
  /** False while another holder has an unexpired lease. */
  acquire(lease: RenditionLease, seconds: number): Promise<boolean>;
  /** Does nothing when another holder has taken it over. */
  extend(lease: RenditionLease, seconds: number): Promise<void>;
  /** The same. */
  release(lease: RenditionLease): Promise<void>;
}

/** Between two looks at what another process makes: most pictures take a tenth of a second, some take many. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [25, 400];

/** Locks that are leases: a process extends its own as long as it works, and none outlives it for long. */
export class LeasedRenditionLocks implements RenditionLocks {
  constructor(private readonly leases: RenditionLeases) {}

  async findOrMake<T>(owner: { readonly customerId: Id; readonly key: BlobKey }, making: Making<T>): Promise<T> {
    const lease = { ...owner, token: randomUUID() };
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      if (await this.leases.acquire(lease, RENDITION_LOCK_SECONDS)) return this.holding(lease, making);
      await delay(pauseMs);
      const found = await making.find();
      if (found !== null) return found;
    }
  }

  private async holding<T>(lease: RenditionLease, { find, make }: Making<T>): Promise<T> {
    const extend = () => void this.leases.extend(lease, RENDITION_LOCK_SECONDS).catch(untilNextTime);
    const timer = setInterval(extend, (RENDITION_LOCK_SECONDS * SECOND) / 3);
    try {
      // It may have been made since it was last looked for.
      return (await find()) ?? (await make());
    } finally {
      clearInterval(timer);
      // The result is valid regardless, and the lease expires.
      await this.leases.release(lease).catch(untilNextTime);
    }
  }
}

const untilNextTime = (): void => undefined;
