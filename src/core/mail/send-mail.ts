import { type Job, type JobWork, MAX_ATTEMPTS, MAX_FAILURES } from '../jobs/job.js';
import { type Clock, DAY } from '../shared/clock.js';
import { isOutage } from '../shared/errors.js';
import { newRandomToken, type Secrets, seal, unseal } from '../shared/secrets.js';
import type { Transaction } from '../shared/transactional.js';
import type { Mail, Mailer, SendResult } from './mail.js';

export interface MailUses {
  /** Null where no server is configured: nothing is sent, and links are passed on by people. */
  readonly mailer: Mailer | null;
  readonly secrets: Secrets;
}

type MailWork = Extract<JobWork, { readonly kind: 'mail' }>;

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

/** After this long a mail is forgotten: it is no longer expected. */
export const MAIL_MS = DAY;

/**
 * The outcome of a mail. `expired`: no server took it for a day; `unreadable`: what sealed it is gone; `failed`: a fault of our own, or the
 * service died each time.
 */
export type MailOutcome = SendResult | 'expired' | 'unreadable' | 'failed';

/**
 * Sends a mail of the queue. Errors: `service_unavailable` when it should be tried again; any other while the job has failed fewer than
 * `MAX_FAILURES` times.
 */
export async function sendMail(
  { mailer, secrets, clock }: MailUses & { readonly clock: Clock },
  { id, sealed }: MailWork,
  { attempt, failures }: Pick<Job, 'attempt' | 'failures'>,
): Promise<MailOutcome> {
  const text = unseal(secrets, 'mail', sealed);
  if (text === null) return 'unreadable';
  const { mail, at: queuedAt } = JSON.parse(text) as { mail: Mail; at: string };
  const at = new Date(queuedAt);
  // Without a server, too: its setting may have been removed for good.
  if (mailer === null || clock.now().getTime() - at.getTime() >= MAIL_MS) return 'expired';
  if (attempt > MAX_ATTEMPTS) return 'failed';
  try {
    return await mailer.send({ id, mail, at });
  } catch (error) {
    if (isOutage(error) || failures + 1 < MAX_FAILURES) throw error;
    return 'failed';
  }
}
