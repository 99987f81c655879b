import { eventSubjects, MAX_BODY_BYTES } from '../../../src/api/webhooks/event-body.js';
import { type EventType, eventMeaning, eventTypes, isDeletion, subjectKind } from '../../../src/core/events/event.js';
import { answer, id, instant, listOf, ref, type Schema, text, whole } from '../../../src/http/fields/declared.js';

function eventName(type: EventType): string {
  return `${type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;
}

function dataSchema(type: EventType): Schema {
  const kind = subjectKind(type);
  const customerId = id('The account in which the event happened.', 1);
  if (kind === null) return answer('The account.', { customerId });
  if (isDeletion(type)) {
    return answer('The account and the affected resource.', { customerId, [kind]: ref('EventReference') });
  }
  const fields = {
    customerId,
    version: whole(
      'The version of the resource. Ignore an event whose version is lower than the highest you have seen for it.',
      3,
      { minimum: 1 },
    ),
    [kind]: {
      description: 'The resource at the time of sending, or only its id if it no longer exists.',
      anyOf: [...[eventSubjects[kind]].flatMap((of) => (of ? ref(`Event${of.schema}`) : [])), ref('EventReference')],
    },
    omitted: listOf(
      `Fields omitted to keep the body within ${MAX_BODY_BYTES} bytes.`,
      text('The name of a field.', 'metadata'),
    ),
  };
  return answer('The account and the affected resource.', fields, { sometimes: ['version', 'omitted'] });
}

const signature = [
  { name: 'webhook-id', description: 'The `id` of the event.', example: 'evt_01KAJ6ZQ4M8N6V0X2T3Y5W7B9C' },
  {
    name: 'webhook-timestamp',
    description: 'When this delivery attempt was made, as a Unix time in seconds.',
    example: '1795230983',
  },
  {
    name: 'webhook-signature',
    description:
      '`v1,` followed by the base64 HMAC-SHA-256 of `id.timestamp.body`. While a secret is being rotated there are two signatures, separated by a space.',
    example: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
];

export const webhooks = {
  // Of what events show, some of which is in no endpoint.
  subjectRefs: Object.values(eventSubjects).map(({ schema }) => ref(schema)),
  schemas: (resources: Readonly<Record<string, Schema>>): Record<string, Schema> => ({
    ...Object.fromEntries(
      Object.values(eventSubjects).map((subject) => {
        const { description, required, ...rest } = resources[subject.schema] ?? {};
        const names = (required as readonly string[]).filter((field) => !subject.dispensable.includes(field));
        const fields = `${String(description)} The values are those at the time of sending.`;
        return [`Event${subject.schema}`, { ...rest, description: fields, required: names }];
      }),
    ),
    EventReference: answer('A resource that no longer exists, by its id.', {
      id: id('The id of the deleted resource.', 90417),
    }),
    ...Object.fromEntries(
      eventTypes.map((type) => {
        const schema = answer(`${eventMeaning(type)}.`, {
          type: { type: 'string', const: type, description: 'The type of the event.', examples: [type] },
          timestamp: instant('When the event happened.'),
          id: text(
            'The unique identifier of the event, the same in every delivery.',
            'evt_01KAJ6ZQ4M8N6V0X2T3Y5W7B9C',
            {
              pattern: '^evt_[0-9A-HJKMNP-TV-Z]{26}$',
            },
          ),
          data: dataSchema(type),
        });
        return [eventName(type), schema];
      }),
    ),
  }),
  paths: Object.fromEntries(
    eventTypes.map((type) => {
      const post = {
        operationId: `on${eventName(type)}`,
        tags: ['Webhooks'],
        summary: eventMeaning(type),
        description:
          'Sent to every endpoint that subscribes to it, at least once, in no particular order. See [Webhooks](/docs/guides/webhooks).',
        security: [],
        parameters: signature.map(({ name, description, example }) => {
          const schema = { type: 'string', examples: [example] };
          return { name, in: 'header', required: true, description, schema };
        }),
        requestBody: { required: true, content: { 'application/json': { schema: ref(eventName(type)) } } },
        responses: {
          '2XX': {
            description:
              'The event was received. Any other response, or none within 15 seconds, is retried for three days.',
          },
          '410': { description: 'The endpoint is gone and will be disabled.' },
        },
      };
      return [type, { post }];
    }),
  ),
};
