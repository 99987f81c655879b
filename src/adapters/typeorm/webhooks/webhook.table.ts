import type { WebhookEndpoint } from '../../../core/webhooks/webhook-endpoint.js';
import { generatedKey, instant, key, optionalInstant, optionalText, tableOf, text } from '../database/columns.js';

export const webhookEndpointTable = tableOf<WebhookEndpoint>('webhookEndpoint', 'webhook_endpoints', {
  customerId: key,
  id: generatedKey,
  url: text,
  description: optionalText,
  events: { type: 'text', array: true },
  status: text,
  disabledAt: optionalInstant,
  disabledReason: optionalText,
  secret: text,
  previousSecret: optionalText,
  previousSecretUntil: optionalInstant,
  failingSince: optionalInstant,
  listeningUntil: optionalInstant,
  createdAt: instant,
  updatedAt: instant,
});
