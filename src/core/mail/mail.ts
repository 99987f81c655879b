import type { Id } from '../shared/ids.js';

/** Whom a mail goes to. */
export interface Recipient {
  /** Names the person where the address must not appear, as in a log. */
  readonly userId: Id;
  readonly address: string;
}

/** A link with its end. Times are in ISO 8601, to be shown in the account's time zone. */
interface LinkValues {
  /** The account's name. */
  readonly account: string;
  readonly timeZone: string;
  readonly link: string;
  readonly expiresAt: string;
}

/** The circumstances of something that has been done in a person's name. */
export interface NoticeValues {
  readonly account: string;
  readonly timeZone: string;
  readonly at: string;
  /** IP address that it was done from; null if it was not done over the network. */
  readonly source: string | null;
  /** The country in which that address is registered (ISO 3166-1 alpha-2), if it is known. */
  readonly country: string | null;
  /** The user agent; null where it is not known. */
  readonly browser: string | null;
  /** Owners of the account who can help. */
  readonly owners: readonly string[];
  /** Where the person signs in. */
  readonly home: string;
}

/** The facts about a person that the advice in a mail depends on. */
export interface PersonValues extends NoticeValues {
  /** Whether the person signs in with a password; otherwise at a provider. */
  readonly hasPassword: boolean;
}

/** All templates, with the values that each needs. Closed: adapters have a text for each. */
export interface MailTemplates {
  readonly invitation: LinkValues & { readonly role: string; readonly invitedBy: string | null };
  /** Made by a person who manages people, for a person who has lost the password. */
  readonly new_link: LinkValues;
  readonly recovery: LinkValues & { readonly source: string };
  readonly email_confirmation: LinkValues & { readonly email: string };
  readonly email_change_requested: PersonValues & { readonly email: string };
  readonly email_changed: PersonValues & { readonly email: string };
  readonly password_changed: PersonValues;
  readonly new_sign_in: PersonValues;
  readonly api_key_created: NoticeValues & { readonly name: string };
  readonly factor_added: PersonValues & { readonly name: string };
  readonly factor_removed: PersonValues;
  readonly recovery_codes_created: PersonValues;
  /** Asked for by the operator. */
  readonly test: Pick<NoticeValues, 'at' | 'home'>;
}
export type MailTemplate = keyof MailTemplates;

export type Mail = {
  [T in MailTemplate]: { readonly to: Recipient; readonly template: T; readonly values: MailTemplates[T] };
}[MailTemplate];

/** The same on its way. */
export interface QueuedMail {
  /** Stays the same when a mail is sent twice, so that the recipient's program can tell. */
  readonly id: string;
  readonly mail: Mail;
  readonly at: Date;
}

/** The outcome of an attempt to send a mail. `refused`: the server will never take it, for example because the mailbox does not exist. */
export type SendResult = 'sent' | 'refused';

/** The outcome of an attempt, for the operator who waits for it. */
export interface SendReport {
  /** `unavailable`: the server could not be used, or takes no mails now. */
  readonly result: SendResult | 'unavailable';
  /** The server's answer, on one line; without an answer, why there is none. It may repeat the address, so it is not for logs. */
  readonly answer: string;
}

/** Sends mails. */
export interface Mailer {
  /**
   * Hands a mail over to a server that delivers it. No text of the mail can add a recipient or a line to what stands above it. A mail that
   * is handed over again, because it is unknown whether it was, has the same id. No error contains an address or a link. Errors:
   * `service_unavailable` when it may work later, also when the server does not answer in time.
   */
  send(mail: QueuedMail): Promise<SendResult>;
  /** Sends a mail as `send` does, and says what the server answered. */
  sendReported(mail: QueuedMail): Promise<SendReport>;
  /** Connects and signs in as for a mail, and sends none. Errors: `service_unavailable`. */
  check(): Promise<void>;
}
