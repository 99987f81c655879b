import {
  type DeliveredPhoto,
  deliveredPicture,
  transformationName,
} from '../../src/core/delivery/delivered-picture.js';
import { formatDeliveryOptions, parseDeliveryOptions } from '../../src/core/delivery/delivery-options.js';
import { deliverySignature, isDeliverySignature } from '../../src/core/delivery/signed-address.js';
import type { Transformation } from '../../src/core/media/transformation.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { deliveryVectors, vectorKey } from '../support/delivery-vectors.js';

/** Field and message of each error. */
function errorsOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'invalid_request') throw error;
    const errors = error.details?.['errors'] as readonly { field: string; message: string }[];
    return errors.map(({ field, message }) => `${field}: ${message}`);
  }
  throw new Error('nothing was refused');
}

describe('the options of an address', () => {
  it.each([
    ['w=300', { w: 300 }],
    ['w=1,h=4096', { w: 1, h: 4096 }],
    ['fit=cover,g=focus,f=auto,q=1', { fit: 'cover', g: 'focus', f: 'auto', q: 1 }],
    ['dpr=1.5,blur=0.3', { dpr: 1.5, blur: 0.3 }],
    ['bg=00ff7f,p=card-2_x', { bg: '00ff7f', p: 'card-2_x' }],
  ])('of the form %s are read', (text, options) => {
    expect(parseDeliveryOptions(text)).toEqual(options);
    expect(parseDeliveryOptions(formatDeliveryOptions(options as never))).toEqual(options);
  });

  it('are the same in any order', () => {
    const [one, other] = ['w=300,fit=cover', 'fit=cover,w=300'].map(parseDeliveryOptions);
    expect(formatDeliveryOptions(one ?? {})).toBe(formatDeliveryOptions(other ?? {}));
  });

  it.each([
    ['w=0', 'w: w must be a whole number from 1 to 4096.'],
    ['w=4097', 'w: w must be a whole number from 1 to 4096.'],
    ['w=0300', 'w: w must be a whole number from 1 to 4096.'],
    ['w=3e2', 'w: w must be a whole number from 1 to 4096.'],
    ['w=', 'w: w must be a whole number from 1 to 4096.'],
    ['w', 'w: w must be a whole number from 1 to 4096.'],
    ['w=3=3', 'w: w must be a whole number from 1 to 4096.'],
    ['q=101', 'q: q must be a whole number from 1 to 100.'],
    ['dpr=0.5', 'dpr: dpr must be a number with at most two decimals from 1 to 3.'],
    ['dpr=1.50', 'dpr: dpr must be a number with at most two decimals from 1 to 3.'],
    ['blur=0.2', 'blur: blur must be a number with at most two decimals from 0.3 to 100.'],
    ['fit=Cover', 'fit: fit must be one of inside, cover, contain, fill.'],
    ['f=gif', 'f: f must be one of auto, jpeg, webp, avif, png.'],
    ['bg=FFFFFF', 'bg: bg must be a color of six lower-case hex digits, rrggbb.'],
    ['p=', 'p: p must be the name of a preset, 1 to 40 of a-z, 0-9, _ and -.'],
    ['w=1,w=1', 'w: w must be given once.'],
    ['width=1', 'options: There is no option "width". Options are w, h, fit, g, f, q, dpr, bg, blur, p.'],
    ['', 'options: There is no option "". Options are w, h, fit, g, f, q, dpr, bg, blur, p.'],
    ['constructor=1', 'options: There is no option "constructor". Options are w, h, fit, g, f, q, dpr, bg, blur, p.'],
  ])('are refused when they are %s', (text, error) => {
    expect(errorsOf(() => parseDeliveryOptions(text))).toEqual([error]);
  });

  it('are refused with one error when there are more than options exist', () => {
    const message = 'options: There are more than 10 options. Give each once.';
    expect(errorsOf(() => parseDeliveryOptions(','.repeat(12_000)))).toEqual([message]);
    expect(errorsOf(() => parseDeliveryOptions(','.repeat(10)))).toEqual([message]);
    expect(errorsOf(() => parseDeliveryOptions(','.repeat(9)))).toHaveLength(10);
  });

  it('are refused with every error at once', () => {
    expect(errorsOf(() => parseDeliveryOptions('w=0,h=x,size=9'))).toHaveLength(3);
  });
});

