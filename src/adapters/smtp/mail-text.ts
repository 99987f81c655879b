/** A part of a mail. */
export type Part =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'link'; readonly label: string; readonly url: string }
  | { readonly kind: 'facts'; readonly rows: readonly (readonly [label: string, value: string])[] };

/** What a mail says, before it is plain text or HTML. */
export interface MailText {
  readonly subject: string;
  readonly parts: readonly Part[];
}

export const paragraph = (text: string): Part => ({ kind: 'paragraph', text });
export const link = (label: string, url: string): Part => ({ kind: 'link', label, url });
export const facts = (...rows: readonly (readonly [string, string | null])[]): Part => ({
  kind: 'facts',
  rows: rows.flatMap(([label, value]) => (value === null ? [] : [[label, value] as const])),
});

const MAX_NAME = 60;

/**
 * A name that somebody chose, on one line: without characters that break lines or turn the direction of what follows, short, and without
 * what programs make a link of, so that nobody sends advertisements under our address by the name of an account.
 */
export function plainName(name: string): string {
  const line = name
    .replace(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const points = Array.from(line);
  const short = points.length <= MAX_NAME ? line : `${points.slice(0, MAX_NAME - 1).join('')}…`;
  return withoutLinks(short);
}

/** An address as it is, if programs only make a link for writing to it; else as a name: people enter their own, unconfirmed. */
export function plainAddress(email: string): string {
  return /^(?!www\.)[\p{L}\p{N}.'_+-]+@[\p{L}\p{N}.-]+$/iu.test(email) ? email : plainName(email);
}

/** Spaces in what programs recognize: schemes, domains in any script, e-mail addresses, network drives. */
function withoutLinks(text: string): string {
  return text
    .replace(/\S+/gu, withoutScheme)
    .replace(/(?<=\S)[.\u3002\uff0e\uff61](?=[\p{L}\p{N}\p{M}_-])/gu, '$& ')
    .replace(/(?<=\S)@(?=\S)/g, '@ ')
    .replace(/([/\\])(?=[/\\])/g, '$1 ');
}

/** A space after each colon of the word that follows a letter, except at its end. */
function withoutScheme(word: string): string {
  const first = word.search(/\p{L}/u);
  return first === -1 ? word : word.slice(0, first) + word.slice(first).replace(/:(?!$)/gu, ': ');
}

/** For example `23 November 2026, 14:05 (Europe/Paris, UTC+01:00)`: whoever reads it may be in another zone. */
export function moment(iso: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  });
  const parts = new Map(format.formatToParts(new Date(iso)).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  const offset = part('timeZoneName').replace('GMT', 'UTC');
  const zone = timeZone === 'UTC' ? 'UTC' : `${timeZone}, ${offset}`;
  return `${part('day')} ${part('month')} ${part('year')}, ${part('hour')}:${part('minute')} (${zone})`;
}
