import { type ColourSpace, FROM_D50, linearSrgb, type Matrix, product } from './colour-space.js';

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
  const isOne = curves.every((curve) => curve !== null && curves[0]?.equals(curve));
  if (!isOne) return null;
  const columns = [0, 1, 2].flatMap((row) => [red[row] ?? 0, green[row] ?? 0, blue[row] ?? 0]);
  return { light, matrix: product(FROM_D50, columns as unknown as Matrix) };
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** Of the samples' colours; null when this is no profile. */
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
  if (count === 0) return (v) => v;
  if (tag.length < 12 + 2 * count) return null;
  if (count === 1) {
    const exponent = tag.readUInt16BE(12) / 256;
    return (v) => v ** exponent;
  }
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
