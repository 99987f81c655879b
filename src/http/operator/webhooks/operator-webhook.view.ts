import type { EndpointWithSecret } from '../../../core/webhooks/endpoints.js';
import type { DisabledReason, WebhookEndpoint } from '../../../core/webhooks/webhook-endpoint.js';
import { ResponseModel } from '../../fields/declared.js';
import { Flag, IdOf, Instant, OneOf, pageOf, Text } from '../../fields/fields.js';
import { instant } from '../../responses/wire.js';
import { Description, Events, Url } from './webhook-fields.js';

@ResponseModel('OperatorWebhook', 'A webhook endpoint of an account, without its secret.')
export class OperatorWebhookView {
  @IdOf({ description: 'The unique identifier of the endpoint.', example: 2 })
  id: number;

  @Url()
  url: string;

  @Description()
  description: string | null;

  @Events()
  events: string[];

  @Flag({ description: 'Whether events are sent.', example: true })
  enabled: boolean;

  @OneOf<DisabledReason>(
    {
      by_owner: 'somebody disabled it',
      gone: 'it answered 410',
      failing: 'it answered with nothing but failures for five days',
    },
    { description: 'Why the endpoint is disabled. Null while it is enabled.', nullable: true },
  )
  disabledReason: DisabledReason | null;

  @Instant({ description: 'When the endpoint was created.' })
  createdAt: string;

  @Instant({ description: 'When the endpoint was last changed.' })
  updatedAt: string;
}

export const OperatorWebhookPage = pageOf('OperatorWebhookPage', 'All endpoints of an account.', OperatorWebhookView);

@ResponseModel('OperatorWebhookWithSecret', 'A new endpoint, with its secret.')
export class OperatorWebhookWithSecretView extends OperatorWebhookView {
  @Text({
    description: 'The secret that signs events. It is shown here and in repetitions of this request, and nowhere else.',
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  })
  secret: string;
}

export function operatorWebhookView(endpoint: WebhookEndpoint): OperatorWebhookView {
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    events: [...endpoint.events],
    enabled: endpoint.status === 'enabled',
    disabledReason: endpoint.disabledReason,
    createdAt: instant(endpoint.createdAt),
    updatedAt: instant(endpoint.updatedAt),
  };
}

export function operatorWebhookWithSecretView({ endpoint, secret }: EndpointWithSecret): OperatorWebhookWithSecretView {
  return { ...operatorWebhookView(endpoint), secret };
}
