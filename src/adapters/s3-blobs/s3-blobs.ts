import type { BlobStoreKind, SettingsReader } from '../../core/blobs/blob-store-kind.js';
import type { S3Config, S3Settings } from './s3-client.js';

/** Objects in a bucket of any server that speaks the protocol of S3. */
export const s3Blobs: BlobStoreKind<S3Config> = {
  kind: 's3',
  prefix: 'S3_',
  shownSettings: ['S3_FORCE_PATH_STYLE'],
  verifiesItself: true,
  advice: 'Check S3_* and the permissions of the account; the bucket must exist.',
  urlForm: 's3://BUCKET',
  settings: (read) => ({
    ...readPlace(read),
    bucket: read.needed('S3_BUCKET', 'BLOB_STORE is s3'),
    publicEndpoint: read.url('S3_PUBLIC_ENDPOINT', ['http:', 'https:']),
  }),
  fromUrl: (url, read) =>
    url.protocol === 's3:' && url.host !== '' && /^\/?$/.test(url.pathname)
      ? { ...readPlace(read), bucket: url.host, publicEndpoint: null }
      : null,
  describe: ({ bucket }) => `the bucket ${bucket}`,
  async open(settings, { maxFileBytes }) {
    // Loaded only when used: the SDK takes a fifth of a second to load, and 25 MB.
    const { openS3 } = await import('./open-s3.js');
    return openS3(settings, maxFileBytes);
  },
};

/** The location of a bucket, without its name. */
function readPlace(read: SettingsReader): Omit<S3Settings, 'bucket'> {
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
