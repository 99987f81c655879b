/** The meaning of a picture's samples, by which they become sRGB. */
export interface ColourSpace {
  /** Linear light of a sample between 0 and 1; with `tone` of the scene or in cd/m², otherwise 1 is the white of sRGB. */
  readonly light: (sample: number) => number;
  /** For more light than a display of sRGB has: what remains of it, between 0 and 1. */
  readonly tone?: (light: number) => number;
  /** From its light to that of sRGB, row by row. */
  readonly matrix: Matrix;
}

type Matrix = readonly [number, number, number, number, number, number, number, number, number];
export type Vector = readonly [number, number, number];

/** Samples of pixels as a decoder wrote them, row by row: grey or RGB, without alpha or with. */
export type Samples = Uint8Array | Uint16Array | Float32Array;

/** Steps of tables of light: more than an eye or 8 bits tell apart. */
const STEPS = 0xffff;

/**
 * Returns what converts pixels of a space to sRGB, 8 bits, with their alpha. `max` is the sample that stands for 1. Light that sRGB does not
 * have becomes the nearest in each channel.
 */
export function converter(space: ColourSpace, max: number): (samples: Samples, channels: 1 | 2 | 3 | 4) => Buffer {
  const scale = max > 1 ? Math.min(max, STEPS) : STEPS;
  const light = new Float64Array(scale + 1);
  for (let value = 0; value <= scale; value += 1) light[value] = space.light(value / scale);
  const { tone } = space;
  const gain = tone && light.map((value) => (value > 0 ? tone(value) / value : 0));
  const [rr, rg, rb, gr, gg, gb, br, bg, bb] = space.matrix;
  const table = srgbOfLight();
  const encoded = (value: number) => (value > 0 ? (table[value < 1 ? Math.round(value * STEPS) : STEPS] ?? 0) : 0);
  const step = (value = 0) => (value > 0 ? Math.min(scale, Math.round((value * scale) / max)) : 0);
  return (samples, channels) => {
    const hasAlpha = channels === 2 || channels === 4;
    const out = Buffer.allocUnsafe(samples.length);
    for (let at = 0; at < samples.length; at += channels) {
      const red = step(samples[at]);
      if (channels <= 2) {
        out[at] = encoded((light[red] ?? 0) * (gain?.[red] ?? 1));
      } else {
        const [green, blue] = [step(samples[at + 1]), step(samples[at + 2])];
        // The same for all three, so that the hue stays.
        const times = gain === undefined ? 1 : (gain[Math.max(red, green, blue)] ?? 1);
        const [r, g, b] = [(light[red] ?? 0) * times, (light[green] ?? 0) * times, (light[blue] ?? 0) * times];
        out[at] = encoded(rr * r + rg * g + rb * b);
        out[at + 1] = encoded(gr * r + gg * g + gb * b);
        out[at + 2] = encoded(br * r + bg * g + bb * b);
      }
      if (hasAlpha) out[at + channels - 1] = Math.round((step(samples[at + channels - 1]) / scale) * 255);
    }
    return out;
  };
}

/** The sample of sRGB, 8 bits, of each step of light: by the light from which on each sample is the nearest, which are far fewer than steps. */
function srgbOfLight(): Uint8Array {
  const table = new Uint8Array(STEPS + 1);
  for (let sample = 1; sample <= 255; sample += 1) table.fill(sample, Math.ceil(STEPS * srgb((sample - 0.5) / 255)));
  return table;
}

// Transfer characteristics, from a sample to light.

const srgb = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const bt709 = (v: number) => (v < 0.081 ? v / 4.5 : ((v + 0.099) / 1.099) ** (1 / 0.45));
const smpte240 = (v: number) => (v < 0.0913 ? v / 4 : ((v + 0.1115) / 1.1115) ** (1 / 0.45));
const linear = (v: number) => v;
const gamma = (exponent: number) => (v: number) => v ** exponent;

/** SMPTE ST 2084 (PQ), in cd/m². */
function pq(v: number): number {
  const root = v ** (1 / 78.84375);
  return 10_000 * (Math.max(0, root - 0.8359375) / (18.8515625 - 18.6875 * root)) ** (1 / 0.1593017578125);
}

/** ARIB STD-B67 (HLG), of the scene. */
function hlg(v: number): number {
  return v <= 0.5 ? v ** 2 / 3 : (Math.exp((v - 0.55991073) / 0.17883277) + 0.28466892) / 12;
}

