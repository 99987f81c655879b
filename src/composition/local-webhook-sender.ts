import { HttpWebhookSender } from '../adapters/webhooks/http-webhook-sender.js';
import type { WebhookSender } from '../core/webhooks/webhook-sender.js';

/** Sends to any address, this machine's included, and shows what it answers: for whoever operates the service, at their own terminal. */
export function localWebhookSender(): WebhookSender {
  return new HttpWebhookSender({ allowPrivate: true, readPrivate: true });
}
