import type { Mail, MailTemplate, MailTemplates, NoticeValues } from '../../core/mail/mail.js';
import { countryName } from '../../core/photos/places.js';
import { facts, link, type MailText, moment, type Part, paragraph, plainAddress, plainName } from './mail-text.js';

type Texts = { readonly [T in MailTemplate]: (values: MailTemplates[T]) => MailText };

const texts: Texts = {
  invitation: (values) => ({
    subject: `Invitation to ${plainName(values.account)}`,
    parts: [
      paragraph(
        `${values.invitedBy === null ? 'The operator of this photo service' : plainAddress(values.invitedBy)} invites you to the account “${plainName(values.account)}” as ${article(values.role)} ${values.role}. Choose a password to get in:`,
      ),
      link('Accept the invitation', values.link),
      once(values),
      paragraph('If you do not expect this invitation, ignore this mail: without the link nobody gets in.'),
    ],
  }),
  new_link: (values) => ({
    subject: `A new link to ${plainName(values.account)}`,
    parts: [
      paragraph(
        `Somebody who manages the account “${plainName(values.account)}” has made a link for you, with which you choose a new password:`,
      ),
      link('Choose a new password', values.link),
      once(values),
      paragraph('Until you use it, you sign in as before.'),
    ],
  }),
  recovery: (values) => ({
    subject: 'Choose a new password',
    parts: [
      paragraph(
        `Somebody has asked for a new password for your access to the account “${plainName(values.account)}”. If that was you, choose one here:`,
      ),
      link('Choose a new password', values.link),
      once(values),
      facts(['Asked for from', values.source]),
      paragraph(
        'If it was not you, ignore this mail: nothing has changed, and nobody has learned whether you have access.',
      ),
    ],
  }),
  email_confirmation: (values) => ({
    subject: 'Confirm your e-mail address',
    parts: [
      paragraph(
        `You want to use the address ${plainAddress(values.email)} for the account “${plainName(values.account)}”. Confirm that it is yours:`,
      ),
      link('Confirm the address', values.link),
      once(values),
      paragraph('If you have not asked for this, ignore this mail: then nothing changes.'),
    ],
  }),
  email_change_requested: (values) => ({
    subject: 'Your e-mail address is about to change',
    parts: [
      paragraph(
        `Somebody who is signed in as you wants to use the address ${plainAddress(values.email)} for the account “${plainName(values.account)}” instead of this one. It changes as soon as a link that we have sent there is opened.`,
      ),
      ...circumstances(values),
      ...ifNotYou(values, values.hasPassword ? 'change your password now: that also makes the link invalid' : null),
    ],
  }),
  email_changed: (values) => ({
    subject: 'Your e-mail address was changed',
    parts: [
      paragraph(
        `Your address for the account “${plainName(values.account)}” is ${plainAddress(values.email)} from now on, and no longer this one.`,
      ),
      ...circumstances(values),
      ...ifNotYou(values, null),
    ],
  }),
  password_changed: (values) => ({
    subject: values.hasPassword ? 'Your password was changed' : 'Your password was removed',
    parts: [
      paragraph(
        values.hasPassword
          ? `The password with which you sign in to the account “${plainName(values.account)}” was changed, and every other browser of yours is signed out.`
          : `You sign in to the account “${plainName(values.account)}” at a provider from now on. The password that you had does not work any more, and every other browser of yours is signed out.`,
      ),
      ...circumstances(values),
      ...ifNotYou(values, null),
    ],
  }),
  new_sign_in: (values) => ({
    subject: 'A new sign-in',
    parts: [
      paragraph(
        `Somebody has signed in to the account “${plainName(values.account)}” as you, in a browser and from an address that we do not know as yours.`,
      ),
      ...circumstances(values),
      ...ifNotYou(
        values,
        values.hasPassword
          ? 'change your password now, which also signs out every other browser'
          : 'sign out everywhere else under Account now, and secure your account at the provider',
      ),
    ],
  }),
  api_key_created: (values) => ({
    subject: 'A new API key',
    parts: [
      paragraph(
        `The API key “${plainName(values.name)}” was created in your name for the account “${plainName(values.account)}”. Whoever has it can use the account as its scopes allow.`,
      ),
      ...circumstances(values),
      ...ifNotYou(values, 'delete the key, sign out everywhere else, and secure what you sign in with'),
    ],
  }),
  factor_added: (values) => ({
    subject: 'Two-step sign-in: a second factor was added',
    parts: [
      paragraph(
        `“${plainName(values.name)}” was added to your two-step sign-in for the account “${plainName(values.account)}”. Every other browser of yours is signed out.`,
      ),
      ...circumstances(values),
      ...ifNotYou(values, null),
    ],
  }),
  factor_removed: (values) => ({
    subject: 'Two-step sign-in: a second factor was removed',
    parts: [
      paragraph(
        `A second factor was removed from your two-step sign-in for the account “${plainName(values.account)}”. Every other browser of yours is signed out.`,
      ),
      ...circumstances(values),
      ...ifNotYou(values, null),
    ],
  }),
  recovery_codes_created: (values) => ({
    subject: 'Two-step sign-in: new recovery codes',
    parts: [
      paragraph(
        `New recovery codes were created for your two-step sign-in to the account “${plainName(values.account)}”. Those that you had before stopped working.`,
      ),
      ...circumstances(values),
      ...ifNotYou(values, null),
    ],
  }),
  test: ({ at, home }) => ({
    subject: 'A test of your mail server',
    parts: [
      paragraph(
        `The operator of a photo service sent this mail on ${moment(at, 'UTC')}, to see whether mails of the service arrive. They do.`,
      ),
      link('Open the settings', home),
    ],
  }),
};

export function textOf({ template, values }: Mail): MailText {
  return (texts[template] as (values: Mail['values']) => MailText)(values);
}

function article(noun: string): string {
  return /^[aeiou]/.test(noun) ? 'an' : 'a';
}

function once({ expiresAt, timeZone }: { readonly expiresAt: string; readonly timeZone: string }): Part {
  return paragraph(`The link works once, until ${moment(expiresAt, timeZone)}.`);
}

function circumstances({ at, timeZone, source, country, browser }: NoticeValues): readonly Part[] {
  const place = country ? `${countryName(country)}, by the address, which may be wrong` : null;
  return [
    facts(
      ['When', moment(at, timeZone)],
      ['From', source],
      ['Country', place],
      ['Browser', browser && plainName(browser)],
    ),
  ];
}

/** @param remedy What the person can do alone; null: whoever did it may have shut the person out. */
function ifNotYou({ owners, home }: NoticeValues, remedy: string | null): readonly Part[] {
  const others =
    owners.length === 0
      ? 'the operator of this service'
      : `an owner of the account (${owners.map(plainAddress).join(', ')})`;
  const sentence =
    remedy === null
      ? `If that was not you, ask ${others} to end that person’s access at once.`
      : `If that was not you, ${remedy}. If you cannot get in, ask ${others}.`;
  return [paragraph(sentence), link('Open the settings', home)];
}
