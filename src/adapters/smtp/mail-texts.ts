import type { Mail, MailTemplate, MailTemplates, NoticeValues } from '../../core/mail/mail.js';
import { countryName } from '../../core/photos/places.js';

/** A text is a paragraph. */
type Part =
  | string
  | { readonly kind: 'link'; readonly label: string; readonly url: string }
  | { readonly kind: 'facts'; readonly rows: readonly (readonly [label: string, value: string])[] };

/** The text of a mail, before it is plain text or HTML. */
interface MailText {
  readonly subject: string;
  readonly parts: readonly Part[];
}

const link = (label: string, url: string): Part => ({ kind: 'link', label, url });
const facts = (...rows: readonly (readonly [string, string | null])[]): Part => ({
  kind: 'facts',
  rows: rows.flatMap(([label, value]) => (value === null ? [] : [[label, value] as const])),
});

const MAX_NAME = 60;

/**
 * A name that a person chose, on one line: without characters that break lines or turn the direction of what follows, short, and without
 * what programs make a link of, so that no one sends advertisements under our address by the name of an account.
 */
function plainName(name: string): string {
  const line = name
    .replace(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const points = Array.from(line);
  const short = points.length <= MAX_NAME ? line : `${points.slice(0, MAX_NAME - 1).join('')}…`;
  // Spaces in what programs recognize: schemes, domains in any script, e-mail addresses, network drives.
  return short
    .replace(/\S+/gu, (word) => {
      // A space after each colon of the word that follows a letter, except at its end.
      const first = word.search(/\p{L}/u);
      return first === -1 ? word : word.slice(0, first) + word.slice(first).replace(/:(?!$)/gu, ': ');
    })
    .replace(/(?<=\S)[.\u3002\uff0e\uff61](?=[\p{L}\p{N}\p{M}_-])/gu, '$& ')
    .replace(/(?<=\S)@(?=\S)/g, '@ ')
    .replace(/([/\\])(?=[/\\])/g, '$1 ');
}

/** An address as it is, if programs only make a link for writing to it; else as a name: people enter their own, unconfirmed. */
function plainAddress(email: string): string {
  return /^(?!www\.)[\p{L}\p{N}.'_+-]+@[\p{L}\p{N}.-]+$/iu.test(email) ? email : plainName(email);
}

/** For example `23 November 2026, 14:05 (Europe/Paris, UTC+01:00)`: the reader may be in another zone. */
function moment(iso: string, timeZone: string): string {
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

const texts: { readonly [T in MailTemplate]: (values: MailTemplates[T]) => MailText } = {
  invitation: (values) => ({
    subject: `Invitation to ${plainName(values.account)}`,
    parts: [
      `${values.invitedBy === null ? 'The operator of this photo service' : plainAddress(values.invitedBy)} invites you to the account “${plainName(values.account)}” as ${/^[aeiou]/.test(values.role) ? 'an' : 'a'} ${values.role}. Choose a password to get in:`,
      link('Accept the invitation', values.link),
      once(values),
      'If you do not expect this invitation, ignore this mail: without the link no one gets in.',
    ],
  }),
  new_link: (values) => ({
    subject: `A new link to ${plainName(values.account)}`,
    parts: [
      `Someone who manages the account “${plainName(values.account)}” has made a link for you, with which you choose a new password:`,
      link('Choose a new password', values.link),
      once(values),
      'Until you use it, you sign in as before.',
    ],
  }),
  recovery: (values) => ({
    subject: 'Choose a new password',
    parts: [
      `Someone has asked for a new password for your access to the account “${plainName(values.account)}”. If that was you, choose one here:`,
      link('Choose a new password', values.link),
      once(values),
      facts(['Asked for from', values.source]),
      'If it was not you, ignore this mail: nothing has changed, and no one has learned whether you have access.',
    ],
  }),
  email_confirmation: (values) => ({
    subject: 'Confirm your e-mail address',
    parts: [
      `You want to use the address ${plainAddress(values.email)} for the account “${plainName(values.account)}”. Confirm that it is yours:`,
      link('Confirm the address', values.link),
      once(values),
      'If you have not asked for this, ignore this mail: then nothing changes.',
    ],
  }),
  email_change_requested: (values) =>
    notice(
      'Your e-mail address is about to change',
      values,
      `Someone who is signed in as you wants to use the address ${plainAddress(values.email)} for the account “${plainName(values.account)}” instead of this one. It changes as soon as a link that we have sent there is opened.`,
      values.hasPassword ? 'change your password now: that also makes the link invalid' : null,
    ),
  email_changed: (values) =>
    notice(
      'Your e-mail address was changed',
      values,
      `Your address for the account “${plainName(values.account)}” is ${plainAddress(values.email)} from now on, and no longer this one.`,
    ),
  password_changed: (values) =>
    notice(
      values.hasPassword ? 'Your password was changed' : 'Your password was removed',
      values,
      values.hasPassword
        ? `The password with which you sign in to the account “${plainName(values.account)}” was changed, and every other browser of yours is signed out.`
        : `You sign in to the account “${plainName(values.account)}” at a provider from now on. The password that you had no longer works, and every other browser of yours is signed out.`,
    ),
  new_sign_in: (values) =>
    notice(
      'A new sign-in',
      values,
      `Someone has signed in to the account “${plainName(values.account)}” as you, in a browser and from an address that we do not know as yours.`,
      values.hasPassword
        ? 'change your password now, which also signs out every other browser'
        : 'sign out everywhere else under Account now, and secure your account at the provider',
    ),
  api_key_created: (values) =>
    notice(
      'A new API key',
      values,
      `The API key “${plainName(values.name)}” was created in your name for the account “${plainName(values.account)}”. Anyone who has it can use the account as its scopes allow.`,
      'delete the key, sign out everywhere else, and secure what you sign in with',
    ),
  factor_added: (values) =>
    notice(
      'Two-step sign-in: a second factor was added',
      values,
      `“${plainName(values.name)}” was added to your two-step sign-in for the account “${plainName(values.account)}”. Every other browser of yours is signed out.`,
    ),
  factor_removed: (values) =>
    notice(
      'Two-step sign-in: a second factor was removed',
      values,
      `A second factor was removed from your two-step sign-in for the account “${plainName(values.account)}”. Every other browser of yours is signed out.`,
    ),
  recovery_codes_created: (values) =>
    notice(
      'Two-step sign-in: new recovery codes',
      values,
      `New recovery codes were created for your two-step sign-in to the account “${plainName(values.account)}”. Those that you had before stopped working.`,
    ),
  test: ({ at, home }) => ({
    subject: 'A test of your mail server',
    parts: [
      `The operator of a photo service sent this mail on ${moment(at, 'UTC')}, to see whether mails of the service arrive. They do.`,
      link('Open the settings', home),
    ],
  }),
};

export function textOf({ template, values }: Mail): MailText {
  return (texts[template] as (values: Mail['values']) => MailText)(values);
}

function once({ expiresAt, timeZone }: { readonly expiresAt: string; readonly timeZone: string }): Part {
  return `The link works once, until ${moment(expiresAt, timeZone)}.`;
}

/**
 * A mail of a message, its circumstances, and whom to ask.
 * @param remedy What the person can do alone; null: the attacker may have shut the person out.
 */
function notice(subject: string, values: NoticeValues, message: string, remedy: string | null = null): MailText {
  const { at, timeZone, source, country, browser, owners, home } = values;
  const place = country ? `${countryName(country)}, by the address, which may be wrong` : null;
  const others =
    owners.length === 0
      ? 'the operator of this service'
      : `an owner of the account (${owners.map(plainAddress).join(', ')})`;
  const advice =
    remedy === null
      ? `If that was not you, ask ${others} to end that person’s access at once.`
      : `If that was not you, ${remedy}. If you cannot get in, ask ${others}.`;
  const circumstances = facts(
    ['When', moment(at, timeZone)],
    ['From', source],
    ['Country', place],
    ['Browser', browser && plainName(browser)],
  );
  return { subject, parts: [message, circumstances, advice, link('Open the settings', home)] };
}

/** Length of a line, without its end; RFC 5322 recommends 78. Addresses of links stay whole, as they would not work otherwise. */
const WIDTH = 76;

const REASON =
  'You get this mail because you have access to a photo service, or are invited to it. No one reads replies.';

export function plainTextOf({ parts }: MailText): string {
  const blocks = parts.map((part) => {
    if (typeof part === 'string') return wrapped(part);
    if (part.kind === 'link') return `${part.label}:\n${part.url}`;
    return part.rows.map(([label, value]) => wrapped(`${label}: ${value}`)).join('\n');
  });
  return `${[...blocks.filter((block) => block !== ''), `-- \n${wrapped(REASON)}`].join('\n\n')}\n`;
}

function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ').flatMap(pieces)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

/** A word that is longer than a line. */
function pieces(word: string): readonly string[] {
  return word.length <= WIDTH ? [word] : (word.match(new RegExp(`.{1,${WIDTH}}`, 'gu')) ?? []);
}

const PAGE = 'font:16px/1.5 system-ui,sans-serif;color:#1d2125;background:#ffffff;margin:0;padding:24px';
const BUTTON =
  'display:inline-block;padding:10px 18px;border-radius:6px;background:#1f5fbf;color:#ffffff;text-decoration:none';
const SOFT = 'color:#5b6470;font-size:14px';

/** The HTML of a mail: without pictures, styles from elsewhere, or anything that tells that it was read. */
export function htmlOf({ subject, parts }: MailText): string {
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    // Some programs make links of what looks like a telephone number or a place, too.
    '<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">',
    `<title>${escaped(subject)}</title></head>`,
    `<body style="${PAGE}"><main style="display:block;max-width:560px">`,
    `<h1 style="font-size:20px;margin:0 0 16px">${escaped(subject)}</h1>`,
    ...parts.map(htmlPart),
    `<p style="${SOFT}">${escaped(REASON)}</p>`,
    '</main></body></html>',
    '',
  ].join('\n');
}

function htmlPart(part: Part): string {
  if (typeof part === 'string') return `<p>${escaped(part)}</p>`;
  if (part.kind === 'facts') {
    const rows = part.rows.map(([label, value]) => `<strong>${escaped(label)}:</strong> ${escaped(value)}`);
    return rows.length === 0 ? '' : `<p>${rows.join('<br>\n')}</p>`;
  }
  const url = escaped(part.url);
  return `<p><a href="${url}" style="${BUTTON}">${escaped(part.label)}</a></p>
<p style="${SOFT}">Or open this address:<br>
<a href="${url}" style="color:#1f5fbf;word-break:break-all">${url}</a></p>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