/**
 * The light of an sRGB display, for light in cd/m²; straight lines between them on logarithmic axes. Report ITU-R BT.2408 puts the grey card
 * (18 %) at 26 cd/m², and the white of graphics at 203, 18 % of which is 37: both greys come out within 5 levels of sRGB's 118. Darker light
 * is that of the scene; brighter light is compressed, so that clouds at 1,000 cd/m² and beyond still differ.
 */
const TONES = [
  [26, 0.168],
  [36.5, 0.197],
  [203, 0.56],
  [1000, 0.95],
  [10_000, 1],
] as const;
/** Exponent of the reference display's rendering of a scene (ITU-R BT.2100), at 1,000 cd/m². */
const SYSTEM_GAMMA = 1.2;
const PEAK = 1000;

function toneOf(nits: number): number {
  const [[grey, level]] = TONES;
  if (nits <= grey) return level * (nits / grey) ** (1 / SYSTEM_GAMMA);
  const next = TONES.findIndex(([from]) => nits <= from);
  const [[lowNits, low], [highNits, high]] = [TONES[next - 1] ?? TONES[3], TONES[next] ?? TONES[4]];
  return Math.min(1, low * (high / low) ** (Math.log(nits / lowNits) / Math.log(highNits / lowNits)));
}

// Primaries: chromaticities of red, green, blue and white, x and y of each.

type Primaries = readonly [number, number, number, number, number, number, number, number];
const D65 = [0.3127, 0.329] as const;
/** The white D50 as XYZ. */
export const D50: Vector = [0.9642, 1, 0.8249];
const BT709: Primaries = [0.64, 0.33, 0.3, 0.6, 0.15, 0.06, ...D65];
const ADOBE: Primaries = [0.64, 0.33, 0.21, 0.71, 0.15, 0.06, ...D65];
const P3: Primaries = [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, ...D65];

/** By their number in ITU-T H.273, table 2. */
const PRIMARIES: Readonly<Record<number, Primaries>> = {
  1: BT709,
  4: [0.67, 0.33, 0.21, 0.71, 0.14, 0.08, 0.31, 0.316],
  5: [0.64, 0.33, 0.29, 0.6, 0.15, 0.06, ...D65],
  6: [0.63, 0.34, 0.31, 0.595, 0.155, 0.07, ...D65],
  7: [0.63, 0.34, 0.31, 0.595, 0.155, 0.07, ...D65],
  9: [0.708, 0.292, 0.17, 0.797, 0.131, 0.046, ...D65],
  11: [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.314, 0.351],
  12: P3,
  22: [0.63, 0.34, 0.295, 0.605, 0.155, 0.077, ...D65],
};

/** By their number in ITU-T H.273, table 3. */
const TRANSFERS: Readonly<Record<number, Pick<ColourSpace, 'light' | 'tone'>>> = {
  1: { light: bt709 },
  4: { light: gamma(2.2) },
  5: { light: gamma(2.8) },
  6: { light: bt709 },
  7: { light: smpte240 },
  8: { light: linear },
  11: { light: bt709 },
  12: { light: bt709 },
  13: { light: srgb },
  14: { light: bt709 },
  15: { light: bt709 },
  16: { light: pq, tone: toneOf },
  17: { light: (v) => (52.37 / 48) * v ** 2.6 },
  18: { light: hlg, tone: (scene) => toneOf(PEAK * scene ** SYSTEM_GAMMA) },
};

/** Coding-independent code points (ITU-T H.273), as `nclx` and `cICP` contain them. */
export interface CodePoints {
  readonly primaries: number;
  readonly transfer: number;
  /** Black is 16/255 and white 235/255. */
  readonly isNarrow?: boolean;
}

/**
 * The space that code points name; null when samples are to be taken as sRGB: the points say that, or nothing that is known. Without other
 * primaries the curve of television is taken for that of sRGB, as programs do that display pictures.
 */
export function namedSpace({ primaries, transfer, isNarrow = false }: CodePoints): ColourSpace | null {
  const curve = TRANSFERS[transfer] ?? { light: srgb };
  const points = PRIMARIES[primaries] ?? BT709;
  const isSrgb = points === BT709 && (curve.light === srgb || curve.light === bt709);
  if (isSrgb && !isNarrow) return null;
  const light = isSrgb ? srgb : curve.light;
  const full = (v: number) => Math.min(1, Math.max(0, (255 * v - 16) / 219));
  return { ...curve, light: isNarrow ? (v) => light(full(v)) : light, matrix: matrixOf(points) };
}

