import { MAX_ANSWER_BYTES, type WebhookMessage, type WebhookSender } from '../../src/core/webhooks/webhook-sender.js';

export interface OpenSender {
  readonly sender: WebhookSender;
  /** A receiver that the sender may reach. */
  readonly url: string;
  /** What the receiver answers from here on; null: it cuts the connection. */
  answers(status: number | null, headers?: Readonly<Record<string, string>>, body?: string): void;
  /** What has reached the receiver. */
  received(): readonly Pick<WebhookMessage, 'headers' | 'body'>[];
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

    const post = (url = opened.url) => opened.sender.post({ customerId: 1, url, headers, body });

    it('delivers headers and body unchanged, once', async () => {
      expect(await opened.sender.refusal(opened.url, 1)).toBeNull();
      expect(opened.received()).toEqual([]);
      expect(await post()).toEqual({ status: expect.any(Number), reason: null, body: null });
      expect(opened.received()).toEqual([{ headers: expect.objectContaining(headers), body }]);
    });

    it.each([200, 204, 299, 304, 400, 404, 410, 429, 500, 503])('returns the status %i', async (status) => {
      opened.answers(status);
      expect(await post()).toEqual({ status, reason: null, body: null });
      expect(opened.received()).toHaveLength(1);
    });

    it('returns the beginning of the response', async () => {
      opened.answers(400, {}, 'No such é');
      expect(await post()).toEqual({ status: 400, reason: null, body: 'No such é' });
      opened.answers(500, {}, 'x'.repeat(100_000));
      expect(await post()).toEqual({ status: 500, reason: null, body: 'x'.repeat(MAX_ANSWER_BYTES) });
    });

    it.each([
      ['{"error": "no", "api_key": "hunter2"}', '{"error": "no", "api_key": "…"}'],
      ['{"password":"cut off in the midd', '{"password":"…'],
      ['got Authorization: Bearer abc.def-1', 'got Authorization: Bearer …'],
      ['?id=1&token=abc&x=2', '?id=1&token=…&x=2'],
      ['wrong secret whsec_AAAA+/=', 'wrong secret whsec_…'],
      ['one\r\n\ttwo\u001b[2J\u202e', 'one\n\ttwo�[2J�'],
    ])('returns %j as %j: readable, and without secrets', async (sent, passed) => {
      opened.answers(400, {}, sent);
      expect(await post()).toEqual({ status: 400, reason: null, body: passed });
    });

    it.each([301, 302, 307, 308])('does not follow a redirect with %i', async (status) => {
      opened.answers(status, { location: opened.url });
      expect(await post()).toEqual({ status, reason: null, body: null });
      expect(opened.received()).toHaveLength(1);
    });

    it('reports why there is no answer, and does not throw', async () => {
      opened.answers(null);
      expect(await post()).toEqual({ status: null, reason: expect.stringMatching(/./), body: null });
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
      const refusal = await opened.sender.refusal(url, 1);
      expect(refusal).toMatch(/^url must .*\.$/);
      expect(await post(url)).toEqual({ status: null, reason: refusal, body: null });
      expect(opened.received()).toEqual([]);
    });
  });
}
