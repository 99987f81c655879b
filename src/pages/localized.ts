import type { Request } from 'express';
import { MAX_COUNTED } from '../core/photos/filter-values.js';
import { headerOf } from '../http/server/headers.js';

/**
 * Numbers and dates in texts. A text is made without knowing who will read it, and may wait in a session for the next page: a value stands in
 * it between two characters for private use, and is written in its reader's locale when the page is sent.
 */
const formats = {
  number: (locale: string, value: string) => new Intl.NumberFormat(locale).format(Number(value)),
  /** With one digit after the point. */
  decimal: (locale: string, value: string) =>
    new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(Number(value)),
  /** `2026-11` as `November 2026`. */
  month: (locale: string, value: string) => date(locale, `${value}-01`, { month: 'long', year: 'numeric' }),
  /** `2026-11` as `Nov`. */
  monthName: (locale: string, value: string) => date(locale, `${value}-01`, { month: 'short' }),
  /** `2026-11-21` as `21 Nov`. */
  day: (locale: string, value: string) => date(locale, value, { day: 'numeric', month: 'short' }),
  /** `2026-11-21T03:00` as `03:00`, of no zone. */
  hour: (locale: string, value: string) => date(locale, value, { hour: 'numeric', minute: '2-digit' }),
  /** `2026-11-21T03:04:05` as `21 November 2026 at 03:04:05`, of no zone. */
  time: (locale: string, value: string) => date(locale, value, { dateStyle: 'long', timeStyle: 'medium' }),
} as const;

type Kind = keyof typeof formats;

const [BEGIN, END] = ['\uE000', '\uE001'];
const VALUES = new RegExp(`${BEGIN}(${Object.keys(formats).join('|')}):([-\\d.T:]+)${END}`, 'g');

const DEFAULT_LOCALE = 'en-GB';

/** A value to be written when the text is sent. */
export function localizable(kind: Kind, value: number | string): string {
  return `${BEGIN}${kind}:${value}${END}`;
}

/** The text with its values as the reader's browser writes them. */
export function localize(text: string, request: Pick<Request, 'headers'>): string {
  const locale = localeOf(headerOf(request, 'accept-language'));
  return text.replace(VALUES, (_, kind: Kind, value: string) => formats[kind](locale, value));
}

/** The first locale of `Accept-Language` (RFC 9110 §12.5.4) for which there are formats; browsers sort by preference. */
function localeOf(header: string | undefined): string {
  for (const range of (header ?? '').slice(0, 200).split(',')) {
    const tag = range.split(';')[0]?.trim() ?? '';
    try {
      const [supported] = Intl.DateTimeFormat.supportedLocalesOf(tag === '' ? [] : tag);
      if (supported !== undefined) return supported;
    } catch {
      // Not the name of a language.
    }
  }
  return DEFAULT_LOCALE;
}

function date(locale: string, value: string, options: Intl.DateTimeFormatOptions): string {
  const at = new Date(value.includes('T') ? `${value}Z` : value);
  return Number.isNaN(at.getTime()) ? value : at.toLocaleString(locale, { ...options, timeZone: 'UTC' });
}

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