/**
 * The space of samples that an exponent decodes, with chromaticities as a file says them: white, red, green and blue. What is null is that of
 * sRGB. Null as well when these are no colours.
 */
export function measuredSpace(exponent: number | null, chromaticities: readonly number[] | null): ColourSpace | null {
  const [wx = 0, wy = 0, ...primaries] = chromaticities ?? [...D65, ...BT709];
  const points = [...primaries.slice(0, 6), wx, wy] as unknown as Primaries;
  const areColours = whiteOf(points).every((amount) => amount > 0 && Number.isFinite(amount));
  return areColours ? { light: exponent === null ? srgb : gamma(exponent), matrix: matrixOf(points) } : null;
}

function matrixOf(primaries: Primaries): Matrix {
  return product(FROM_D50, toD50(primaries));
}

/** To linear sRGB from XYZ under a white. */
export function fromXyz(white: Vector): Matrix {
  return product(FROM_D50, adaptation(white));
}

function toD50(primaries: Primaries): Matrix {
  const columns = product(lights(primaries), diagonal(whiteOf(primaries)));
  return product(adaptation(applied(columns, [1, 1, 1])), columns);
}

/** From XYZ under a white to XYZ under D50 (Bradford). */
function adaptation(white: Vector): Matrix {
  const cones = applied(BRADFORD, white);
  const gain = diagonal(applied(BRADFORD, D50).map((cone, index) => cone / (cones[index] ?? 1)));
  return product(product(inverse(BRADFORD), gain), BRADFORD);
}

/** Returns how much of red, green and blue there is in white. */
function whiteOf(primaries: Primaries): Vector {
  const [x, y] = primaries.slice(6) as [number, number];
  return applied(inverse(lights(primaries)), xyzOf(x, y));
}

/** Red, green and blue as XYZ, column by column. */
function lights([rx, ry, gx, gy, bx, by]: Primaries): Matrix {
  const [r, g, b] = [xyzOf(rx, ry), xyzOf(gx, gy), xyzOf(bx, by)];
  return [r[0], g[0], b[0], r[1], g[1], b[1], r[2], g[2], b[2]];
}

function xyzOf(x: number, y: number): Vector {
  return [x / y, 1, (1 - x - y) / y];
}

function diagonal([a = 1, b = 1, c = 1]: readonly number[]): Matrix {
  return [a, 0, 0, 0, b, 0, 0, 0, c];
}

function applied([a, b, c, d, e, f, g, h, i]: Matrix, [x, y, z]: Vector): Vector {
  return [a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z];
}

function product(one: Matrix, [a, b, c, d, e, f, g, h, i]: Matrix): Matrix {
  const [first, second, third] = [applied(one, [a, d, g]), applied(one, [b, e, h]), applied(one, [c, f, i])];
  return [first[0], second[0], third[0], first[1], second[1], third[1], first[2], second[2], third[2]];
}

function inverse([a, b, c, d, e, f, g, h, i]: Matrix): Matrix {
  const [x, y, z] = [e * i - f * h, f * g - d * i, d * h - e * g];
  const by = 1 / (a * x + b * y + c * z);
  const rows = [x, c * h - b * i, b * f - c * e, y, a * i - c * g, c * d - a * f, z, b * g - a * h, a * e - b * d];
  return rows.map((value) => value * by) as unknown as Matrix;
}

/** From XYZ to the responses of the eye's cones, sharpened. */
const BRADFORD: Matrix = [0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296];
/** To linear sRGB from XYZ under D50, the profile connection space of ICC. */
const FROM_D50 = inverse(toD50(BT709));

export const adobeRgb: ColourSpace = { light: gamma(563 / 256), matrix: matrixOf(ADOBE) };
export const displayP3: ColourSpace = { light: srgb, matrix: matrixOf(P3) };
/** The colour space of samples of floating point, unless a profile says otherwise. */
export const linearSrgb: ColourSpace = { light: linear, matrix: [1, 0, 0, 0, 1, 0, 0, 0, 1] };

const HEADER = 128;
const MAX_TAGS = 100;

/** Whether bytes are a colour profile of RGB, as far as its header tells (ICC.1, 7.2). */
export function isRgbProfile(profile: Uint8Array): boolean {
  return signatureOf(bufferOf(profile)) === 'RGB ';
}

/**
 * The space that a profile describes by curves, and of RGB by a matrix, too (ICC.1, 8.3.3 and 8.3.4). Null for a profile that is invalid or
 * describes it by other means.
 */
