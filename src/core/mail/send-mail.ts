import { type Job, MAX_ATTEMPTS, MAX_FAILURES } from '../jobs/job.js';
import { type Clock, DAY } from '../shared/clock.js';
import { isOutage } from '../shared/errors.js';
import type { SendResult } from './mailer.js';
import { type MailUses, type MailWork, openMail } from './queue-mail.js';

/** After this long a mail is forgotten: nobody expects it any more. */
export const MAIL_MS = DAY;

/**
 * How a mail ended. `expired`: no server took it for a day; `unreadable`: what sealed it is gone; `failed`: a fault of our own, or the
 * service died each time.
 */
export type MailOutcome = SendResult | 'expired' | 'unreadable' | 'failed';

/**
 * Sends a mail of the queue. Errors: `service_unavailable` when it should be tried again; any other while the job has failed fewer than
 * `MAX_FAILURES` times.
 */
export async function sendMail(
  { mailer, secrets, clock }: MailUses & { readonly clock: Clock },
  work: MailWork,
  { attempt, failures }: Pick<Job, 'attempt' | 'failures'>,
): Promise<MailOutcome> {
  const mail = openMail({ secrets }, work);
  if (mail === null) return 'unreadable';
  // Without a server, too: its setting may have been removed for good.
  if (mailer === null || clock.now().getTime() - mail.at.getTime() >= MAIL_MS) return 'expired';
  if (attempt > MAX_ATTEMPTS) return 'failed';
  try {
    return await mailer.send(mail);
  } catch (error) {
    if (isOutage(error) || failures + 1 < MAX_FAILURES) throw error;
    return 'failed';
  }
}