describe('the signature of an address', () => {
  const { secret } = vectorKey;
  const path = deliveryVectors[0].signed;

  it.each(deliveryVectors)('of $signed is what openssl and other tools compute', ({ signed, signature }) => {
    expect(deliverySignature(secret, signed)).toBe(signature);
  });

  it('is valid for that address alone', () => {
    const signature = deliverySignature(secret, path);
    expect(isDeliverySignature(secret, path, signature)).toBe(true);
    for (const other of [`${path},q=1`, path.replace('42', '43'), `${path}?exp=1800000000`]) {
      expect(isDeliverySignature(secret, other, signature)).toBe(false);
    }
    expect(isDeliverySignature(`${secret}x`, path, signature)).toBe(false);
    for (const wrong of ['', `${signature}=`, signature.slice(1), 'é'.repeat(43)]) {
      expect(isDeliverySignature(secret, path, wrong)).toBe(false);
    }
  });
});

describe('the picture that an address asks for', () => {
  const opaque: DeliveredPhoto = { alpha: false, focus: null };
  const order = (text: string, photo = opaque, accepted: ('avif' | 'webp')[] = []): Transformation =>
    deliveredPicture(photo, parseDeliveryOptions(text), new Set(accepted));

  it('fits inside the given sides, as a JPEG, unless the address says otherwise', () => {
    expect(order('w=300')).toEqual({
      width: 300,
      height: null,
      fit: 'inside',
      gravity: { x: 0.5, y: 0.5 },
      format: 'jpeg',
      quality: 80,
      background: null,
      blur: null,
    });
  });

  it('has its sides multiplied by the pixel ratio of the device', () => {
    expect(order('w=301,h=200,dpr=1.5')).toMatchObject({ width: 452, height: 300 });
    expect(transformationName(order('w=150,dpr=2'))).toBe(transformationName(order('w=300')));
    expect(errorsOf(() => order('h=2000,dpr=3'))).toEqual(['h: h × dpr must be at most 4096 pixels.']);
  });

  it.each([
    [['avif', 'webp'], false, 'avif'],
    [['webp'], false, 'webp'],
    [[], false, 'jpeg'],
    [[], true, 'png'],
    [['webp'], true, 'webp'],
  ] as const)('for a client that also shows %j, alpha %s, is %s', (accepted, alpha, format) => {
    expect(order('f=auto', { alpha, focus: null }, [...accepted])).toMatchObject({ format });
  });

  it('has the format that the address names, whatever the client accepts', () => {
    expect(order('f=jpeg', { alpha: true, focus: null }, ['avif'])).toMatchObject({ format: 'jpeg' });
  });

  it('keeps the focus of the photo in view when it is cropped', () => {
    const photo = { alpha: false, focus: { x: 0.2, y: 0.9 } };
    const gravity = (text: string, of: DeliveredPhoto = photo) => order(text, of).gravity;
    expect(gravity('w=9,h=9,fit=cover')).toEqual({ x: 0.2, y: 0.9 });
    expect(gravity('w=9,h=9,fit=cover,g=center')).toEqual({ x: 0.5, y: 0.5 });
    expect(gravity('w=9,h=9,fit=cover,g=auto')).toBe('attention');
    expect(gravity('w=9,h=9,fit=cover,g=focus', opaque)).toEqual({ x: 0.5, y: 0.5 });
    expect(gravity('w=9,h=9,g=auto')).toEqual({ x: 0.5, y: 0.5 });
  });

  it('has a different name for whatever makes a different picture', () => {
    const texts = [
      'w=9',
      'h=9',
      'w=9,h=9',
      'w=9,fit=fill',
      'w=9,fit=cover',
      'w=9,fit=cover,g=auto',
      'w=9,f=webp',
      'w=9,q=9',
      'w=9,bg=000000',
      'w=9,blur=1',
    ];
    expect(new Set(texts.map((text) => transformationName(order(text)))).size).toBe(texts.length);
  });
});
