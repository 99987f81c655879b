import { transformBaseImageProps, type UnpicBaseImageProps } from '@unpic/core/base';
import fc from 'fast-check';
import sharp from 'sharp';
import { rgbaToThumbHash } from 'thumbhash';
import type { ImageOptions } from '../../sdk/src/entry.js';
import * as web from '../../sdk/src/entry.js';
import * as node from '../../sdk/src/node/entry.js';
import { type DeliveryOptions, parseDeliveryOptions } from '../../src/core/delivery/delivery-options.js';
import { deliverySignature } from '../../src/core/delivery/signed-address.js';
import { deliveryVectors, vectorKey } from '../support/delivery-vectors.js';

const key = { publicUrl: 'https://photos.example.com', ...vectorKey };
const addressOf = (options: ImageOptions) => node.imageUrl({ ...key, photoId: 7, options });

/** What the service reads from an address; its signature must hold. */
function read(address: string): { photoId: number; options: DeliveryOptions; exp: string | null } {
  const url = new URL(address);
  const exp = url.searchParams.get('exp');
  const signed = url.pathname + (exp === null ? '' : `?exp=${exp}`);
  expect(url.searchParams.get('sig')).toBe(deliverySignature(key.secret, signed));
  const [, photoId, options = ''] = /^\/img\/dk_0123456789abcdef\/(\d+)\/([^/]+)$/.exec(url.pathname) ?? [];
  return { photoId: Number(photoId), options: parseDeliveryOptions(options), exp };
}

