import { eventBody } from '../../src/api/webhooks/event-body.js';
import { type Actor, commandLine } from '../../src/core/audit/audit-entry.js';
import type { Event } from '../../src/core/events/event.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { Delivery } from '../../src/core/webhooks/delivery.js';
import { createWebhookEndpoint, type EndpointWithSecret } from '../../src/core/webhooks/endpoints.js';
import { deliverEvent } from '../../src/core/webhooks/send.js';
import type { EndpointInput } from '../../src/core/webhooks/webhook-endpoint.js';
import { requireEvent } from '../api/support/contract.js';
import { claimFrom } from './claim.js';
import type { World } from './core-world.js';

export const HOOK = 'https://example.com/hooks';

/** What has reached receivers, as they read it; each body is as the OpenAPI document says. */
export interface Got {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly id: string;
  readonly type: Event['type'];
  readonly timestamp: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect.
  readonly data: any;
}

export function gotBy({ webhooks }: World): Got[] {
  return webhooks.sent.map((message) => {
    requireEvent(message.body);
    return { ...message, ...JSON.parse(message.body) };
  });
}

export function hook(
  world: World,
  customerId: Id,
  input: EndpointInput = {},
  actor: Actor = commandLine,
): Promise<EndpointWithSecret> {
  return createWebhookEndpoint(world, { customerId, actor }, { ...input, url: input.url ?? HOOK });
}

/** Makes every attempt that is due. */
export async function deliverAll(world: World): Promise<void> {
  const claim = () => claimFrom(world.jobs, 'deliveries', 30);
  for (let job = await claim(); job !== null; job = await claim()) await deliverEvent(world, job, eventBody);
}

/** The delivery log of an endpoint, oldest first. */
export async function logOf(world: World, customerId: Id, endpointId: Id): Promise<Delivery[]> {
  const rows = await world.store.query(customerId, (reader) => reader.deliveries.list(endpointId, null, 10_000));
  return [...rows].reverse();
}

/**
 * What must hold for a customer who has had an endpoint for everything from the beginning: there is one event for each version of
 * each photo and tag, and one for each import that has ended.
 */
export function expectEveryVersionTold({ database }: World, customerId: Id): void {
  const told = new Map<string, Set<string>>();
  for (const { customerId: owner, type, subjectId, eventId } of database.deliveries.all()) {
    const subject = `${type.split('.')[0]} ${subjectId}`;
    if (owner === customerId) told.set(subject, (told.get(subject) ?? new Set()).add(eventId));
  }
  const own = (row: { readonly customerId: Id }) => row.customerId === customerId;
  const versions = [
    ...database.photos.where(own).map(({ id, version }) => [`photo ${id}`, version]),
    ...database.tags.where(own).map(({ id, version }) => [`tag ${id}`, version]),
    ...database.imports.where(own).map(({ id, completedAt }) => [`import ${id}`, completedAt === null ? 0 : 1]),
  ];
  expect(versions.map(([subject]) => [subject, told.get(String(subject))?.size ?? 0])).toEqual(versions);
}
