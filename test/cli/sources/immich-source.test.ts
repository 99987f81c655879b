import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { immichSource } from '../../../cli/src/sources/immich-source.js';
import type { PhotoItem } from '../../../cli/src/sources/photo-source.js';
import { picture } from '../../api/support/photos.js';
import { bytesOf, itemsOf, photoSourceContract, photosOf } from './source-contract.js';

const KEY = 'immich-key';

interface Asset {
  readonly id: string;
  readonly type: string;
  readonly originalFileName: string;
  readonly exifInfo?: Readonly<Record<string, unknown>>;
  readonly [other: string]: unknown;
}

/** Answers like Immich: assets two at a time, albums and tags by search. */
class ImmichServer {
  albums: { id: string; albumName: string; assets: string[] }[] = [];
  tags: { id: string; name: string; value: string; assets: string[] }[] = [];
  assets: Asset[] = [];
  failures = 0;
  ranges = true;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<ImmichServer> {
    const server = createServer(async (request, response) => {
      const answer = await immich.answer(request);
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(answer.body instanceof Uint8Array ? answer.body : JSON.stringify(answer.body));
    });
    const immich = new ImmichServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return immich;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  add(id: string, asset: Partial<Asset> = {}): void {
    const exifInfo = { fileSizeInByte: picture(id).length, ...asset.exifInfo };
    this.assets.push({
      id,
      type: 'IMAGE',
      originalFileName: `${id}.jpg`,
      checksum: `sha1 of ${id}`,
      ...asset,
      exifInfo,
    });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    if (request.headers['x-api-key'] !== KEY) return { status: 401, body: { message: 'Invalid API key' } };
    if (this.failures > 0) {
      this.failures -= 1;
      return { status: 503, body: {} };
    }
    const path = request.url ?? '';
    if (path === '/api/albums') return { status: 200, body: this.albums };
    if (path === '/api/tags') return { status: 200, body: this.tags };
    const [, id] = /^\/api\/assets\/([^/]+)\/original$/.exec(path) ?? [];
    if (id !== undefined) {
      const [, start] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
      const from = this.ranges ? Number(start ?? 0) : 0;
      return { status: this.ranges && start !== undefined ? 206 : 200, body: picture(id).subarray(from) };
    }
    if (path !== '/api/search/metadata') return { status: 404, body: {} };
    const { page, albumIds, tagIds } = JSON.parse((await buffer(request)).toString());
    const group = [...this.albums, ...this.tags].find((each) => [albumIds?.[0], tagIds?.[0]].includes(each.id));
    const all = group === undefined ? this.assets : this.assets.filter((asset) => group.assets.includes(asset.id));
    const items = all.slice((page - 1) * 2, page * 2);
    return { status: 200, body: { assets: { items, nextPage: page * 2 < all.length ? String(page + 1) : null } } };
  }
}

let immich: ImmichServer;
beforeEach(async () => {
  immich = await ImmichServer.open();
});
afterEach(() => immich.close());

const read = () => itemsOf(immichSource(immich.url, KEY));

describe('the contract', () => {
  photoSourceContract(() => {
    for (const id of ['a', 'b', 'c'])
      immich.add(id, { exifInfo: { description: `D ${id}`, latitude: 1, longitude: 2 } });
    immich.albums = [{ id: 'al', albumName: 'Paris', assets: ['a', 'c'] }];
    return immichSource(`${immich.url}/`, KEY);
  });
});

it('originals with albums, tags, favourites, descriptions, places, times and people', async () => {
  immich.add('a', {
    isFavorite: true,
    people: [{ name: 'Ann' }, { name: '' }, { name: 'Bob' }],
    livePhotoVideoId: 'v',
    visibility: 'archive',
    exifInfo: {
      description: 'From the roof',
      latitude: 48.85837,
      longitude: 2.294481,
      dateTimeOriginal: '2024-12-21T22:39:24.670Z',
      timeZone: 'Europe/Paris',
    },
  });
  immich.add('b', {
    isFavorite: true,
    exifInfo: { rating: 2, dateTimeOriginal: '2024-12-21T22:39:24Z', timeZone: 'UTC+5:45' },
  });
  immich.add('film', { type: 'VIDEO' });
  immich.add('gone', { isTrashed: true });
  immich.add('unknown', { exifInfo: { fileSizeInByte: null } });
  immich.albums = [{ id: 'al', albumName: 'Trip', assets: ['a', 'b', 'film'] }];
  immich.tags = [{ id: 't', name: 'Paris', value: 'Places/Paris', assets: ['a'] }];
  const items = await read();
  expect(photosOf(items)).toMatchObject([
    {
      key: 'a',
      label: 'a.jpg (a)',
      details: {
        description: 'From the roof',
        favorite: true,
        location: { latitude: 48.85837, longitude: 2.294481 },
        takenAtLocal: '2024-12-21T23:39:24',
        timeZone: 'Europe/Paris',
        tagNames: ['Trip', 'Places/Paris'],
        metadata: { 'immich.id': 'a', 'immich.people': 'Ann; Bob', 'immich.video': 'v', 'immich.archived': 'true' },
      },
      losses: [],
    },
    {
      key: 'b',
      details: {
        rating: 2,
        favorite: true,
        tagNames: ['Trip'],
        takenAtLocal: '2024-12-22T04:24:24',
        timeZone: '+05:45',
      },
    },
  ]);
  expect(items.flatMap((item) => (item.kind === 'skipped' ? [[item.label, item.reason]] : []))).toEqual([
    ['film.jpg (film)', 'video'],
    ['gone.jpg (gone)', 'trashed'],
    ['unknown.jpg (unknown)', 'unreadable'],
  ]);
});

it('a server that fails for a moment is asked again; one that cannot begin in the middle is read from the start', async () => {
  immich.add('a');
  immich.failures = 2;
  immich.ranges = false;
  const [photo] = photosOf(await read());
  expect(await bytesOf(photo as PhotoItem, 5)).toEqual(Buffer.from(picture('a').subarray(5)));
});

it('without a key, with a wrong one, or without an address, it says what to do', async () => {
  expect(() => immichSource(immich.url, undefined)).toThrow('Set IMMICH_API_KEY');
  expect(() => immichSource('/photos', KEY)).toThrow('Give the address of the Immich server');
  await expect(itemsOf(immichSource(immich.url, 'wrong'))).rejects.toThrow('Immich refuses the key');
});
