import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { BlobKey } from '../../core/blobs/blob-key.js';
import type { BlobInfo } from '../../core/blobs/blob-store.js';
import type { Photo } from '../../core/photos/photo.js';
import type { RenditionMaking } from '../../core/photos/renditions/make.js';
import type { Rendition, RenditionMaker } from '../../core/photos/renditions/rendition.js';
import { type Clock, MINUTE, SECOND } from '../../core/shared/clock.js';
import { notFound } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { setNewest } from '../shared-work.js';

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

/** So long a process that died while it made a rendition prevents others from making it, by the clock of the leases. */
export const LEASE_SECONDS = 10;
/** Between two looks at what another process makes: most pictures take a tenth of a second, some take many. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [25, 400];

/**
 * Requests of one process share what it makes; of all processes, the one with the lease makes it. A process extends its lease as long as it
 * works. One that cannot extend it may end up making a rendition beside another, which is harmless. Who waits for another process looks for the
 * result periodically, and holds no connection in between. A process has one of these.
 */
export class SharedRenditionMaker implements RenditionMaker {
  private readonly underWay = new Map<BlobKey, Promise<BlobInfo>>();
  private readonly failed: FailedRenditions;

  constructor(
    private readonly making: RenditionMaking,
    private readonly leases: RenditionLeases,
    clock: Clock,
  ) {
    this.failed = new FailedRenditions(clock);
  }

  make(photo: Photo, rendition: Rendition, onStart: () => void = () => undefined): Promise<BlobInfo> {
    const { key } = rendition;
    const making =
      this.underWay.get(key) ?? this.findOrMake(photo, rendition, onStart).finally(() => this.underWay.delete(key));
    this.underWay.set(key, making);
    return making;
  }

  private async findOrMake(photo: Photo, rendition: Rendition, onStart: () => void): Promise<BlobInfo> {
    if (this.failed.has(photo, rendition)) throw notFound('rendition');
    const { key } = rendition;
    const find = () => this.making.find(photo, rendition);
    const lease = { customerId: photo.customerId, key, token: randomUUID() };
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      if (await this.leases.acquire(lease, LEASE_SECONDS)) {
        // It may have been made since it was last looked for.
        return this.holding(lease, async () => {
          const found = await find();
          if (found !== null) return found;
          onStart();
          const made = await this.making.make(photo, rendition);
          if (made !== null) return made;
          this.failed.add(photo, rendition);
          throw notFound('rendition');
        });
      }
      await delay(pauseMs);
      const found = await find();
      if (found !== null) return found;
    }
  }

  private async holding<T>(lease: RenditionLease, work: () => Promise<T>): Promise<T> {
    const extend = () => void this.leases.extend(lease, LEASE_SECONDS).catch(untilNextTime);
    const timer = setInterval(extend, (LEASE_SECONDS * SECOND) / 3);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      // The result is valid regardless, and the lease expires.
      await this.leases.release(lease).catch(untilNextTime);
    }
  }
}

const untilNextTime = (): void => undefined;

/** So long a rendition that cannot be made is not attempted again. */
export const FAILURE_MINUTES = 10;
/** Half a mebibyte of names. */
export const MAX_FAILURES = 4096;

/**
 * Renditions that could not be made, and not because something was unavailable: every attempt costs a decoder for as long as it may run. Only
 * the latest are remembered.
 */
export class FailedRenditions {
  /** When each failed, oldest first. */
  private readonly failedAt = new Map<string, Date>();

  constructor(private readonly clock: Clock) {}

  has(photo: Photo, rendition: Rendition): boolean {
    const name = nameOf(photo, rendition);
    const failedAt = this.failedAt.get(name);
    if (failedAt === undefined) return false;
    const age = this.clock.now().getTime() - failedAt.getTime();
    // A clock that was set back must not prolong it.
    if (age >= 0 && age < FAILURE_MINUTES * MINUTE) return true;
    this.failedAt.delete(name);
    return false;
  }

  add(photo: Photo, rendition: Rendition): void {
    setNewest(this.failedAt, nameOf(photo, rendition), this.clock.now(), MAX_FAILURES);
  }
}

/** A key says how the picture is made. A photo whose original was replaced, or that was edited, is worth another attempt. */
function nameOf({ version }: Photo, { key }: Rendition): string {
  return `${version} ${key}`;
}
