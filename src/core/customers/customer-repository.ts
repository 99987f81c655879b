import type { Customer, CustomerUsage, PhotoTotals } from './customer.js';

/** The bound customer itself. */
export interface CustomerReads {
  /** Errors: `not_found` when the customer does not exist. */
  read(): Promise<Customer>;
}

export interface CustomerRepository extends CustomerReads {
  /** Reads the customer and locks it until the transaction ends; taken before every other lock. Errors: `not_found`. */
  lock(): Promise<Customer>;
  /** Stores every value of the customer, which must be locked. */
  update(customer: Customer): Promise<void>;
}

/** The amounts that count against a customer's quota. */
export interface QuotaUse {
  readonly photos: number;
  readonly storageBytes: number;
}

/** The usage of the bound customer, in numbers. */
export interface UsageReads {
  read(): Promise<CustomerUsage>;
  /**
   * The totals of `read`, and the same counted from the committed photos, in one snapshot. Takes time proportional to the number of photos.
   */
  photoTotals(): Promise<{ readonly stored: PhotoTotals; readonly counted: PhotoTotals }>;
  /**
   * Returns what counts against the quota, in one snapshot: every photo, in the trash or not, and, for every item that may still become one
   * (`reservingStatuses`), a photo of its declared size. Checked by `QuotaReservation` (quota.ts), before registering, editing and fetching.
   */
  quotaUse(): Promise<QuotaUse>;
}

export interface UsageRepository extends UsageReads {
  /** Recounts the totals from the committed photos. The customer must be locked. */
  recountPhotos(): Promise<void>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly customer: CustomerReads;
    readonly usage: UsageReads;
  }
  interface Repositories {
    readonly customer: CustomerRepository;
    readonly usage: UsageRepository;
  }
}
