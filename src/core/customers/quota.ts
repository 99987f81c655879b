import { DomainError, type ItemError } from '../shared/errors.js';
import type { Transaction } from '../shared/transactional.js';
import type { QuotaUse } from './customer-repository.js';

const quotas = ['photos', 'storageBytes'] as const;
type Quota = (typeof quotas)[number];

/**
 * The rest of a customer's quota, for the photos of one request, reserved one by one. What counts is `quotaUse` (customer-repository.ts). Of files that
 * are registered, those beyond it are rejected, and all only if none fits (imports/register/register.ts); an edit of an item is refused
 * (imports/edit-item.ts); a file that is fetched fails (imports/fetch/fetch.ts). Publishing does not ask again.
 */
export class QuotaReservation {
  private readonly reserved: Record<Quota, number> = { photos: 0, storageBytes: 0 };
  private readonly refused: Record<Quota, number> = { photos: 0, storageBytes: 0 };
  private firstRefused: Quota | null = null;

  private constructor(
    private readonly limits: Readonly<Record<Quota, number | null>>,
    private readonly used: QuotaUse,
  ) {}

  /**
   * If the customer has a quota, it is locked until the transaction ends, so that two requests cannot reserve the same bytes: call this
   * before anything else is locked. A customer without a quota waits for no other transaction.
   */
  static async begin(transaction: Transaction<'customer' | 'usage'>): Promise<QuotaReservation> {
    const seen = await transaction.customer.read();
    if (seen.photosLimit === null && seen.storageBytesLimit === null)
      return new QuotaReservation({ photos: null, storageBytes: null }, { photos: 0, storageBytes: 0 });
    const { photosLimit, storageBytesLimit } = await transaction.customer.lock();
    const limits = { photos: photosLimit, storageBytes: storageBytesLimit };
    return new QuotaReservation(limits, await transaction.usage.quotaUse());
  }

  /** Reserves the space; otherwise returns the reason and reserves nothing. A negative size releases space. */
  tryReserve(more: QuotaUse): ItemError | null {
    const full = quotas.find((quota) => more[quota] > Math.max(0, this.remaining(quota)));
    const into = full === undefined ? this.reserved : this.refused;
    for (const quota of quotas) into[quota] += more[quota];
    if (full === undefined) return null;
    this.firstRefused ??= full;
    return { code: 'quota_exceeded', message: messages[full] };
  }

  /** Reserves space for the only photo of a request. Errors: `quota_exceeded`. */
  reserve(more: QuotaUse): void {
    if (this.tryReserve(more) !== null) throw this.exceededError();
  }

  /** The error of a request of which nothing fits. */
  exceededError(): DomainError {
    const quota = this.firstRefused ?? 'photos';
    return new DomainError('quota_exceeded', messages[quota], {
      quota,
      limit: this.limits[quota],
      used: this.used[quota],
      requested: this.refused[quota],
    });
  }

  private remaining(quota: Quota): number {
    const limit = this.limits[quota];
    return limit === null ? Number.POSITIVE_INFINITY : limit - this.used[quota] - this.reserved[quota];
  }
}

const advice = 'Permanently delete photos, or ask the operator for a larger quota.';
const messages: Readonly<Record<Quota, string>> = {
  photos: `The photo quota of this account is exceeded. ${advice}`,
  storageBytes: `The storage quota of this account is exceeded. ${advice}`,
};
