import { randomUUID } from 'node:crypto';
import {
  type $Command,
  HeadBucketCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  S3Client,
  type S3ClientResolvedConfig,
  S3ServiceException,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from '@aws-sdk/client-s3';
import type { BlobInfo } from '../../core/blobs/blob-store.js';
import {
  MAX_SOCKETS,
  onStore,
  type StoreTimeouts,
  storeOutage,
  usualPatience,
  withDeadline,
} from '../remote-blobs/outage.js';
import type { PartSizes } from '../remote-blobs/remote-blob-store.js';

/** Where the objects are, and the credentials. */
export interface S3Settings {
  /** Null: Amazon's own, by region. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  /** Null: what the AWS environment provides (its variables, files, the role of the machine). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** The bucket in the path instead of in the host name, as most servers except Amazon's need it. */
  readonly forcePathStyle: boolean;
}

export interface S3Config extends S3Settings {
  /** Where clients reach the store and send bytes to; null: they send them to this service. */
  readonly publicEndpoint: string | null;
}

export function openS3Client(
  settings: S3Settings,
  { connect, silence, attempts }: StoreTimeouts = usualPatience,
): S3Client {
  // The Node version is our choice, and of no interest to the operator.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  return new S3Client({
    region: settings.region,
    forcePathStyle: settings.forcePathStyle,
    ...(settings.endpoint !== null && { endpoint: settings.endpoint }),
    ...(settings.credentials !== null && { credentials: settings.credentials }),
    maxAttempts: attempts,
    requestHandler: {
      connectionTimeout: connect,
      socketTimeout: silence,
      httpAgent: { maxSockets: MAX_SOCKETS, keepAlive: true },
      httpsAgent: { maxSockets: MAX_SOCKETS, keepAlive: true },
    },
    // The hash of every body is signed anyway. Many servers do not know newer checksums, and refuse or ignore them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Bodies are in memory and can be sent again: there is no benefit in asking first.
    expectContinueHeader: false,
  });
}

const MIB = 1024 ** 2;
const MAX_PARTS = 10_000;

/** For blobs of up to `maxBytes`. S3 accepts parts of 5 MiB to 5 GiB, and 10,000 of them per object. All parts of a blob except the last have the same size, which some stores require. */
export function partsFor(maxBytes: number): PartSizes {
  const least = Math.ceil(maxBytes / MAX_PARTS);
  return { sent: Math.max(8 * MIB, least), copied: Math.max(64 * MIB, least) };
}

/** One bucket, and how calls to it are made. */
export class S3Bucket {
  private readonly client: S3Client;
  readonly name: string;
  readonly patience: StoreTimeouts;
  readonly parts: PartSizes;

  constructor(settings: S3Settings, options: { readonly patience?: StoreTimeouts; readonly parts?: PartSizes } = {}) {
    this.patience = options.patience ?? usualPatience;
    this.parts = options.parts ?? partsFor(0);
    this.client = openS3Client(settings, this.patience);
    this.name = settings.bucket;
  }

  /** Makes a call with a deadline for the head of its response; errors are those of the SDK. A body that follows has its own timeout. */
  call<I extends ServiceInputTypes, O extends ServiceOutputTypes>(
    command: $Command<I, O, S3ClientResolvedConfig>,
    milliseconds = this.patience.call,
  ): Promise<O> {
    return withDeadline(milliseconds, (abortSignal) => this.client.send(command, { abortSignal }));
  }

  /** The same for a call that sends bytes, which may take long as long as they make progress. */
  send<I extends ServiceInputTypes, O extends ServiceOutputTypes>(command: $Command<I, O, S3ClientResolvedConfig>) {
    return this.call(command, this.patience.sending);
  }

  /** Null when the object is absent. Errors: `service_unavailable`. */
  head(key: string): Promise<HeadObjectCommandOutput | null> {
    return onStore(async () => {
      try {
        return await this.call(new HeadObjectCommand({ Bucket: this.name, Key: key }));
      } catch (error) {
        if (statusOf(error) !== 404) throw error;
        // A response to HEAD has no body that would distinguish a missing object from a missing bucket.
        await this.call(new HeadBucketCommand({ Bucket: this.name }));
        return null;
      }
    });
  }

  close(): void {
    this.client.destroy();
  }
}

/** The store's error code (`NoSuchKey`); null when it sent none, or a response that is not S3's. */
export function refusalOf(error: unknown): string | null {
  return error instanceof S3ServiceException ? error.name : null;
}

export function statusOf(error: unknown): number | null {
  return error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? null) : null;
}

/**
 * The S3 metadata of every object that this service writes. `write` identifies the write: an ETag of S3 depends on the bytes only, so that
 * the same bytes written again would look unchanged. `sha256` is present if it was known before the first byte was sent.
 */
export interface Marks extends Record<string, string> {
  readonly write: string;
}

export function newMarks(sha256: string | null): Marks {
  return { write: randomUUID(), ...(sha256 !== null && { sha256 }) };
}

type Described = Pick<HeadObjectCommandOutput, 'ETag' | 'LastModified' | 'Metadata'>;

/** 64 hex digits, or null for an object without it. */
export function sha256Of({ Metadata }: Described): string | null {
  return Metadata?.['sha256'] ?? null;
}

/** An object that a client put through a signed address has no such metadata: its ETag and the second of its write are used instead. */
export function infoOf({ ETag, LastModified, Metadata }: Described, sizeBytes: number | undefined): BlobInfo {
  if (ETag === undefined || sizeBytes === undefined) {
    throw storeOutage(new Error('The store did not return the ETag or length of an object.'));
  }
  return { sizeBytes, etag: Metadata?.['write'] ?? `${ETag}@${LastModified?.getTime()}` };
}
