import type { WebhookMessage, WebhookSender } from '../../src/core/webhooks/webhook-sender.js';

export interface OpenSender {
  readonly sender: WebhookSender;
  /** A receiver that the sender may reach. */
  readonly url: string;
  /** What the receiver answers from here on; null: it cuts the connection. */
  answers(status: number | null, headers?: Readonly<Record<string, string>>): void;
  /** What has reached the receiver. */
  received(): readonly Omit<WebhookMessage, 'url'>[];
  close(): Promise<void>;
}

const headers = { 'content-type': 'application/json; charset=utf-8', 'webhook-id': 'evt_1' };
const body = '{"é":"📷"}';

/** What `WebhookSender` promises. */
export function webhookSenderContract(name: string, open: () => Promise<OpenSender>): void {
  describe(`WebhookSender: ${name}`, () => {
    let opened: OpenSender;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    const post = (url = opened.url) => opened.sender.post({ url, headers, body });

    it('brings headers and body as they are, once', async () => {
      expect(await opened.sender.refusal(opened.url)).toBeNull();
      expect(opened.received()).toEqual([]);
      expect(await post()).toEqual({ status: expect.any(Number), reason: null });
      expect(opened.received()).toEqual([{ headers: expect.objectContaining(headers), body }]);
    });

    it.each([200, 204, 299, 304, 400, 404, 410, 429, 500, 503])('answers with the status %i', async (status) => {
      opened.answers(status);
      expect(await post()).toEqual({ status, reason: null });
      expect(opened.received()).toHaveLength(1);
    });

    it.each([301, 302, 307, 308])('does not follow a %i', async (status) => {
      opened.answers(status, { location: opened.url });
      expect(await post()).toEqual({ status, reason: null });
      expect(opened.received()).toHaveLength(1);
    });

    it('says why there is no answer, and does not throw', async () => {
      opened.answers(null);
      expect(await post()).toEqual({ status: null, reason: expect.stringMatching(/./) });
    });

    it.each([
      '',
      'example.com',
      '/hooks',
      'ftp://example.com/',
      'file:///etc/passwd',
      'gopher://example.com/',
      'javascript:alert(1)',
      'https://user@example.com/',
      'https://user:secret@example.com/',
      'https://example.com/#part',
      `https://example.com/${'x'.repeat(2000)}`,
      'https://',
    ])('refuses %j, and sends nothing there', async (url) => {
      const refusal = await opened.sender.refusal(url);
      expect(refusal).toMatch(/^url must .*\.$/);
      expect(await post(url)).toEqual({ status: null, reason: refusal });
      expect(opened.received()).toEqual([]);
    });
  });
}
