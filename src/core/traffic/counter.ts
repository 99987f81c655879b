import type { Id } from '../shared/ids.js';
import { type HourCount, hourOf } from './request-hours.js';
import {
  dayOf,
  MAX_FAILURES,
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
  /** It used a deprecated part of the API. */
  readonly isDeprecated: boolean;
}

/** A picture that was sent to whoever had its address. */
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
  private counts = new Map<string, RequestCount>();
  private hours = new Map<string, HourCount>();
  private failures = new Map<Id, RequestFailure[]>();
  private pictures = new Map<string, PictureCount>();
  private transfers = new Map<string, TransferCount>();

  note({ code, isDeprecated, ...request }: EndedRequest): void {
    const isLimited = code === 'rate_limited';
    const [requests, limited, failed] = [1, Number(isLimited), Number(code !== null && !isLimited)];
    const { customerId, apiKeyId, at } = request;
    const count = { customerId, apiKeyId, day: dayOf(at), requests, limited, failed };
    this.add({ ...count, deprecated: Number(isDeprecated) });
    this.addHour({ ...count, hour: hourOf(at) });
    // Requests over a limit come by the hundred: they are counted, and would otherwise displace everything else here.
    if (code !== null && !isLimited) this.keep({ ...request, code });
  }

  notePicture({ customerId, deliveryKeyId, bytes, at, isNew }: SentPicture): void {
    this.addPicture({ customerId, deliveryKeyId, day: dayOf(at), requests: 1, bytes, made: Number(isNew) });
  }

  noteTransfer({ at, ...transfer }: Transfer): void {
    this.addTransfer({ ...transfer, day: dayOf(at) });
  }

  /** What was counted since the last call. */
  take(): Tally | null {
    if (this.counts.size === 0 && this.pictures.size === 0 && this.transfers.size === 0) return null;
    const tally = {
      counts: [...this.counts.values()],
      hours: [...this.hours.values()],
      failures: [...this.failures.values()].flat(),
      pictures: [...this.pictures.values()],
      transfers: [...this.transfers.values()],
    };
    this.counts = new Map();
    this.hours = new Map();
    this.failures = new Map();
    this.pictures = new Map();
    this.transfers = new Map();
    return tally;
  }

  /** What could not be written is counted again. */
  putBack({ counts, hours, failures, pictures, transfers }: Tally): void {
    for (const count of counts) this.add(count);
    for (const count of hours) this.addHour(count);
    for (const count of pictures) this.addPicture(count);
    for (const count of transfers) this.addTransfer(count);
    const since = this.failures;
    this.failures = new Map();
    for (const failure of [...failures, ...[...since.values()].flat()]) this.keep(failure);
  }

  private add(count: RequestCount): void {
    const key = `${count.apiKeyId} ${count.day}`;
    const before = this.counts.get(key) ?? { requests: 0, limited: 0, failed: 0, deprecated: 0 };
    this.counts.set(key, {
      ...count,
      requests: before.requests + count.requests,
      limited: before.limited + count.limited,
      failed: before.failed + count.failed,
      deprecated: before.deprecated + count.deprecated,
    });
  }

  private addHour(count: HourCount): void {
    const key = `${count.apiKeyId} ${count.day} ${count.hour}`;
    const before = this.hours.get(key) ?? { requests: 0, limited: 0, failed: 0 };
    this.hours.set(key, {
      ...count,
      requests: before.requests + count.requests,
      limited: before.limited + count.limited,
      failed: before.failed + count.failed,
    });
  }

  private addPicture(count: PictureCount): void {
    const key = `${count.deliveryKeyId} ${count.day}`;
    const before = this.pictures.get(key) ?? { requests: 0, bytes: 0, made: 0 };
    this.pictures.set(key, {
      ...count,
      requests: before.requests + count.requests,
      bytes: before.bytes + count.bytes,
      made: before.made + count.made,
    });
  }

  private addTransfer(count: TransferCount): void {
    const key = `${count.customerId} ${count.channel} ${count.day}`;
    const before = this.transfers.get(key) ?? { receivedBytes: 0, sentBytes: 0 };
    this.transfers.set(key, {
      ...count,
      receivedBytes: before.receivedBytes + count.receivedBytes,
      sentBytes: before.sentBytes + count.sentBytes,
    });
  }

  private keep(failure: RequestFailure): void {
    const kept = this.failures.get(failure.customerId) ?? [];
    kept.push(failure);
    if (kept.length > MAX_FAILURES) kept.shift();
    this.failures.set(failure.customerId, kept);
  }
}
