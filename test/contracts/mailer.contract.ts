import type { Mailer, QueuedMail } from '../../src/core/mail/mail.js';
import { sampleMails } from '../support/sample-mails.js';

export interface OpenMailer {
  readonly mailer: Mailer;
  /** How the server takes mails from here on. */
  takes(how: 'all' | 'never this mail' | 'none now'): void;
  /** What has reached mailboxes: the recipient, and the id that programs compare. */
  delivered(): readonly { readonly to: string; readonly id: string }[];
  close(): Promise<void>;
}

const AT = new Date('2026-11-24T09:30:00.000Z');
const mailTo = (address: string, id = 'an-id'): QueuedMail => ({
  id,
  at: AT,
  mail: { ...sampleMails.recovery, to: { userId: 7, address } },
});

/** What `Mailer` promises. */
export function mailerContract(name: string, open: () => Promise<OpenMailer>): void {
  describe(`Mailer: ${name}`, () => {
    let opened: OpenMailer;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    it('delivers a mail to its recipient alone', async () => {
      expect(await opened.mailer.send(mailTo('anna@example.com'))).toBe('sent');
      expect(opened.delivered()).toEqual([{ to: 'anna@example.com', id: 'an-id' }]);
    });

    it.each(['a,b@example.com', "o'neil@example.com", 'ünïcode@example.com', 'a;b@example.com', 'a:b@example.com'])(
      'accepts %s as one address',
      async (address) => {
        expect(await opened.mailer.send(mailTo(address))).toBe('sent');
        expect(opened.delivered()).toEqual([{ to: address, id: 'an-id' }]);
      },
    );

    it('gives a mail the same id when it is sent again, and another mail another id', async () => {
      for (const id of ['one', 'one', 'two']) await opened.mailer.send(mailTo('anna@example.com', id));
      expect(new Set(opened.delivered().map(({ id }) => id))).toEqual(new Set(['one', 'two']));
    });

    it('distinguishes a mail that will never be accepted from a server that accepts none now', async () => {
      opened.takes('never this mail');
      expect(await opened.mailer.send(mailTo('anna@example.com'))).toBe('refused');
      opened.takes('none now');
      const failed = opened.mailer.send(mailTo('anna@example.com'));
      await expect(failed).rejects.toMatchObject({ code: 'service_unavailable' });
      const told = await failed.catch((error: Error) => `${error.message} ${JSON.stringify(error)}`);
      expect(told).not.toMatch(/anna@example\.com|settings\/enter/);
      expect(opened.delivered()).toEqual([]);
      opened.takes('all');
      expect(await opened.mailer.send(mailTo('anna@example.com'))).toBe('sent');
    });

    it('shows the answer of the server to an operator who waits for it', async () => {
      const report = () => opened.mailer.sendReported(mailTo('anna@example.com'));
      const starting = (code: string) => expect.stringMatching(new RegExp(`^${code} `));
      expect(await report()).toEqual({ result: 'sent', answer: starting('250') });
      opened.takes('never this mail');
      expect(await report()).toEqual({ result: 'refused', answer: starting('550') });
      opened.takes('none now');
      expect(await report()).toEqual({ result: 'unavailable', answer: starting('451') });
      expect(opened.delivered()).toEqual([{ to: 'anna@example.com', id: 'an-id' }]);
    });

    it('checks the server without sending anything', async () => {
      await opened.mailer.check();
      expect(opened.delivered()).toEqual([]);
    });
  });
}
