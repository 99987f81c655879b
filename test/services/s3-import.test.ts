import { PutObjectCommand } from '@aws-sdk/client-s3';
import { type S3Settings as ImportSettings, s3Source } from '../../cli/src/sources/s3-source.js';
import { sidecarText } from '../../cli/src/xmp/sidecar.js';
import { openS3Client, type S3Settings } from '../../src/adapters/s3-blobs/s3-client.js';
import { picture } from '../api/support/photos.js';
import { bytesOf, itemsOf, photoSourceContract, photosOf } from '../cli/sources/source-contract.js';
import { type Gateway, sharedGateway } from './support/gateway.js';

let gateway: Gateway;
let settings: S3Settings;
beforeAll(async () => {
  gateway = await sharedGateway();
});
beforeEach(async () => {
  settings = await gateway.bucket();
});

/** Pictures where nothing else is given. */
async function put(objects: Readonly<Record<string, string | null>>): Promise<void> {
  const client = openS3Client(settings);
  for (const [Key, content] of Object.entries(objects))
    await client.send(new PutObjectCommand({ Bucket: settings.bucket, Key, Body: content ?? picture(Key) }));
  client.destroy();
}

/** The bucket, or another place of the same server. */
const source = (
  prefix = '',
  other: Partial<ImportSettings> = {},
  place = `s3://${settings.bucket}/${prefix}`,
  exclude: readonly string[] = [],
) => {
  const { endpoint, region, credentials } = settings;
  const found = { endpoint: endpoint ?? undefined, region, sessionToken: undefined };
  return s3Source(
    place,
    { ...found, ...(credentials as NonNullable<typeof credentials>), ...other },
    { sidecars: true, exclude },
  );
};

const described = {
  description: null,
  rating: 3,
  favorite: true,
  creator: 'Ada Lovelace',
  copyright: null,
  takenAt: null,
  takenAtLocal: null,
  location: null,
  tags: [],
  metadata: {},
};

describe('the contract', () => {
  photoSourceContract(async () => {
    await put({
      '2024/a.jpg': null,
      '2024/a.jpg.xmp': sidecarText({ ...described, title: 'A' }),
      '2024/b & c (1)+é.jpg': null,
      'notes.txt': 'notes',
    });
    return source();
  });
});

it('an import from S3 reads all objects under a prefix, whatever characters keys have, in any number of pages', async () => {
  const names = Array.from({ length: 30 }, (_, at) => `in/Größe #${at}?'(*)!~+ %20.jpg`);
  await put({ ...Object.fromEntries(names.map((name) => [name, null])), 'inside.jpg': null, 'out/a.jpg': null });
  const photos = photosOf(await itemsOf(source('in/', { pageSize: 7 })));
  expect(photos.map(({ key }) => key).sort()).toEqual([...names].sort());
  const [first] = photos;
  expect(first && (await bytesOf(first))).toEqual(Buffer.from(picture(first?.key as string)));
});

it('a missing bucket and a wrong key are refused with a message', async () => {
  await expect(itemsOf(source('', { secretAccessKey: 'wrong' }))).rejects.toThrow(
    /cannot be read: \w+\. Check its name/,
  );
  await expect(itemsOf(source('', {}, 's3://nobody-has-this'))).rejects.toThrow(
    'The bucket nobody-has-this cannot be read: NoSuchBucket',
  );
  expect(() => source('', { accessKeyId: undefined })).toThrow('Set AWS_ACCESS_KEY_ID');
  expect(() => source('', {}, 'photos')).toThrow('is not the address of a bucket');
});

test('objects without an extension are recognized by their first bytes, and folders of systems are omitted', async () => {
  await put({
    'odd/f0012345': 'GIF89a',
    'odd/a.psd': '8BPS',
    'odd/@eaDir/a.jpg': null,
    'odd/notes': 'notes',
  });
  const items = await itemsOf(source('odd/'));
  expect(items.map(({ label, ...item }) => [label, 'reason' in item ? item.reason : item.kind])).toEqual(
    expect.arrayContaining([
      ['odd/f0012345', 'photo'],
      ['odd/a.psd', 'unsupported_format'],
      ['odd/@eaDir/a.jpg', 'system'],
      ['odd/notes', 'not_an_image'],
    ]),
  );
  expect(items).toHaveLength(4);
  const some = await itemsOf(source('odd/', {}, undefined, ['f00*', '@eaDir']));
  expect(some.flatMap((item) => (item.kind === 'skipped' && item.reason === 'excluded' ? [item.label] : []))).toEqual([
    'odd/f0012345',
  ]);
});
