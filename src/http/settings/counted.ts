import { MAX_COUNTED } from '../../core/photos/filter-values.js';
import { localizable } from './localized.js';

/** `12,345` */
export function number(value: number): string {
  return localizable('number', value);
}

/** `999`, but `1,000+` for a number that was counted up to that. */
export function countedUpTo(value: number, limit = MAX_COUNTED): string {
  return value < limit ? number(value) : `${number(limit)}+`;
}

/** `1 photo`, `12,345 photos` */
export function pluralize(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** `1.4 GB`, in powers of 1000, as storage is sold. */
export function bytes(value: number): string {
  const power = value < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  const amount = value / 1000 ** power;
  const shown = power === 0 || amount >= 100 ? number(Math.round(amount)) : localizable('decimal', amount.toFixed(1));
  return `${shown} ${units[power]}`;
}
