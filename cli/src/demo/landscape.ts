import { png } from './png.js';

type Colour = readonly [number, number, number];

/** The light of an hour: the sky above and at the horizon, the sun or moon, and the farthest hills. */
interface Light {
  readonly zenith: Colour;
  readonly horizon: Colour;
  readonly disc: Colour;
  readonly hills: Colour;
}

export const lights = {
  morning: { zenith: [94, 138, 190], horizon: [250, 214, 180], disc: [255, 244, 214], hills: [120, 132, 150] },
  noon: { zenith: [44, 118, 200], horizon: [176, 214, 240], disc: [255, 255, 240], hills: [92, 130, 120] },
  evening: { zenith: [66, 48, 104], horizon: [248, 140, 84], disc: [255, 214, 130], hills: [108, 62, 86] },
  night: { zenith: [8, 12, 34], horizon: [38, 52, 96], disc: [232, 234, 220], hills: [24, 32, 58] },
} as const satisfies Readonly<Record<string, Light>>;

export type LightName = keyof typeof lights;

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
  for (let x = 0; x < WIDTH; x += 1) {
    const tops = ranges.map((top) => top(x));
    for (let y = 0; y < HEIGHT; y += 1) {
      const hills = ground[tops.findLastIndex((top) => y >= top)];
      const isDisc = (x - disc.x) ** 2 + (y - disc.y) ** 2 < disc.radius ** 2;
      pixels.set(hills ?? (isDisc ? light.disc : (sky[y] ?? light.horizon)), (y * WIDTH + x) * 3);
    }
  }
  return png(pixels, WIDTH, HEIGHT);
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
