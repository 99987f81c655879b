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

/** The days in the report, oldest first. */
export function trafficDays(now: Date): readonly string[] {
  return Array.from({ length: TRAFFIC_DAYS }, (_, at) => dayOf(after(now, (at + 1 - TRAFFIC_DAYS) * DAY)));
}

/** A request that has ended. */
export interface EndedRequest extends Omit<RequestFailure, 'code'> {
  /** The error code of a refusal; null when it was not refused. */
  readonly code: RequestFailure['code'] | null;
}

/** A picture that was sent to anyone who had its address. */
export interface SentPicture extends Pick<PictureCount, 'customerId' | 'deliveryKeyId' | 'bytes'> {
  readonly at: Date;
  /** It had to be made first. */
  readonly isNew: boolean;
}

/** The bytes of a request and its response, which has ended. */
export interface Transfer extends Omit<TransferCount, 'day'> {
  readonly at: Date;
}

/**
 * Counts the requests of one process until they are written. Its memory is limited by the number of keys in use and hours: for each customer
 * it stores the newest failures, as the store does.
 */
export class TrafficCounter {
  private readonly counts = new Sums<RequestCount>(
    ({ apiKeyId, day }) => `${apiKeyId} ${day}`,
    ['requests', 'limited', 'failed'],
  );
  private readonly hours = new Sums<HourCount>(
    ({ apiKeyId, day, hour }) => `${apiKeyId} ${day} ${hour}`,
    ['requests', 'limited', 'failed'],
  );
  private readonly pictures = new Sums<PictureCount>(
    ({ deliveryKeyId, day }) => `${deliveryKeyId} ${day}`,
    ['requests', 'bytes', 'made'],
  );
  private readonly transfers = new Sums<TransferCount>(
    ({ customerId, channel, day }) => `${customerId} ${channel} ${day}`,
    ['receivedBytes', 'sentBytes'],
  );
  private failures = new Map<Id, RequestFailure[]>();
  private latestDay = { number: Number.NaN, text: '' };

  note({ code, ...request }: EndedRequest): void {
    const isLimited = code === 'rate_limited';
    const [requests, limited, failed] = [1, Number(isLimited), Number(code !== null && !isLimited)];
    const { customerId, apiKeyId, at } = request;
    const day = this.cachedDayOf(at);
    this.counts.add({ customerId, apiKeyId, day, requests, limited, failed });
    this.hours.add({ customerId, apiKeyId, day, hour: at.getUTCHours(), requests, limited, failed });
    // Requests over a limit come by the hundred: they are counted, and would otherwise displace everything else here.
    if (code !== null && !isLimited) this.keep({ ...request, code });
  }

  notePicture({ customerId, deliveryKeyId, bytes, at, isNew }: SentPicture): void {
    this.pictures.add({
      customerId,
      deliveryKeyId,
      day: this.cachedDayOf(at),
      requests: 1,
      bytes,
      made: Number(isNew),
    });
  }

  noteTransfer({ customerId, channel, receivedBytes, sentBytes, at }: Transfer): void {
    this.transfers.add({ customerId, channel, day: this.cachedDayOf(at), receivedBytes, sentBytes });
  }

  /** Returns what was counted since the last call. */
  take(): Tally | null {
    if (this.counts.isEmpty && this.pictures.isEmpty && this.transfers.isEmpty) return null;
    const tally = {
      counts: this.counts.take(),
      hours: this.hours.take(),
      failures: [...this.failures.values()].flat(),
      pictures: this.pictures.take(),
      transfers: this.transfers.take(),
    };
    this.failures = new Map();
    return tally;
  }

  /** Counts again what could not be written. */
  putBack({ counts, hours, failures, pictures, transfers }: Tally): void {
    for (const count of counts) this.counts.add(count);
    for (const count of hours) this.hours.add(count);
    for (const count of pictures) this.pictures.add(count);
    for (const count of transfers) this.transfers.add(count);
    const since = this.failures;
    this.failures = new Map();
    for (const failure of [...failures, ...[...since.values()].flat()]) this.keep(failure);
  }

  /** Nearly all are of the same day as the one before; writing its date takes longer than counting. */
  private cachedDayOf(at: Date): string {
    const number = Math.floor(at.getTime() / DAY);
    if (number !== this.latestDay.number) this.latestDay = { number, text: dayOf(at) };
    return this.latestDay.text;
  }

  private keep(failure: RequestFailure): void {
    const kept = this.failures.get(failure.customerId) ?? [];
    kept.push(failure);
    if (kept.length > MAX_LISTED_FAILURES) kept.shift();
    this.failures.set(failure.customerId, kept);
  }
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

/** Counts of the same things, added up. */
class Sums<Count extends object> {
  private sums = new Map<string, Count>();

  /**
   * @param keyOf What a count is of.
   * @param figures What is added up.
   */
  constructor(
    private readonly keyOf: (count: Count) => string,
    private readonly figures: readonly FigureOf<Count>[],
  ) {}

  get isEmpty(): boolean {
    return this.sums.size === 0;
  }

  add(count: Count): void {
    const key = this.keyOf(count);
    const sum = this.sums.get(key) as Record<FigureOf<Count>, number> | undefined;
    if (sum === undefined) this.sums.set(key, { ...count });
    else for (const figure of this.figures) sum[figure] += count[figure] as number;
  }

  /** The sums since the last call. */
  take(): Count[] {
    const taken = [...this.sums.values()];
    this.sums = new Map();
    return taken;
  }
}

type FigureOf<Count> = { [Name in keyof Count]: Count[Name] extends number ? Name : never }[keyof Count];

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