describe('imageUrl', () => {
  const options = { fit: 'cover', width: 300 } as const;

  it.each(deliveryVectors)('of $signed, in Node and with WebCrypto', async ({ photoId, exp, signed, signature }) => {
    const request = { ...key, photoId, options, ...(exp !== null && { expiresAt: new Date(exp * 1000) }) };
    const expected = `https://photos.example.com${signed}${exp === null ? '?' : '&'}sig=${signature}`;
    expect(node.imageUrl(request)).toBe(expected);
    expect(await web.imageUrl(request)).toBe(expected);
  });

  it('writes every option as the service reads it', () => {
    const all: Required<ImageOptions> = {
      preset: 'card-2_x',
      blur: 0.35,
      background: '00ff7f',
      dpr: 1.5,
      quality: 100,
      format: 'avif',
      gravity: 'auto',
      fit: 'contain',
      height: 1,
      width: 2730,
    };
    const { photoId, options: parsed } = read(addressOf(all));
    expect([photoId, parsed]).toEqual([
      7,
      {
        w: 2730,
        h: 1,
        fit: 'contain',
        g: 'auto',
        f: 'avif',
        q: 100,
        dpr: 1.5,
        bg: '00ff7f',
        blur: 0.35,
        p: 'card-2_x',
      },
    ]);
    const turned = Object.fromEntries(Object.entries(all).reverse());
    expect(addressOf(turned)).toBe(addressOf(all));
  });

  it('gives addresses that the service reads, or throws, whatever the numbers', () => {
    const numbers = fc.oneof(fc.integer({ min: -1, max: 5000 }), fc.double(), fc.constantFrom(1e-7, 1.005, 0.3, 99.99));
    const anything = fc.record(
      { width: numbers, height: numbers, quality: numbers, dpr: numbers, blur: numbers, background: fc.string() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(anything, (some) => {
        let address: string;
        try {
          address = addressOf(some);
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
          return;
        }
        expect(Object.keys(read(address).options)).toHaveLength(Object.keys(some).length);
      }),
    );
  });

  it('follows a public URL with a path, which is not signed', () => {
    const address = node.imageUrl({ ...key, publicUrl: 'https://example.com/photos/', photoId: 42, options });
    expect(address).toBe(`https://example.com/photos${deliveryVectors[0].signed}?sig=${deliveryVectors[0].signature}`);
  });

  it.each([
    [{}, 'At least one option is required'],
    [{ width: undefined }, 'At least one option is required'],
    [{ width: 0 }, 'width must be a whole number from 1 to 4096, and is 0.'],
    [{ width: 4097 }, 'width must be'],
    [{ height: 1.5 }, 'height must be'],
    [{ width: '300' }, 'width must be'],
    [{ width: 3000, dpr: 2 }, 'width × dpr must be at most 4096 pixels.'],
    [{ quality: 101 }, 'quality must be'],
    [{ dpr: 1.255 }, 'dpr must be a number from 1 to 3 with at most two decimals'],
    [{ blur: 0.2 }, 'blur must be'],
    [{ fit: 'crop' }, 'fit must be one of inside, cover, contain, fill, and is "crop".'],
    [{ background: 'FFFFFF' }, 'background must be'],
    [{ preset: 'a,w=1' }, 'preset must be'],
    [{ w: 300 }, 'There is no option w. Options are width,'],
  ])('refuses the options %j', async (wrong, message) => {
    expect(() => addressOf(wrong as ImageOptions)).toThrow(message);
    await expect(web.imageUrl({ ...key, photoId: 7, options: wrong as ImageOptions })).rejects.toThrow(message);
  });

  it.each([
    ['keyId', { keyId: 'phs_live_0123456789abcdef' }],
    ['photoId', { photoId: 0 }],
    ['photoId', { photoId: Number.NaN }],
    ['expiresAt', { expiresAt: new Date('never') }],
  ])('refuses a wrong %s', (name, wrong) => {
    expect(() => node.imageUrl({ ...key, photoId: 7, options, ...wrong })).toThrow(name);
  });

  it('refuses an invalid secret without showing it', () => {
    const wrong = () => node.imageUrl({ ...key, secret: 'phs_live_abc', photoId: 7, options });
    expect(wrong).toThrow('secret must be the secret of the delivery key');
    expect(wrong).not.toThrow('abc');
  });
});

describe('srcSet', () => {
  const parsed = (srcset: string) =>
    srcset.split(', ').map((candidate) => {
      const [address = '', width] = candidate.split(' ');
      return [read(address).options, width];
    });

  it('has an address for each width, the same in Node and with WebCrypto', async () => {
    const request = {
      ...key,
      photoId: 7,
      widths: [640, 320, 640],
      options: { quality: 70 },
      expiresAt: new Date(9e12),
    };
    expect(parsed(node.srcSet(request))).toEqual([
      [{ w: 320, q: 70 }, '320w'],
      [{ w: 640, q: 70 }, '640w'],
    ]);
    expect(await web.srcSet(request)).toBe(node.srcSet(request));
  });

  it('crops to one shape in every width', () => {
    const request = { ...key, photoId: 7, widths: [100, 301], aspectRatio: 3 / 2, options: { fit: 'cover' as const } };
    expect(parsed(node.srcSet(request)).map(([options]) => options)).toEqual([
      { w: 100, h: 67, fit: 'cover' },
      { w: 301, h: 201, fit: 'cover' },
    ]);
  });

  it('leaves out what would be larger than the service makes', () => {
    const sizes = (request: object) => parsed(node.srcSet({ ...key, photoId: 7, ...request })).map(([of]) => of);
    expect(sizes({ aspectRatio: 9 / 16 }).at(-1)).toEqual({ w: 1920, h: 3413 });
    expect(sizes({ widths: [320, 5000] })).toEqual([{ w: 320 }]);
    expect(() => sizes({ aspectRatio: 0.05 })).toThrow('height must be');
    expect(() => sizes({ widths: [Number.NaN] })).toThrow('width must be');
  });

  it('ends with the width of the photo, because nothing is enlarged', () => {
    const widths = parsed(node.srcSet({ ...key, photoId: 7, photoWidth: 1000 })).map(([, width]) => width);
    expect(widths).toEqual(['320w', '480w', '640w', '960w', '1000w']);
  });

  it('refuses an empty list of widths, and an invalid shape', () => {
    expect(() => node.srcSet({ ...key, photoId: 7, widths: [] })).toThrow('widths');
    expect(() => node.srcSet({ ...key, photoId: 7, aspectRatio: 0 })).toThrow('aspectRatio');
  });
});

describe('placeholder', () => {
  it('is a picture of the color and shape of the photo', async () => {
    const pixels = new Uint8Array(40 * 20 * 4).map((_, at) => [200, 40, 60, 255][at % 4] as number);
    const thumbhash = Buffer.from(rgbaToThumbHash(40, 20, pixels)).toString('base64');
    const url = web.placeholder(thumbhash);
    expect(url).toMatch(/^data:image\/png;base64,/);
    const image = sharp(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'));
    const { width, height } = await image.metadata();
    expect(width / height).toBeCloseTo(2, 0);
    const [red, green, blue] = (await image.stats()).channels.map(({ mean }) => mean);
    expect([red, green, blue]).toEqual([200, 40, 60].map((value) => expect.closeTo(value, -1.5)));
  });

  it('is null for a photo that has no thumbhash', () => {
    expect(web.placeholder(null)).toBeNull();
  });
});

describe('the transformer for unpic', () => {
  const transformer = node.unpicTransformer({ ...key, options: { gravity: 'auto' } });
  type Props = UnpicBaseImageProps<node.UnpicOperations, undefined, Record<string, unknown>>;
  const accepted: Props['transformer'] = transformer;
  const imageOf = (props: Omit<Props, 'src' | 'transformer'>) =>
    transformBaseImageProps({ src: '7', transformer: accepted, ...props } as Props) as { src: string; srcset: string };

  it('gives its components signed addresses of every width', () => {
    const { src, srcset } = imageOf({ layout: 'constrained', width: 600, height: 400 });
    expect(read(src)).toMatchObject({ photoId: 7, options: { w: 600, h: 400, fit: 'cover', g: 'auto', f: 'auto' } });
    const candidates = srcset.split(',\n').map((each) => each.split(' '));
    expect(candidates.map(([, width]) => width)).toEqual(
      [600, 640, 750, 828, 960, 1080, 1200].map((width) => `${width}w`),
    );
    for (const [address = '', width = ''] of candidates) {
      const { w, h } = read(address).options;
      expect(`${w}w`).toBe(width);
      expect(h).toBe(Math.round(Number(w) / 1.5));
    }
  });

  it('limits sizes to those of the service, in the same shape', () => {
    const { srcset } = imageOf({ layout: 'fullWidth', aspectRatio: 2, height: 500 });
    const sizes = srcset.split(',\n').map((each) => read(each.split(' ')[0] ?? '').options);
    expect(sizes.at(-1)).toMatchObject({ w: 4096, h: 2048 });
  });

  it('accepts format and quality', () => {
    const operations = { format: 'jpg', quality: '70' };
    expect(read(transformer('7', { width: 100, ...operations })).options).toMatchObject({ f: 'jpeg', q: 70 });
    expect(() => transformer('7', { width: 100, format: 'gif' })).toThrow('format must be one of');
    expect(() => transformer('https://example.com/7.jpg', { width: 100 })).toThrow('photoId');
  });
});
