import { type EventType, eventTypes, isDeletion, type SubjectKind, subjectKind } from '../../core/events/event.js';
import { MAX_BODY_BYTES } from '../webhooks/event-body.js';
import { account } from './account.js';
import { imports } from './imports.js';
import { photos } from './photos.js';
import { answer, id, instant, listOf, ref, type Schema, text, whole } from './schema.js';
import { tags } from './tags.js';

const meanings: Readonly<Record<EventType, string>> = {
  'photo.created': 'A photo came into the library',
  'photo.updated': 'A photo was changed, its set of tags included',
  'photo.trashed': 'A photo was moved to the trash',
  'photo.restored': 'A photo was brought back from the trash',
  'photo.deleted': 'A photo was deleted for ever',
  'tag.created': 'A tag was made',
  'tag.updated': 'A tag was changed',
  'tag.deleted': 'A tag was deleted',
  'import.completed': 'An import ended, with or without errors',
  'import.expired': 'An import that nobody used was given up',
  'import.cancelled': 'An import was discarded',
  'api_key.created': 'A key was made',
  'api_key.deleted': 'A key was deleted',
  'webhook.test': 'A test that somebody asked for',
};

/** Where the schema of each subject is, and what a body that would be too long leaves out of it. */
const subjects: Readonly<
  Record<SubjectKind, { name: string; schema: Schema | undefined; dispensable: readonly string[] }>
> = {
  photo: { name: 'EventPhoto', schema: photos.schemas['Photo'], dispensable: ['metadata', 'description', 'tags'] },
  tag: { name: 'EventTag', schema: tags.schemas['Tag'], dispensable: ['description'] },
  import: { name: 'EventImport', schema: imports.schemas['Import'], dispensable: ['tags'] },
  apiKey: { name: 'EventApiKey', schema: account.schemas['ApiKey'], dispensable: [] },
};

export const webhookSchemas: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(
    Object.values(subjects).map(({ name, schema, dispensable }) => {
      const { description, required, ...rest } = schema ?? {};
      const names = (required as readonly string[]).filter((field) => !dispensable.includes(field));
      const fields = `${String(description)} As it was when the event was sent.`;
      return [name, { ...rest, description: fields, required: names }];
    }),
  ),
  EventReference: answer('What there is no more to show of: its id alone.', { id: id('Of what was there.', 90417) }),
  ...Object.fromEntries(eventTypes.map((type) => [eventName(type), eventSchema(type)])),
};

function eventName(type: EventType): string {
  return `${type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;
}

function eventSchema(type: EventType): Schema {
  return answer(`${meanings[type]}.`, {
    type: { type: 'string', const: type, description: 'What happened.', examples: [type] },
    timestamp: instant('When it happened.'),
    id: text('Of the event: the same in every delivery of it.', 'evt_01KAJ6ZQ4M8N6V0X2T3Y5W7B9C', {
      pattern: '^evt_[0-9A-HJKMNP-TV-Z]{26}$',
    }),
    data: dataSchema(type),
  });
}

function dataSchema(type: EventType): Schema {
  const kind = subjectKind(type);
  const customerId = id('The account in which it happened.', 1);
  if (kind === null) return answer('Where it happened.', { customerId });
  const { name } = subjects[kind];
  if (isDeletion(type)) {
    return answer('Where it happened, and to what.', { customerId, [kind]: ref('EventReference') });
  }
  const fields = {
    customerId,
    version: whole('Of what is shown: drop what is below the highest that you have seen of it.', 3, { minimum: 1 }),
    [kind]: {
      description: 'As it was when this was sent; of what was gone by then, its id.',
      anyOf: [ref(name), ref('EventReference')],
    },
    omitted: listOf(
      `Fields that were left out so that the body has at most ${MAX_BODY_BYTES} bytes.`,
      text('A field.', 'metadata'),
    ),
  };
  return answer('Where it happened, and to what.', fields, { sometimes: ['version', 'omitted'] });
}

const signature = [
  { name: 'webhook-id', description: 'The `id` of the event.', example: 'evt_01KAJ6ZQ4M8N6V0X2T3Y5W7B9C' },
  {
    name: 'webhook-timestamp',
    description: 'When this attempt was made: Unix time in seconds.',
    example: '1795230983',
  },
  {
    name: 'webhook-signature',
    description:
      '`v1,` and the HMAC-SHA-256 of `id.timestamp.body` in base64; two with a space between while a secret is replaced.',
    example: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
];

/** What the service sends by itself (API.md §10). */
export const webhooks = Object.fromEntries(
  eventTypes.map((type) => [
    type,
    {
      post: {
        operationId: `on${eventName(type)}`,
        tags: ['Webhooks'],
        summary: meanings[type],
        description:
          'Sent to every endpoint that asked for it, at least once, in no particular order. docs/webhooks.md says more.',
        security: [],
        parameters: signature.map(({ name, description, example }) => ({
          name,
          in: 'header',
          required: true,
          description,
          schema: { type: 'string', examples: [example] },
        })),
        requestBody: { required: true, content: { 'application/json': { schema: ref(eventName(type)) } } },
        responses: {
          '2XX': {
            description:
              'It has arrived. Anything else within 15 seconds, or nothing, and it is tried again for three days.',
          },
          '410': { description: 'The endpoint is gone: it is disabled.' },
        },
      },
    },
  ]),
);
