import { HeadBucketCommand, HeadObjectCommand, type HeadObjectCommandOutput, type S3Client } from '@aws-sdk/client-s3';
import { openS3Client, type S3Settings, type S3Timeouts, patience as usualPatience } from './s3-client.js';
import { onStore, statusOf } from './s3-errors.js';

/** Sizes in bytes. */
export interface PartSizes {
  /** Size of a part, which is also held in memory. S3 accepts 5 MiB to 5 GiB, and 10,000 parts per object. */
  readonly sent: number;
  /** What the store copies per call: one call must end before the store is considered dead. */
  readonly copied: number;
}

const MIB = 1024 ** 2;
const MAX_PARTS = 10_000;

/** For blobs of up to `maxBytes`. All parts of a blob except the last have the same size, which some stores require. */
export function partsFor(maxBytes: number): PartSizes {
  const least = Math.ceil(maxBytes / MAX_PARTS);
  return { sent: Math.max(8 * MIB, least), copied: Math.max(64 * MIB, least) };
}

type Call<T> = (client: S3Client, options: { abortSignal: AbortSignal }) => Promise<T>;

/** One bucket, and how calls to it are made. */
export class S3Bucket {
  private readonly client: S3Client;
  readonly name: string;
  readonly patience: S3Timeouts;
  readonly parts: PartSizes;

  constructor(settings: S3Settings, options: { readonly patience?: S3Timeouts; readonly parts?: PartSizes } = {}) {
    this.patience = options.patience ?? usualPatience;
    this.parts = options.parts ?? partsFor(0);
    this.client = openS3Client(settings, this.patience);
    this.name = settings.bucket;
  }

  /**
   * Makes a call with a deadline for the head of its response; errors are those of the SDK. A body that follows has its own timeout. `call`
   * gets the client and the options to send with.
   */
  call<T>(call: Call<T>): Promise<T> {
    return this.within(this.patience.call, call);
  }

  /** The same for a call that sends bytes, which may take long as long as they make progress. */
  send<T>(call: Call<T>): Promise<T> {
    return this.within(this.patience.sending, call);
  }

  private async within<T>(milliseconds: number, call: Call<T>): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), milliseconds);
    try {
      return await call(this.client, { abortSignal: late.signal });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Null when the object is absent. Errors: `service_unavailable`. */
  head(key: string): Promise<HeadObjectCommandOutput | null> {
    return onStore(async () => {
      try {
        return await this.call((client, options) =>
          client.send(new HeadObjectCommand({ Bucket: this.name, Key: key }), options),
        );
      } catch (error) {
        if (statusOf(error) !== 404) throw error;
        // A response to HEAD has no body that would distinguish a missing object from a missing bucket.
        await this.call((client, options) => client.send(new HeadBucketCommand({ Bucket: this.name }), options));
        return null;
      }
    });
  }

  close(): void {
    this.client.destroy();
  }
}
