import { DAY } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import {
  dayOf,
  type HourCount,
  hourOf,
  MAX_LISTED_FAILURES,
  type PictureCount,
  type RequestCount,
  type RequestFailure,
  type Tally,
  type TransferCount,
} from './traffic.js';

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
    const day = this.dayOf(at);
    this.counts.add({ customerId, apiKeyId, day, requests, limited, failed });
    this.hours.add({ customerId, apiKeyId, day, hour: hourOf(at), requests, limited, failed });
    // Requests over a limit come by the hundred: they are counted, and would otherwise displace everything else here.
    if (code !== null && !isLimited) this.keep({ ...request, code });
  }

  notePicture({ customerId, deliveryKeyId, bytes, at, isNew }: SentPicture): void {
    this.pictures.add({ customerId, deliveryKeyId, day: this.dayOf(at), requests: 1, bytes, made: Number(isNew) });
  }

  noteTransfer({ customerId, channel, receivedBytes, sentBytes, at }: Transfer): void {
    this.transfers.add({ customerId, channel, day: this.dayOf(at), receivedBytes, sentBytes });
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
  private dayOf(at: Date): string {
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
