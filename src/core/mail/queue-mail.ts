import type { JobWork } from '../jobs/job.js';
import { newRandomToken } from '../shared/random-token.js';
import { seal, unseal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import type { Transaction } from '../shared/transactional.js';
import type { Mail, QueuedMail } from './mail.js';
import type { Mailer } from './mailer.js';

export interface MailUses {
  /** Null where no server is configured: nothing is sent, and links are passed on by people. */
  readonly mailer: Mailer | null;
  readonly secrets: Secrets;
}

export type MailWork = Extract<JobWork, { readonly kind: 'mail' }>;

/** Sends a mail soon after the transaction is committed, and not at all if it is not. */
export async function queueMail(uses: MailUses, { jobs }: Transaction<'jobs'>, mail: Mail, at: Date): Promise<void> {
  if (uses.mailer !== null) await jobs.add(mailWork(uses, mail, at));
}

/** Links in mails are as good as passwords, so the row of the job is sealed. */
export function mailWork({ secrets }: Pick<MailUses, 'secrets'>, mail: Mail, at: Date): MailWork {
  const id = newRandomToken();
  const sealed = seal(secrets, 'mail', JSON.stringify({ mail, at }));
  return { kind: 'mail', id, template: mail.template, userId: mail.to.userId, sealed };
}

/** Null when no secret opens it any more. */
export function openMail({ secrets }: Pick<MailUses, 'secrets'>, { id, sealed }: MailWork): QueuedMail | null {
  const text = unseal(secrets, 'mail', sealed);
  if (text === null) return null;
  const { mail, at } = JSON.parse(text) as { mail: Mail; at: string };
  return { id, mail, at: new Date(at) };
}
