import type { EnvironmentReader } from './environment-reader.js';

export interface S3Config {
  /** Null: Amazon's own, by region. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  /** Null: what the AWS environment provides (its variables, files, the role of the machine). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  readonly forcePathStyle: boolean;
  /** Where clients reach the store and send bytes to; null: they send them to this service. */
  readonly publicEndpoint: string | null;
}

/** The location of a bucket: everything except its name, which may be given in another way. */
export type S3Place = Omit<S3Config, 'bucket' | 'publicEndpoint'>;

export function readS3(read: EnvironmentReader): S3Config {
  return {
    ...readS3Location(read),
    bucket: read.needed('S3_BUCKET', 'BLOB_STORE is s3'),
    publicEndpoint: read.url('S3_PUBLIC_ENDPOINT', ['http:', 'https:']),
  };
}

export function readS3Location(read: EnvironmentReader): S3Place {
  const endpoint = read.url('S3_ENDPOINT', ['http:', 'https:']);
  const [id, secret] = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
  const isNamed = read.has(id) || read.has(secret);
  return {
    endpoint,
    region: read.text('S3_REGION', 'us-east-1'),
    credentials: isNamed
      ? { accessKeyId: read.needed(id, `${secret} is set`), secretAccessKey: read.needed(secret, `${id} is set`) }
      : null,
    forcePathStyle: read.yesOrNo('S3_FORCE_PATH_STYLE', endpoint !== null),
  };
}
