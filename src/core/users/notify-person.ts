import type { IpCountries } from '../access/ip-list.js';
import type { Mail, MailTemplate, MailTemplates, PersonValues } from '../mail/mail.js';
import { type MailUses, queueMail } from '../mail/send-mail.js';
import type { Addresses } from '../shared/addresses.js';
import type { Transaction } from '../shared/transactional.js';
import type { User } from './user.js';

export type NoticeUses = MailUses & { readonly addresses: Addresses; readonly ipCountries: IpCountries };

/** The templates that tell a person what has been done in their name. */
type NoticeTemplate = { [T in MailTemplate]: MailTemplates[T] extends PersonValues ? T : never }[MailTemplate];

/** A template, and what it needs beside the circumstances. */
export type Notice = {
  [T in NoticeTemplate]: { readonly template: T } & Omit<MailTemplates[T], keyof PersonValues>;
}[NoticeTemplate];

export interface Circumstances {
  readonly at: Date;
  readonly address: string | null;
  readonly userAgent: string;
}

/** Owners who are named in a mail. */
const MAX_OWNERS = 3;

/** Tells a person by mail what has been done in their name, and whom to ask if it was someone else. Not one who has no address. */
export async function notifyPerson(
  uses: NoticeUses,
  transaction: Transaction<'customer' | 'users' | 'jobs'>,
  { id, email, passwordHash }: Pick<User, 'id' | 'email' | 'passwordHash'>,
  { template, ...more }: Notice,
  { at, address, userAgent }: Circumstances,
): Promise<void> {
  if (uses.mailer === null || email === null) return;
  const { name: account, defaultTimeZone: timeZone } = await transaction.customer.read();
  const everyone = await transaction.users.list();
  const owners = everyone
    .filter((user) => user.role === 'owner' && user.joinedAt !== null && user.id !== id)
    .flatMap((owner) => owner.email ?? [])
    .slice(0, MAX_OWNERS);
  const country = address === null ? null : await uses.ipCountries.countryOf(address);
  const circumstances = { at: at.toISOString(), source: address, country, browser: browserName(userAgent) };
  const whose = { account, timeZone, hasPassword: passwordHash !== null, owners, home: uses.addresses.settings() };
  const values = { ...whose, ...circumstances, ...more };
  await queueMail(uses, transaction, { to: { userId: id, address: email }, template, values } as Mail, at);
}

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** The most likely browser of a user agent. Browsers claim to be each other, so the order matters. */
export function browserName(userAgent: string): string {
  const name = NAMES.find(([pattern]) => pattern.test(userAgent))?.[1] ?? 'A browser';
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  return system ? `${name} on ${system}` : name;
}
