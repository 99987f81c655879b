import { S3Client } from '@aws-sdk/client-s3';

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

/** How long a store may be silent, in milliseconds. */
export interface S3Timeouts {
  readonly connect: number;
  /** Without a byte in either direction: the attempt has failed. */
  readonly silence: number;
  /** For a call with all its attempts, up to the head of the response. */
  readonly call: number;
  /** The same for one that sends a part of a blob. */
  readonly sending: number;
  readonly attempts: number;
}

/** A store that hangs is given up after three timeouts and the pauses between them: within 60 s. */
export const patience: S3Timeouts = { connect: 5_000, silence: 15_000, call: 50_000, sending: 600_000, attempts: 3 };

/** More than the concurrent uploads and downloads of a process. */
const MAX_SOCKETS = 200;

export function openS3Client(settings: S3Settings, { connect, silence, attempts }: S3Timeouts = patience): S3Client {
  quietVersionWarning();
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

/** The Node version is our choice, and of no interest to the operator. */
function quietVersionWarning(): void {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
}