export function profiledSpace(bytes: Uint8Array): ColourSpace | null {
  const profile = bufferOf(bytes);
  const signature = signatureOf(profile);
  if (signature === 'GRAY') {
    const light = curveAt(tagOf(profile, 'kTRC'));
    return light && { ...linearSrgb, light };
  }
  if (signature !== 'RGB ') return null;
  const [red, green, blue] = ['rXYZ', 'gXYZ', 'bXYZ'].map((name) => xyzAt(tagOf(profile, name)));
  const curves = ['rTRC', 'gTRC', 'bTRC'].map((name) => tagOf(profile, name));
  const [light, ...others] = curves.map(curveAt);
  if (!red || !green || !blue || !light || others.includes(null)) return null;
  // Real profiles of RGB have the same curve three times, and mostly one of them three names.
  if (!curves.every((curve) => curve !== null && curves[0]?.equals(curve))) return null;
  const columns = [0, 1, 2].flatMap((row) => [red[row] ?? 0, green[row] ?? 0, blue[row] ?? 0]);
  return { light, matrix: product(FROM_D50, columns as unknown as Matrix) };
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** Returns the signature of the samples' colours; null when this is no profile. */
function signatureOf(profile: Buffer): string | null {
  const isProfile = profile.length > HEADER + 4 && profile.toString('latin1', 36, 40) === 'acsp';
  return isProfile && profile.readUInt32BE(0) <= profile.length ? profile.toString('latin1', 16, 20) : null;
}

function tagOf(profile: Buffer, name: string): Buffer | null {
  const count = Math.min(MAX_TAGS, profile.readUInt32BE(HEADER));
  for (let at = HEADER + 4; at + 12 <= profile.length && at < HEADER + 4 + 12 * count; at += 12) {
    if (profile.toString('latin1', at, at + 4) !== name) continue;
    const [start, length] = [profile.readUInt32BE(at + 4), profile.readUInt32BE(at + 8)];
    return start + length <= profile.length ? profile.subarray(start, start + length) : null;
  }
  return null;
}

function xyzAt(tag: Buffer | null): readonly number[] | null {
  if (tag === null || tag.length < 20 || typeOf(tag) !== 'XYZ ') return null;
  return [8, 12, 16].map((at) => tag.readInt32BE(at) / 0x10000);
}

function curveAt(tag: Buffer | null): ColourSpace['light'] | null {
  if (tag === null || tag.length < 12) return null;
  if (typeOf(tag) === 'curv') return sampledCurve(tag);
  return typeOf(tag) === 'para' ? parametricCurve(tag) : null;
}

/** No value: as it is; one: an exponent; otherwise values at equal distances. */
function sampledCurve(tag: Buffer): ColourSpace['light'] | null {
  const count = tag.readUInt32BE(8);
  if (count === 0) return linear;
  if (tag.length < 12 + 2 * count) return null;
  if (count === 1) return gamma(tag.readUInt16BE(12) / 256);
  const values = Float64Array.from({ length: count }, (_, index) => tag.readUInt16BE(12 + 2 * index) / 0xffff);
  return (v) => {
    const place = Math.min(1, Math.max(0, v)) * (count - 1);
    const before = Math.min(count - 2, Math.floor(place));
    const [low, high] = [values[before] ?? 0, values[before + 1] ?? 0];
    return low + (high - low) * (place - before);
  };
}

/** Functions 0 to 4 of `parametricCurveType` (ICC.1, 10.18). */
function parametricCurve(tag: Buffer): ColourSpace['light'] | null {
  const kind = tag.readUInt16BE(8);
  const count = [1, 3, 4, 5, 7][kind];
  if (count === undefined || tag.length < 12 + 4 * count) return null;
  const [g = 1, a = 1, b = 0, c = 0, d = 0, e = 0, f = 0] = Array.from(
    { length: count },
    (_, index) => tag.readInt32BE(12 + 4 * index) / 0x10000,
  );
  const power = (v: number) => Math.max(0, a * v + b) ** g;
  const functions: readonly ColourSpace['light'][] = [
    power,
    (v) => (v >= -b / a ? power(v) : 0),
    (v) => (v >= -b / a ? power(v) + c : c),
    (v) => (v >= d ? power(v) : c * v),
    (v) => (v >= d ? power(v) + e : c * v + f),
  ];
  return functions[kind] ?? null;
}

function typeOf(tag: Buffer): string {
  return tag.toString('latin1', 0, 4);
}
