import { DetailsBuilder } from '../details-builder.js';
import { AccessError, UsageError } from '../exit-codes.js';
import { answered, bytesFrom, type Send } from './http-bytes.js';
import type { PhotoSource, SourceItem } from './photo-source.js';
import { addTimeAndPlace, fileFacts } from './time-and-place.js';

const PAGE_SIZE = 1000;

/**
 * The library of an Immich server, by its API: originals, albums and tags as tags, favourites as five stars.
 * @param key With the permissions `asset.read`, `asset.download`, `album.read` and `tag.read`.
 */
export function immichSource(url: string, key: string | undefined): PhotoSource {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError('Give the address of the Immich server, such as https://immich.example.com.');
  if (!key) throw new AccessError('Set IMMICH_API_KEY to a key of your Immich account (Account Settings, API Keys).');
  const immich = new Immich(`${new URL(url).origin}/api`, key);
  return { items: (signal) => items(immich, signal) };
}

interface Asset {
  readonly id: string;
  readonly type: string;
  readonly originalFileName: string;
  readonly checksum?: string;
  readonly isFavorite?: boolean;
  readonly isArchived?: boolean;
  readonly isTrashed?: boolean;
  readonly visibility?: string;
  readonly livePhotoVideoId?: string | null;
  readonly people?: readonly { readonly name?: string }[];
  readonly exifInfo?: {
    readonly fileSizeInByte?: number | null;
    readonly description?: string | null;
    readonly dateTimeOriginal?: string | null;
    readonly timeZone?: string | null;
    readonly latitude?: number | null;
    readonly longitude?: number | null;
    readonly rating?: number | null;
  };
}

async function* items(immich: Immich, signal: AbortSignal): AsyncGenerator<SourceItem> {
  const names = await tagsOfAssets(immich, signal);
  // Everything first: a page may shift while photos are being fetched.
  const assets = new Map<string, Asset>();
  for await (const asset of immich.search({ withExif: true, withPeople: true }, signal)) assets.set(asset.id, asset);
  for (const asset of assets.values()) {
    signal.throwIfAborted();
    const { id, originalFileName, checksum, exifInfo } = asset;
    const label = `${originalFileName} (${id})`;
    if (asset.type !== 'IMAGE' || asset.isTrashed === true) {
      yield { kind: 'skipped', label, reason: asset.isTrashed === true ? 'trashed' : 'video' };
      continue;
    }
    const sizeBytes = exifInfo?.fileSizeInByte;
    if (typeof sizeBytes !== 'number') {
      yield { kind: 'skipped', label, reason: 'unreadable', problem: 'Immich does not know the size of the file.' };
      continue;
    }
    const open = (start: number) => bytesFrom(immich.original(id), start);
    const details = await detailsOf(asset, names.get(id) ?? [], open);
    const file = { filename: originalFileName, content: { sizeBytes, open }, fingerprint: checksum ?? null };
    yield { kind: 'photo', key: id, label, file, details: details.build(), losses: details.losses };
  }
}

/** Names of albums and tags, by the assets that are in them. */
async function tagsOfAssets(immich: Immich, signal: AbortSignal): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = new Map<string, string[]>();
  const add = async (name: string, query: object) => {
    for await (const { id } of immich.search(query, signal)) names.set(id, [...(names.get(id) ?? []), name]);
  };
  const albums = await immich.json<readonly { id: string; albumName: string }[]>('albums', { signal });
  for (const { id, albumName } of albums) await add(albumName, { albumIds: [id] });
  const tags = await immich.json<readonly { id: string; value?: string; name: string }[]>('tags', { signal });
  for (const { id, value, name } of tags) await add(value ?? name, { tagIds: [id] });
  return names;
}

async function detailsOf(
  asset: Asset,
  tags: readonly string[],
  open: (start: number) => ReturnType<typeof bytesFrom>,
): Promise<DetailsBuilder> {
  const { exifInfo = {}, people = [], isFavorite, isArchived, visibility, livePhotoVideoId } = asset;
  const { description, dateTimeOriginal, timeZone, latitude, longitude, rating } = exifInfo;
  const details = new DetailsBuilder();
  details.text('description', description);
  for (const tag of tags) details.tag(tag);
  // -1 stands for rejected, and 0 for none.
  if (typeof rating === 'number' && rating > 0) details.rating(rating);
  details.favorite(isFavorite);
  details.note('immich.id', asset.id);
  details.note('immich.people', people.flatMap(({ name }) => name || []).join('; '));
  details.note('immich.video', livePhotoVideoId);
  details.note('immich.archived', isArchived === true || visibility === 'archive' ? 'true' : null);
  const facts = await fileFacts({ path: asset.originalFileName, open }, 512 * 1024);
  const instant = Math.floor(Date.parse(dateTimeOriginal ?? '') / 1000);
  // `Europe/Paris`, or `UTC+2` and `UTC+5:45` as offsets.
  const [, sign, hours = '', minutes = '00'] = /^UTC([+-])(\d{1,2})(?::(\d\d))?$/.exec(timeZone ?? '') ?? [];
  const known = {
    instant: Number.isNaN(instant) ? null : instant,
    position: typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : null,
    zone: sign === undefined ? (timeZone ?? null) : `${sign}${hours.padStart(2, '0')}:${minutes}`,
  };
  addTimeAndPlace(details, known, facts);
  return details;
}

class Immich {
  constructor(
    private readonly api: string,
    private readonly key: string,
  ) {}

  original(id: string): Send {
    return (headers) =>
      fetch(`${this.api}/assets/${encodeURIComponent(id)}/original`, {
        headers: { ...headers, 'x-api-key': this.key },
      });
  }

  async *search(query: object, signal: AbortSignal): AsyncGenerator<Asset> {
    for (let page: number | null = 1; page !== null; ) {
      const body = JSON.stringify({ ...query, page, size: PAGE_SIZE });
      const answer: { readonly assets: { readonly items: readonly Asset[]; readonly nextPage?: string | null } } =
        await this.json('search/metadata', { method: 'POST', body, signal });
      const { items, nextPage } = answer.assets;
      yield* items;
      page = nextPage ? Number(nextPage) : null;
    }
  }

  async json<T>(path: string, init: RequestInit): Promise<T> {
    const headers = { 'x-api-key': this.key, 'content-type': 'application/json', accept: 'application/json' };
    const send = async () => {
      const response = await fetch(`${this.api}/${path}`, { ...init, headers });
      if (response.status === 401 || response.status === 403)
        throw new AccessError(
          `Immich refuses the key (${response.status} for ${path}). Which permissions does it have?`,
        );
      return response;
    };
    return (await (await answered(send)).json()) as T;
  }
}
