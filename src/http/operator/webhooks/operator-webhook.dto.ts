import { RequestModel } from '../../fields/declared.js';
import { Flag } from '../../fields/fields.js';
import { Description, Events, Url } from './webhook-fields.js';

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
