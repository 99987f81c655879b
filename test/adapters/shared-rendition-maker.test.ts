import {
  FAILURE_MINUTES,
  FailedRenditions,
  MAX_FAILURES,
} from '../../src/adapters/decorators/shared-rendition-maker.js';
import { deliveredPicture, deliveredRendition } from '../../src/core/delivery/delivered-picture.js';
import { parseDeliveryOptions } from '../../src/core/delivery/delivery-options.js';
import { ReaderFailure } from '../../src/core/media/media-reader.js';
import { within } from '../../src/core/media/transformation.js';
import { editPhoto } from '../../src/core/photos/edit-photo.js';
import type { Photo } from '../../src/core/photos/photo.js';
import { openRendition } from '../../src/core/photos/renditions/rendition.js';
import { MINUTE } from '../../src/core/shared/clock.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { pictureIn } from '../../testing/memory/memory-media-reader.js';
import { Account, collected, picture, type World, world } from '../support/core-world.js';
import { asInProduction } from '../support/in-process.js';
import { WatchedReader } from '../support/watched-reader.js';

let media: WatchedReader;
let ports: World;
let acme: Account;
beforeEach(async () => {
  media = new WatchedReader();
  ports = asInProduction(world({ media }));
  acme = await Account.open(ports);
});

function delivered(photo: Photo, options: string) {
  const transformation = deliveredPicture(
    { alpha: photo.alpha, focus: null },
    parseDeliveryOptions(options),
    new Set(),
  );
  return openRendition(ports, photo, deliveredRendition(photo, transformation));
}

async function sizeOf(photo: Photo, options: string): Promise<[number, number] | null> {
  const facts = pictureIn(await collected((await delivered(photo, options).open()).bytes));
  return facts && [facts.width, facts.height];
}

describe('a picture that cannot be made', () => {
  let photo: Photo;
  let attempts: number;
  /** Null: it can be made. */
  let fail: (() => Promise<null>) | null;
  beforeEach(async () => {
    photo = await acme.addPhoto(picture('one.jpg', { width: 600, height: 400 }));
    attempts = 0;
    fail = null;
    const render = media.render.bind(media);
    media.render = (...order) => {
      attempts += 1;
      return fail?.() ?? render(...order);
    };
  });

  const asked = (options: string, of = photo) => sizeOf(of, options).catch(({ code, details }) => ({ code, details }));
  const refused = { code: 'not_found', details: { resource: 'rendition' } };

  test.each([
    ['its reader cannot decode', 1, async () => null],
    [
      'its reader dies of, alone, too,',
      2,
      async () => {
        throw new ReaderFailure('It died.');
      },
    ],
  ])('because %s is not attempted again for ten minutes', async (_, attemptsOfOne, failing) => {
    fail = failing;
    for (let times = 0; times < 3; times += 1) expect(await asked('w=300')).toEqual(refused);
    expect(attempts).toBe(attemptsOfOne);
    ports.clock.pass(FAILURE_MINUTES * MINUTE - 1);
    expect(await asked('w=300')).toEqual(refused);
    expect(attempts).toBe(attemptsOfOne);
    ports.clock.pass(1);
    expect(await asked('w=300')).toEqual(refused);
    expect(attempts).toBe(2 * attemptsOfOne);
  });

  test('does not prevent others, nor itself after the photo was edited', async () => {
    fail = async () => null;
    expect(await asked('w=300')).toEqual(refused);
    expect(await asked('w=301')).toEqual(refused);
    expect(attempts).toBe(2);
    await editPhoto(ports, acme.caller, photo.id, { title: 'another' });
    expect(await asked('w=300', await acme.photo(photo.id))).toEqual(refused);
    expect(attempts).toBe(3);
  });

  test('because something is unavailable is attempted at the next request', async () => {
    const outage = new DomainError('service_unavailable', 'Try again later.');
    fail = () => Promise.reject(outage);
    expect(await asked('w=300')).toMatchObject({ code: 'service_unavailable' });
    fail = null;
    expect(await asked('w=300')).toEqual([300, 200]);
    expect(attempts).toBe(2);
  });

  test('is attempted after the clock was set back', async () => {
    fail = async () => null;
    await asked('w=300');
    ports.clock.pass(-1);
    await asked('w=300');
    expect(attempts).toBe(2);
  });

  test('is remembered within bounded memory: the latest displace the oldest', () => {
    const failed = new FailedRenditions(ports.clock);
    const rendition = (width: number) => deliveredRendition(photo, within(width, 'jpeg'));
    for (let width = 0; width <= MAX_FAILURES; width += 1) failed.add(photo, rendition(width));
    expect([0, 1, MAX_FAILURES].map((width) => failed.has(photo, rendition(width)))).toEqual([false, true, true]);
  });
});
