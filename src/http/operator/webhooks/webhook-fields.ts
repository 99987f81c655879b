import { MAX_URL_LENGTH } from '../../../core/access/outgoing-url.js';
import { changeTypes } from '../../../core/events/event.js';
import { MAX_ENDPOINT_DESCRIPTION } from '../../../core/webhooks/webhook-endpoint.js';
import { type FieldOptions, Text } from '../../fields/fields.js';
import { Texts } from '../../fields/lists.js';

export const Url = (options: FieldOptions = {}) =>
  Text({
    description: 'Where events are sent. It begins with `https://`.',
    example: 'https://example.com/webhooks',
    max: MAX_URL_LENGTH,
    ...options,
  });

export const Description = () =>
  Text({
    description: 'What the endpoint is for.',
    example: 'The gallery.',
    max: MAX_ENDPOINT_DESCRIPTION,
    nullable: true,
  });

export const Events = () =>
  Texts(changeTypes.length, {
    description: 'The events that it subscribes to. Empty: all, including those of later versions.',
    example: ['photo.created'],
    maxEntry: 100,
    item: { type: 'string', enum: changeTypes, description: 'A type of event.', examples: ['photo.created'] },
  });
