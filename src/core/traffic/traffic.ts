import { after, DAY } from '../shared/clock.js';
import type { ErrorCode } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';

/** The requests of one key on one day. */
export interface RequestCount {
  readonly customerId: Id;
  readonly apiKeyId: Id;
  /** A day of UTC, `2026-11-21`. */
  readonly day: string;
  readonly requests: number;
  /** Number of them that were refused because the budget was used up. */
  readonly limited: number;
  /** Number of them that were refused for another reason, or failed. */
  readonly failed: number;
}

/** The requests of one key in one hour. */
export interface HourCount extends RequestCount {
  /** 0 to 23, of the day in UTC. */
  readonly hour: number;
}

/** The pictures that the addresses of one delivery key showed on one day. */
export interface PictureCount {
  readonly customerId: Id;
  readonly deliveryKeyId: Id;
  /** A day of UTC. */
  readonly day: string;
  readonly requests: number;
  /** That were sent. */
  readonly bytes: number;
  /** Number of requests whose picture had to be made first. */
  readonly made: number;
}

/**
 * The ways between an account and its clients: requests with API keys, signed URLs of uploads and renditions, delivered pictures, shares
 * with their visitors, and the settings area.
 */
export const channels = ['api', 'signed_urls', 'images', 'shares', 'settings'] as const;

export type Channel = (typeof channels)[number];

/** The bytes of one channel of a customer on one day, as connections carried them: more than the bodies, which may be compressed. */
export interface TransferCount {
  readonly customerId: Id;
  /** The day of UTC on which a request ended. */
  readonly day: string;
  readonly channel: Channel;
  /** Bytes of requests, those that were refused included. */
  readonly receivedBytes: number;
  /** Bytes of responses. */
  readonly sentBytes: number;
}

/** The amount that a customer had stored when it was last counted on a day, the trash included. */
export interface StorageCount {
  readonly customerId: Id;
  /** A day of UTC. */
  readonly day: string;
  readonly photos: number;
  /** Bytes of originals. */
  readonly storageBytes: number;
  /** Bytes of renditions and delivered pictures. */
  readonly renditionBytes: number;
}

/** One request that was refused or failed. It contains no secrets: no query, no body, the route by its template. */
export interface RequestFailure {
  readonly customerId: Id;
  readonly apiKeyId: Id;
  readonly requestId: string;
  readonly at: Date;
  readonly method: string;
  /** The template of its path; null if there is none. */
  readonly route: string | null;
  readonly status: number;
  readonly code: ErrorCode;
}

/** Days that are reported and stored, including today. */
export const TRAFFIC_DAYS = 30;
/** Number of failures stored per customer: the newest. */
export const MAX_LISTED_FAILURES = 100;

export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** The hour of its day in UTC. */
export function hourOf(at: Date): number {
  return at.getUTCHours();
}

/** The days in the report, oldest first. */
export function trafficDays(now: Date): readonly string[] {
  return Array.from({ length: TRAFFIC_DAYS }, (_, at) => dayOf(after(now, (at + 1 - TRAFFIC_DAYS) * DAY)));
}

/** Counted, and not yet written. */
export interface Tally {
  readonly counts: readonly RequestCount[];
  /** The same requests, by hour. */
  readonly hours: readonly HourCount[];
  readonly failures: readonly RequestFailure[];
  readonly pictures: readonly PictureCount[];
  readonly transfers: readonly TransferCount[];
}

/** For the bound customer. */
export interface TrafficReads {
  /** From this day on, by day, then by key. */
  counts(fromDay: string): Promise<readonly RequestCount[]>;
  /** Returns the counts of this day, by hour, then by key. Hours of earlier days may be deleted. */
  hours(day: string): Promise<readonly HourCount[]>;
  /** Newest first, at most `MAX_LISTED_FAILURES`. */
  failures(): Promise<readonly RequestFailure[]>;
  /** From this day on, by day, then by delivery key. Keys that were deleted since are among them. */
  pictures(fromDay: string): Promise<readonly PictureCount[]>;
  /** From this day on, by day, then by the name of the channel. */
  transfers(fromDay: string): Promise<readonly TransferCount[]>;
  /** From this day on, by day: those on which it was counted. */
  storage(fromDay: string): Promise<readonly StorageCount[]>;
}

/** The requests of the keys, the pictures of the delivery keys, what was transferred, and what is stored, of all customers. */
export interface TrafficStore {
  /**
   * Adds to the stored counts, all or nothing; any number of processes may do so. A key that does not exist is ignored, and so
   * is a customer; a delivery key may have been deleted since. The newest `MAX_LISTED_FAILURES` failures of each customer are retained.
   */
  add(tally: Tally): Promise<void>;
  /** Counts what each customer has stored now, as of this day; an earlier count of the same day is replaced. */
  countStorage(day: string): Promise<void>;
  /** Deletes the days before this one, and failures from before it. */
  sweep(beforeDay: string): Promise<void>;
  /** Deletes the hours of days before this one; their days stay. */
  sweepHours(beforeDay: string): Promise<void>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly traffic: TrafficReads;
  }
  interface Repositories {
    readonly traffic: TrafficReads;
  }
}
