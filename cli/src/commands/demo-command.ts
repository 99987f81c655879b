import { crc32, deflateSync } from 'node:zlib';
import { Command } from 'commander';
import { blobSource, type ImportSource, type PhotoDetails, runImport } from 'photo-service-sdk';
import { PartlyDone, UsageError } from '../exit-codes.js';
import { interruptible } from '../interruptible.js';
import { connect } from '../login.js';
import { type OutputOptions, print } from '../print.js';
import { withDisplay } from '../progress-display.js';

export function demoCommand(): Command {
  return new Command('demo')
    .description(`fill an empty library with ${DEMO_PHOTOS} generated photos, to look around`)
    .option('--add', 'add them to a library that has photos, too')
    .action(async (options: OutputOptions & { add?: boolean }) => {
      const client = await connect();
      // The owner of an account that has photos would have to sort the generated ones out.
      if (!options.add && (await client.photos.list({ trashed: 'any', limit: 1 }).page()).data.length > 0)
        throw new UsageError('This library has photos. Use an empty account, or add the generated ones with --add.');
      const { imported, duplicates, failed } = await withDisplay(options, (display) => {
        const onProgress = display.importing.bind(display);
        const settings = { name: 'Demo', source: 'phs demo', onProgress };
        return interruptible((signal) => runImport(client, [...demoPhotos()], { ...settings, signal }));
      });
      print(options, { imported, duplicates, failed }, [
        `${imported} imported, ${duplicates} already in the library. See them at ${client.baseUrl}/settings/library`,
      ]);
      if (failed.length > 0) throw new PartlyDone();
    });
}

type Place = readonly [
  name: string,
  latitude: number,
  longitude: number,
  timeZone: string,
  firstDay: string,
  tags: readonly string[],
];

const places: readonly Place[] = [
  ['Paris', 48.8566, 2.3522, 'Europe/Paris', '2024-04-12', ['City']],
  ['Reykjavík', 64.1466, -21.9426, 'Atlantic/Reykjavik', '2024-07-03', ['Sea', 'Mountains']],
  ['Kyoto', 35.0116, 135.7681, 'Asia/Tokyo', '2024-11-20', ['City']],
  ['Cape Town', -33.9249, 18.4241, 'Africa/Johannesburg', '2025-01-09', ['Sea', 'Mountains']],
  ['Valparaíso', -33.0472, -71.6127, 'America/Santiago', '2025-03-15', ['City', 'Sea']],
  ['Zermatt', 46.0207, 7.7491, 'Europe/Zurich', '2025-08-22', ['Mountains', 'Favourites']],
];

type Colour = readonly [number, number, number];

/** The light of an hour: the sky above and at the horizon, the sun or moon, and the farthest hills. */
const lights = {
  morning: { zenith: [94, 138, 190], horizon: [250, 214, 180], disc: [255, 244, 214], hills: [120, 132, 150] },
  noon: { zenith: [44, 118, 200], horizon: [176, 214, 240], disc: [255, 255, 240], hills: [92, 130, 120] },
  evening: { zenith: [66, 48, 104], horizon: [248, 140, 84], disc: [255, 214, 130], hills: [108, 62, 86] },
  night: { zenith: [8, 12, 34], horizon: [38, 52, 96], disc: [232, 234, 220], hills: [24, 32, 58] },
} as const satisfies Readonly<Record<string, Readonly<Record<'zenith' | 'horizon' | 'disc' | 'hills', Colour>>>>;

type LightName = keyof typeof lights;

const hours: Readonly<Record<LightName, string>> = {
  morning: '07:40:00',
  noon: '12:15:00',
  evening: '19:05:00',
  night: '23:20:00',
};

const DAYS = 2;
export const DEMO_PHOTOS = places.length * DAYS * Object.keys(lights).length;

/** Generated photos of some journeys, as what `runImport` takes: each with a time, a place, tags and mostly a rating. */
export function* demoPhotos(): Generator<ImportSource> {
  let number = 0;
  for (const place of places) {
    for (let day = 0; day < DAYS; day += 1) {
      for (const light of Object.keys(lights) as LightName[]) {
        number += 1;
        const filename = `demo-${String(number).padStart(2, '0')}.png`;
        const blob = new Blob([landscape(number, light)], { type: 'image/png' });
        yield { ...blobSource({ blob, filename }), details: detailsOf(place, { number, day, light }) };
      }
    }
  }
}

