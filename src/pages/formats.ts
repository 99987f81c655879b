import type { Request } from 'express';
import { MAX_COUNTED } from '../core/photos/filter-values.js';
import { headerOf } from '../http/server/request.js';

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Numbers and dates as the reader's browser writes them. */
export class Formats {
  private readonly whole: Intl.NumberFormat;

  constructor(private readonly locale: string = 'en-GB') {
    this.whole = new Intl.NumberFormat(locale);
  }

  /** `12,345` */
  number(value: number): string {
    return this.whole.format(value);
  }

  /** `999`, but `1,000+` for a number that was counted up to that. */
  countedUpTo(value: number, limit = MAX_COUNTED): string {
    return value < limit ? this.number(value) : `${this.number(limit)}+`;
  }

  /** `1 photo`, `12,345 photos` */
  pluralize(value: number, one: string, many = `${one}s`): string {
    return `${this.number(value)} ${value === 1 ? one : many}`;
  }

  /** `1.4 GB`, in powers of 1000, as storage is sold. */
  bytes(value: number): string {
    const power = value < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(value) / 3));
    const amount = value / 1000 ** power;
    if (power === 0 || amount >= 100) return `${this.number(Math.round(amount))} ${UNITS[power]}`;
    const rounded = new Intl.NumberFormat(this.locale, { maximumFractionDigits: 1 }).format(Number(amount.toFixed(1)));
    return `${rounded} ${UNITS[power]}`;
  }

  /** `2026-11` as `November 2026`. */
  month(month: string): string {
    return this.date(`${month}-01`, { month: 'long', year: 'numeric' });
  }

  /** `2026-11` as `Nov`. */
  monthName(month: string): string {
    return this.date(`${month}-01`, { month: 'short' });
  }

  /** `2026-11-21` as `21 Nov`. */
  day(day: string): string {
    return this.date(day, { day: 'numeric', month: 'short' });
  }

  /** `2026-11-21T03:00` as `03:00`, of no zone. */
  hour(hour: string): string {
    return this.date(hour, { hour: 'numeric', minute: '2-digit' });
  }

  /** `2026-11-21T03:04:05` as `21 November 2026 at 03:04:05`, of no zone. */
  time(time: string): string {
    return this.date(time, { dateStyle: 'long', timeStyle: 'medium' });
  }

  private date(value: string, options: Intl.DateTimeFormatOptions): string {
    const at = new Date(value.includes('T') ? `${value}Z` : value);
    return Number.isNaN(at.getTime()) ? value : at.toLocaleString(this.locale, { ...options, timeZone: 'UTC' });
  }
}

/** The formats of the first locale of `Accept-Language` (RFC 9110 §12.5.4) for which there are any; browsers sort by preference. */
export function formatsOf(request: Pick<Request, 'headers'>): Formats {
  for (const range of (headerOf(request, 'accept-language') ?? '').slice(0, 200).split(',')) {
    const tag = range.split(';')[0]?.trim() ?? '';
    try {
      const [supported] = Intl.DateTimeFormat.supportedLocalesOf(tag === '' ? [] : tag);
      if (supported !== undefined) return new Formats(supported);
    } catch {
      // Not the name of a language.
    }
  }
  return new Formats();
}
