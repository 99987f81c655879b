import { basename } from 'node:path';
import { sign } from 'aws4';
import { HEAD_BYTES, LeftOut } from 'photo-service-sdk/node';
import { DetailsBuilder } from '../details-builder.js';
import { AccessError, UsageError } from '../exit-codes.js';
import { childOf, elementsOf, parseXml, textOf, type XmlElement } from '../xmp/xml.js';
import { answered, bytesFrom, type Send } from './http-bytes.js';
import { leftOut, type PhotoSource, type SkippedItem, type SourceItem, skipReason } from './photo-source.js';
import { isSidecar, SidecarFiles } from './sidecar-files.js';
import { headOf } from './streams.js';

/** Where a bucket is, and whose it is; as other programs find it in the environment. */
export function s3Settings(env: NodeJS.ProcessEnv) {
  return {
    endpoint: env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'],
    region: env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1',
    accessKeyId: env['AWS_ACCESS_KEY_ID'],
    secretAccessKey: env['AWS_SECRET_ACCESS_KEY'],
    sessionToken: env['AWS_SESSION_TOKEN'],
  };
}

/** `pageSize`: objects in one answer; what the store is used to, if it is not said. */
export type S3Settings = ReturnType<typeof s3Settings> & { readonly pageSize?: number };

/** The photos of a bucket, `s3://BUCKET/PREFIX`, with their XMP sidecars. */
export function s3Source(
  place: string,
  settings: S3Settings,
  { sidecars, exclude }: { readonly sidecars: boolean; readonly exclude?: readonly string[] | undefined },
): PhotoSource {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(place) ?? [];
  if (bucket === undefined) throw new UsageError(`${place} is not the address of a bucket, such as s3://photos/2024/.`);
  const client = new Bucket(bucket, settings);
  return { items: (signal) => items(client, { prefix, sidecars, rules: new LeftOut(exclude) }, signal) };
}

async function* items(
  bucket: Bucket,
  { prefix, sidecars: withSidecars, rules }: { prefix: string; sidecars: boolean; rules: LeftOut },
  signal: AbortSignal,
): AsyncGenerator<SourceItem> {
  const objects = [];
  for await (const object of bucket.list(prefix, signal)) if (!object.key.endsWith('/')) objects.push(object);
  const sizes = new Map(objects.map(({ key, sizeBytes }) => [key, sizeBytes]));
  const sidecars = new SidecarFiles(withSidecars ? [...sizes.keys()].filter(isSidecar) : [], {
    sizeOf: (key) => Promise.resolve(sizes.get(key) ?? 0),
    read: async (key) => new Uint8Array(await (await answered(bucket.object(key))).arrayBuffer()),
  });
  const others: SkippedItem[] = [];
  for (const { key, sizeBytes, etag } of objects) {
    signal.throwIfAborted();
    // Its first bytes cost a request.
    const isKnown = sizeBytes === 0 || isSidecar(key) || skipReason(key) === 'video';
    const send = bucket.object(key);
    // With some stores these are more.
    const first = () => bytesFrom((headers) => send({ ...headers, Range: `bytes=0-${HEAD_BYTES - 1}` }), 0);
    const readHead = async () => (isKnown ? new Uint8Array() : headOf({ open: first }, HEAD_BYTES));
    const other = await leftOut(key, key.slice(prefix.lastIndexOf('/') + 1), readHead, rules);
    if (other !== null) {
      others.push(other);
      continue;
    }
    const details = new DetailsBuilder();
    await sidecars.addDetails(key, details);
    const content = { sizeBytes, open: (start: number) => bytesFrom(send, start) };
    const file = { filename: basename(key), content, fingerprint: `${sizeBytes}:${etag}` };
    yield { kind: 'photo', key, label: key, file, details: details.build(), losses: details.losses };
  }
  yield* others.filter(({ label }) => !sidecars.isUsed(label));
}

/** The part of S3 that is needed to read: signed requests (Signature Version 4) for lists and objects. */
class Bucket {
  private readonly base: URL;

  constructor(
    private readonly bucket: string,
    private readonly settings: S3Settings,
  ) {
    const { endpoint, region, accessKeyId, secretAccessKey } = settings;
    if (!accessKeyId || !secretAccessKey)
      throw new AccessError('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key that may read the bucket.');
    if (endpoint !== undefined && !URL.canParse(endpoint))
      throw new UsageError('AWS_ENDPOINT_URL_S3 must be an address such as https://s3.example.com.');
    this.base = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  }

  object(key: string): Send {
    const path = key.split('/').map(encoded).join('/');
    return (headers) => this.get(`/${path}`, headers);
  }

  async *list(prefix: string, signal: AbortSignal) {
    for (let token: string | null = null, isFirst = true; isFirst || token !== null; isFirst = false) {
      signal.throwIfAborted();
      const { pageSize } = this.settings;
      const query = {
        'list-type': '2',
        prefix,
        ...(pageSize !== undefined && { 'max-keys': String(pageSize) }),
        ...(token !== null && { 'continuation-token': token }),
      };
      // In the order in which it is signed.
      const sorted = Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1));
      const text = sorted.map(([name, value]) => `${name}=${encoded(value)}`).join('&');
      const response = await answered(() => this.get(`/?${text}`, {}));
      const root = parseXml(await response.text());
      for (const entry of elementsOf(root).filter(({ local }) => local === 'Contents'))
        yield { key: valueIn(entry, 'Key'), sizeBytes: Number(valueIn(entry, 'Size')), etag: valueIn(entry, 'ETag') };
      token = valueIn(root, 'IsTruncated') === 'true' ? valueIn(root, 'NextContinuationToken') : null;
    }
  }

  /** Addressed by path, which every store understands. */
  private async get(path: string, headers: Readonly<Record<string, string>>): Promise<Response> {
    const { accessKeyId, secretAccessKey, sessionToken, region } = this.settings;
    const { origin, host } = this.base;
    const whole = `/${encoded(this.bucket)}${path}`;
    const credentials = { accessKeyId, secretAccessKey, sessionToken } as Parameters<typeof sign>[1];
    const signed = sign({ service: 's3', region, host, path: whole, headers: { ...headers } }, credentials);
    const { Host: _, ...rest } = signed.headers as Record<string, string>;
    const response = await fetch(`${origin}${whole}`, { headers: rest });
    if ([401, 403, 404].includes(response.status) && path.startsWith('/?')) {
      const code = /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1] ?? response.status;
      throw new AccessError(
        `The bucket ${this.bucket} cannot be read: ${code}. Check its name, the region and the key.`,
      );
    }
    return response;
  }
}

/** Encodes text as signatures require it: everything but letters, digits and -._~ */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

function valueIn(element: XmlElement, local: string): string {
  const child = childOf(element, element.uri, local);
  return (child && textOf(child)) ?? '';
}
