/** `48,51.5022N`, `48,51,30.1N`, or decimal degrees; null for anything else. */
export function readDegrees(text: string | null, negative: 'S' | 'W'): number | null {
  const [, degrees, minutes = '0', seconds = '0', side] =
    /^(-?\d+(?:\.\d+)?)(?:,(\d+(?:\.\d+)?))?(?:,(\d+(?:\.\d+)?))?\s*([NSEW])?$/i.exec(text?.trim() ?? '') ?? [];
  if (degrees === undefined) return null;
  const size = Math.abs(Number(degrees)) + Number(minutes) / 60 + Number(seconds) / 3600;
  return Number((degrees.startsWith('-') !== (side?.toUpperCase() === negative) ? -size : size).toFixed(8));
}

/** Metres from `3520/10` and whether it is below the sea (`1`); null for none. */
export function readAltitude(text: string | null, reference: string | null): number | null {
  const [, numerator, denominator = '1'] = /^(-?\d+(?:\.\d+)?)(?:\/(\d+))?$/.exec(text?.trim() ?? '') ?? [];
  if (numerator === undefined || Number(denominator) === 0) return null;
  const metres = Number(numerator) / Number(denominator);
  return reference === '1' ? -metres : metres;
}

/** Degrees and minutes, precise to a tenth of a millimetre. */
export function writeDegrees(degrees: number, positive: 'N' | 'E', negative: 'S' | 'W'): string {
  const size = Math.abs(degrees);
  const whole = Math.floor(size);
  const minutes = ((size - whole) * 60).toFixed(7);
  // Rounding may fill the minutes up.
  const [shown, rest] = Number(minutes) >= 60 ? [whole + 1, '0.0000000'] : [whole, minutes];
  return `${shown},${rest}${degrees < 0 ? negative : positive}`;
}

export function writeAltitude(metres: number): string {
  return `${Math.round(Math.abs(metres) * 1000)}/1000`;
}
