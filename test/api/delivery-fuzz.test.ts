/* @rest */
import fc from 'fast-check';
import { deliveryAddressOf } from '../../src/api/files/delivery.controller.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createDeliveryKey, type DeliveryKeyWithSecret } from '../../src/core/delivery/delivery-key.js';
import { parseDeliveryOptions } from '../../src/core/delivery/delivery-options.js';
import { deliverySignature, openDeliveredPicture } from '../../src/core/delivery/signed-address.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { Account, picture, type World, world } from '../support/core-world.js';
import { picture as bytesOfPicture, importPhotos } from './support/photos.js';
import { startApp } from './support/start-app.js';

const SEED = 20261123;
const RUNS = 10_000;

let ports: World;
let key: DeliveryKeyWithSecret;
let photoId: number;
beforeAll(async () => {
  ports = world();
  const acme = await Account.open(ports);
  const { customerId } = acme.caller;
  key = await createDeliveryKey(
    ports,
    { customerId, actor: commandLine },
    { name: 'site', presetsOnly: false, expiresAt: null },
  );
  photoId = (await acme.addPhoto(picture('a.jpg'))).id;
});

const names = ['w', 'h', 'fit', 'g', 'f', 'q', 'dpr', 'bg', 'blur', 'p', 'x', '', 'W', '__proto__', 'constructor'];
const values = ['0', '1', '300', '4096', '4097', '1e3', '-1', '1.5', '0x10', 'cover', 'inside', 'auto', 'jpeg', 'avif'];
const parts = fc.tuple(fc.constantFrom(...names), fc.constantFrom('=', '', '=='), fc.constantFrom(...values, 'ffffff'));
/** Almost options, and anything else that a path can contain. */
const options = fc.oneof(
  fc.array(parts, { minLength: 1, maxLength: 5 }).map((list) => list.map((each) => each.join('')).join(',')),
  fc.webSegment().filter((text) => text !== ''),
);
const signatures = fc.oneof(
  fc.base64String().map((text) => text.replace(/[+/=]/g, '_')),
  fc.stringMatching(/^[A-Za-z0-9_-]{43}$/),
  fc.webQueryParameters(),
);

const pathOf = (text: string) => `/img/${key.key.publicId}/${photoId}/${text}`;
const signed = (path: string) => `${path}?sig=${deliverySignature(key.secret, path)}`;

/** The code of the error, or `picture`. */
async function outcome(url: string): Promise<string> {
  try {
    await openDeliveredPicture(ports, deliveryAddressOf({ url }), new Set());
    return 'picture';
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

function isValid(text: string): boolean {
  try {
    const { w = 1, h = 1, dpr = 1, p } = parseDeliveryOptions(text);
    return Math.max(w, h) * dpr <= 4096 && p === undefined;
  } catch {
    return false;
  }
}

test(`${RUNS} signed texts of options are a picture if they are valid, and a refusal otherwise`, async () => {
  const seen = new Map<string, number>();
  for (const text of fc.sample(options, { seed: SEED, numRuns: RUNS })) {
    const result = await outcome(signed(pathOf(text)));
    seen.set(result, (seen.get(result) ?? 0) + 1);
    expect([text, result]).toEqual([text, isValid(text) ? 'picture' : 'invalid_request']);
  }
  expect(Math.min(...seen.values())).toBeGreaterThan(20);
});

test(`${RUNS} addresses that the key did not sign show nothing`, async () => {
  const made = fc.sample(fc.tuple(options, signatures), { seed: SEED, numRuns: RUNS });
  for (const [text, signature] of made) {
    for (const url of [`${pathOf(text)}?sig=${signature}`, `${signed(pathOf('w=100'))}${signature}x`]) {
      expect([url, await outcome(url)]).toEqual([url, 'url_forbidden']);
    }
  }
});

test('unsigned addresses are refused over HTTP like any other', async () => {
  const app = await startApp();
  try {
    const actor = await app.customer();
    await importPhotos(app, actor, [{ filename: 'a.jpg', content: bytesOfPicture('one') }]);
    for (const [text, signature] of fc.sample(fc.tuple(options, signatures), { seed: SEED, numRuns: 300 })) {
      const { status, headers } = await app.send({ path: `${pathOf(text)}?sig=${signature}` });
      expect([403, 404]).toContain(status);
      expect(headers['content-type']).toMatch(/^application\/json/);
    }
  } finally {
    await app.close();
  }
});
