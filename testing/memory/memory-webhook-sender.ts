import { answerText } from '../../src/adapters/webhooks/http-webhook-sender.js';
import { isPublicAddress, urlProblem } from '../../src/core/access/outgoing-url.js';
import {
  MAX_ANSWER_BYTES,
  type WebhookAnswer,
  type WebhookMessage,
  type WebhookSender,
} from '../../src/core/webhooks/webhook-sender.js';

/** Answers for receivers, and keeps what they were sent. */
export class MemoryWebhookSender implements WebhookSender {
  readonly sent: WebhookMessage[] = [];
  /** The body of their answers. */
  answerBody: string | null = null;
  /** The answer of receivers; 200 until a test says otherwise. Called while the request is under way. */
  answer: (message: WebhookMessage) => number | Promise<number> = () => 200;

  /** @param addresses Where names lead; a name that is not here leads to a public address. */
  constructor(
    private readonly allowPrivate = false,
    private readonly addresses: Readonly<Record<string, string>> = {},
  ) {}

  async refusal(url: string): Promise<string | null> {
    const problem = urlProblem(url, this.allowPrivate);
    if (problem !== null || this.allowPrivate) return problem;
    const { hostname } = new URL(url);
    const isLiteral = /^[\d.]+$|^\[/.test(hostname);
    const address = isLiteral ? hostname.replace(/^\[|\]$/g, '') : (this.addresses[hostname] ?? '93.184.216.34');
    return isPublicAddress(address) ? null : 'url must lead to a public address.';
  }

  async post(message: WebhookMessage): Promise<WebhookAnswer> {
    const refusal = await this.refusal(message.url);
    if (refusal !== null) return { status: null, reason: refusal, body: null };
    this.sent.push(message);
    try {
      return {
        status: await this.answer(message),
        reason: null,
        body: answerText(this.answerBody?.slice(0, MAX_ANSWER_BYTES) ?? ''),
      };
    } catch (error) {
      return { status: null, reason: String(error), body: null };
    }
  }
}
