import { MAX_URL_LENGTH } from '../../core/access/outgoing-url.js';
import { changeTypes } from '../../core/events/event.js';
import type { EndpointWithSecret } from '../../core/webhooks/endpoints.js';
import {
  type DisabledReason,
  MAX_ENDPOINT_DESCRIPTION,
  type WebhookEndpoint,
} from '../../core/webhooks/webhook-endpoint.js';
import { RequestModel, ResponseModel } from '../../http/fields/declared.js';
import { type FieldOptions, Flag, IdOf, Instant, OneOf, pageOf, Text, Texts } from '../../http/fields/fields.js';
import { instant } from '../../http/responses/reply.js';

const Url = (options: FieldOptions = {}) =>
  Text({
    description: 'Where events are sent. It begins with `https://`.',
    example: 'https://example.com/webhooks',
    max: MAX_URL_LENGTH,
    ...options,
  });

const Description = () =>
  Text({
    description: 'What the endpoint is for.',
    example: 'The gallery.',
    max: MAX_ENDPOINT_DESCRIPTION,
    nullable: true,
  });

const Events = () =>
  Texts(changeTypes.length, {
    description: 'The events that it subscribes to. Empty: all, including those of later versions.',
    example: ['photo.created'],
    maxEntry: 100,
    item: { type: 'string', enum: changeTypes, description: 'A type of event.', examples: ['photo.created'] },
  });

const readOnly = {
  id: 'it is assigned by the service.',
  disabledReason: 'it says why the endpoint is disabled.',
  createdAt: 'it is maintained by the service.',
  updatedAt: 'it is maintained by the service.',
  secret: 'it is made by the service.',
};

@RequestModel('NewOperatorWebhook', 'A webhook endpoint to create.')
export class OperatorWebhookCreationBody {
  static readonly readOnly = { ...readOnly, enabled: 'a new endpoint is enabled.' };

  @Url({ required: true })
  url: string;

  @Description()
  description?: string | null;

  @Events()
  events?: string[];
}

@RequestModel('OperatorWebhookPatch', 'The values to change. Omitted fields keep their value.')
export class OperatorWebhookPatchBody {
  static readonly readOnly = readOnly;

  @Url()
  url?: string;

  @Description()
  description?: string | null;

  @Events()
  events?: string[];

  @Flag({ description: 'Whether events are sent. Enabling the endpoint sends what is waiting.', example: true })
  enabled?: boolean;
}

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
      by_owner: 'someone disabled it',
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
