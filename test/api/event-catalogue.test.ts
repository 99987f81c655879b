import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventBody, eventSubjects } from '../../src/api/webhooks/event-body.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { createDeliveryKey } from '../../src/core/delivery/delivery-key.js';
import {
  type EventType,
  eventMeaning,
  eventTypes,
  isDeletion,
  type SubjectKind,
  subjectKind,
} from '../../src/core/events/event.js';
import type { Id } from '../../src/core/shared/ids.js';
import { createShare } from '../../src/core/shares/own-shares.js';
import { requireEvent } from './support/contract.js';
import { importPhotos, picture } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

const PAGE = join(__dirname, '../../docs/events.md');

let app: RunningApp;
let actor: Actor;
let subjects: Readonly<Record<SubjectKind, Id>>;
beforeAll(async () => {
  app = await startApp();
  actor = await app.customer('ACME');
  const [photo] = await importPhotos(app, actor, [{ filename: 'seine.jpg', content: picture('Seine') }]);
  await actor.put(`/photos/${photo.id}/tags`, { tagNames: ['Paris'] });
  const { body: tags } = await actor.get('/tags');
  const owner = operatorFor(actor.customerId);
  const { key } = await createDeliveryKey(app.ports, owner, { name: 'shop', presetsOnly: false, expiresAt: null });
  const { share } = await createShare(app.ports, owner, {
    ...{
      title: 'Paris, the selection',
      tagId: tags.data[0].id,
      photoIds: undefined,
      mayDownload: true,
      expiresAt: null,
    },
    ...{ password: null, uploadFilesLimit: 100, uploadBytesLimit: 1_000_000_000 },
  });
  const ids = { photo: photo.id, tag: tags.data[0].id, import: photo.importId, share: share.id };
  subjects = { ...ids, apiKey: actor.keyId, deliveryKey: key.id };
});
afterAll(() => app.close());

test('events show every kind of resource that they are about', () => {
  const kinds = new Set(eventTypes.map(subjectKind).filter((kind) => kind !== null));
  expect(Object.keys(eventSubjects).sort()).toEqual([...kinds].sort());
});

/** The body of an event about the subjects that are there, with what chance decides replaced. */
async function example(type: EventType): Promise<string> {
  const kind = subjectKind(type);
  const eventId = 'evt_01KAJ6ZQ4M8N6V0X2T3Y5W7B9C';
  const subjectId = kind === null ? null : subjects[kind];
  const event = { eventId, customerId: actor.customerId, type, subjectId, at: app.clock.now() };
  const body = await eventBody(app.ports, event);
  requireEvent(body);
  const chosen: Readonly<Record<string, string>> = {
    publicId: 'dk_3kTMd1PzUo8WcQ5x',
    prefix: 'phs_live_…x7Qa',
    lastFour: 'x7Qa',
  };
  return JSON.stringify(
    JSON.parse(body),
    (name, value) => (typeof value === 'string' ? (chosen[name] ?? value) : value),
    2,
  );
}

const titles: Readonly<Record<SubjectKind | 'test', string>> = {
  photo: 'Photos',
  tag: 'Tags',
  import: 'Imports',
  apiKey: 'API keys',
  deliveryKey: 'Delivery keys',
  share: 'Shares',
  test: 'Tests',
};

/** Events of one subject that are not deletions differ in their type alone: one of them is shown. */
async function sectionOf(kind: SubjectKind | 'test'): Promise<string> {
  const types = eventTypes.filter((type) => (subjectKind(type) ?? 'test') === kind);
  const shown = [types.find((type) => !isDeletion(type)), types.find(isDeletion)].filter((type) => type !== undefined);
  const rows = types.map((type) => `| \`${type}\` | ${eventMeaning(type)} |`);
  const examples = await Promise.all(
    shown.map(async (type) => `\`${type}\`:\n\n\`\`\`json\n${await example(type)}\n\`\`\``),
  );
  return [`## ${titles[kind]}`, `| Type | When |\n|---|---|\n${rows.join('\n')}`, ...examples].join('\n\n');
}

test('the catalogue of events has every type, with examples as they are sent; RECORD_EVENTS=1 writes it anew', async () => {
  const kinds = Object.keys(titles) as (SubjectKind | 'test')[];
  const intro = `Every type of event that [webhooks](webhooks.md) send, by what it is about. Types are only added: ignore those that you do not know. The examples were made by the
service; what they show of a resource is described in the API reference (\`/docs\`).`;
  const page = `${['# Events', intro, ...(await Promise.all(kinds.map(sectionOf)))].join('\n\n')}\n`;
  for (const type of eventTypes) expect(page).toContain(`| \`${type}\` |`);
  if (process.env['RECORD_EVENTS']) writeFileSync(PAGE, page);
  expect(readFileSync(PAGE, 'utf8')).toBe(page);
});