function detailsOf(place: Place, shot: { number: number; day: number; light: LightName }): PhotoDetails {
  const [name, latitude, longitude, timeZone, firstDay, tags] = place;
  const date = new Date(`${firstDay}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + shot.day);
  // A few hundred metres apart, so that the map has something to cluster.
  const shift = (shot.number % 7) / 500;
  return {
    title: `${shot.light[0]?.toUpperCase()}${shot.light.slice(1)} in ${name}`,
    takenAtLocal: `${date.toISOString().slice(0, 10)}T${hours[shot.light]}`,
    timeZone,
    location: { latitude: latitude + shift, longitude: longitude - shift, altitude: null },
    tagNames: [name, ...tags],
    ...(shot.number % 4 !== 0 && { rating: 1 + (shot.number % 5) }),
  };
}

const WIDTH = 960;
const HEIGHT = 640;
const RANGES = 4;
const FOREGROUND: Colour = [12, 14, 18];

/** A picture of hills under a sky; each number makes another one, and always the same. */
export function landscape(number: number, name: LightName): Uint8Array<ArrayBuffer> {
  const light = lights[name];
  const random = randomFrom(number);
  const disc = { x: WIDTH * (0.2 + 0.6 * random()), y: HEIGHT * (0.15 + 0.25 * random()), radius: 24 + 26 * random() };
  const ranges = Array.from({ length: RANGES }, (_, at) => range(at, random));
  const sky = Array.from({ length: HEIGHT }, (_, y) => mixed(light.zenith, light.horizon, y / (HEIGHT * 0.7)));
  const ground = ranges.map((_, at) => mixed(light.hills, FOREGROUND, (at + 0.5) / (RANGES + 1)));
  const pixels = new Uint8Array(WIDTH * HEIGHT * 3);
  const paint = (x: number, y: number, colour: Colour) => {
    const at = (y * WIDTH + x) * 3;
    pixels[at] = colour[0];
    pixels[at + 1] = colour[1];
    pixels[at + 2] = colour[2];
  };
  for (const [y, colour] of sky.entries()) {
    for (let x = 0; x < WIDTH; x += 1) {
      const isDisc = (x - disc.x) ** 2 + (y - disc.y) ** 2 < disc.radius ** 2;
      paint(x, y, isDisc ? light.disc : colour);
    }
  }
  // The nearer hides the farther.
  for (const [at, top] of ranges.entries()) {
    for (let x = 0; x < WIDTH; x += 1) {
      for (let y = Math.max(0, Math.ceil(top(x))); y < HEIGHT; y += 1) paint(x, y, ground[at] ?? FOREGROUND);
    }
  }
  return png(pixels);
}

/** The outline of one range of hills; the nearer, the lower and the rounder. */
function range(at: number, random: () => number): (x: number) => number {
  const base = HEIGHT * (0.5 + at * 0.12);
  const waves = [1, 2.3, 5.1].map((pace) => ({
    pace: (pace * (1 + random())) / WIDTH,
    phase: random() * 2 * Math.PI,
    height: (46 - at * 8) / pace,
  }));
  return (x) => base + waves.reduce((sum, { pace, phase, height }) => sum + height * Math.sin(6 * x * pace + phase), 0);
}

function mixed(from: Colour, to: Colour, share: number): Colour {
  const part = Math.min(1, Math.max(0, share));
  const [r, g, b] = from.map((value, at) => Math.round(value + ((to[at] ?? 0) - value) * part));
  return [r ?? 0, g ?? 0, b ?? 0];
}

/** Numbers from 0 to below 1, the same ones for the same seed (a linear congruential generator). */
function randomFrom(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Three bytes for each pixel, row by row, as a PNG. */
function png(pixels: Uint8Array): Uint8Array<ArrayBuffer> {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, WIDTH);
  header.setUint32(4, HEIGHT);
  // Eight bits for each of red, green and blue.
  header.setUint16(8, 0x0802);
  // Each row begins with the number of its filter: none.
  const rows = new Uint8Array(HEIGHT * (1 + WIDTH * 3));
  for (let y = 0; y < HEIGHT; y += 1)
    rows.set(pixels.subarray(y * WIDTH * 3, (y + 1) * WIDTH * 3), y * (1 + WIDTH * 3) + 1);
  const parts = [chunk('IHDR', new Uint8Array(header.buffer)), chunk('IDAT', deflateSync(rows)), chunk('IEND')];
  return new Uint8Array(Buffer.concat([SIGNATURE, ...parts]));
}

function chunk(type: string, data: Uint8Array = new Uint8Array()): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
