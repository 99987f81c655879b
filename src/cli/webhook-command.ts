import { Command, InvalidArgumentError } from 'commander';
import { print, table } from 'photo-service-cli/print';
import { operatorFor } from '../core/customers/customer.js';
import type { Id } from '../core/shared/ids.js';
import { MAX_PAGE_SIZE } from '../core/shared/pagination.js';
import { resendDelivery, sendTestEvent } from '../core/webhooks/deliver.js';
import type { Delivery } from '../core/webhooks/delivery.js';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listDeliveries,
  listWebhookEndpoints,
  readDelivery,
} from '../core/webhooks/endpoints.js';
import type { WebhookEndpoint } from '../core/webhooks/webhook-endpoint.js';
import { idOption, listOption, wholeOption } from './options.js';
import { secretLines } from './secret-lines.js';
import { withPorts, withPortsOf } from './with-ports.js';

export function webhookCommand(): Command {
  return new Command('webhook')
    .description('manage the webhook endpoints of a customer')
    .addCommand(create())
    .addCommand(list())
    .addCommand(remove())
    .addCommand(test())
    .addCommand(log())
    .addCommand(show())
    .addCommand(resend());
}

interface OfCustomer {
  readonly customer: Id;
  readonly json?: boolean;
}

interface CreateOptions extends OfCustomer {
  readonly url: string;
  readonly description?: string;
  readonly events?: readonly string[];
}

function create(): Command {
  return new Command('create')
    .description('create a webhook endpoint; its secret is shown only once')
    .requiredOption('--customer <id>', 'the id of the customer', idOption)
    .requiredOption('--url <url>', 'the URL to send events to')
    .option('--description <text>', 'what the endpoint is for')
    .option('--events <list>', 'for example photo.created,import.completed (default: all)', listOption)
    .option('--json', 'print one JSON document')
    .action(async (options: CreateOptions) => {
      const { url, description, events } = options;
      const { endpoint, secret } = await withPorts((ports) =>
        createWebhookEndpoint(ports, operatorFor(options.customer), { url, description, events }),
      );
      print(options, { ...endpointJson(endpoint), secret }, [
        `Webhook endpoint ${endpoint.id} for customer ${endpoint.customerId}: ${endpoint.url}`,
        ...secretLines('Its secret', secret),
      ]);
    });
}

function list(): Command {
  return new Command('list')
    .description('list the webhook endpoints of a customer')
    .requiredOption('--customer <id>', 'the id of the customer', idOption)
    .option('--json', 'print one JSON document')
    .action(async (options: OfCustomer) => {
      const endpoints = await withPortsOf(options.customer, (ports) => listWebhookEndpoints(ports, options.customer));
      const rows = endpoints.map((endpoint) => [
        String(endpoint.id),
        endpoint.url,
        endpoint.events.join(',') || 'all',
        endpoint.disabledReason === null ? endpoint.status : `disabled (${endpoint.disabledReason})`,
        endpoint.failingSince?.toISOString() ?? '',
      ]);
      const head = ['ID', 'URL', 'EVENTS', 'STATUS', 'FAILING SINCE'];
      print(options, { webhookEndpoints: endpoints.map(endpointJson) }, table([head, ...rows]));
    });
}

function remove(): Command {
  return new Command('delete')
    .description('delete a webhook endpoint and its pending deliveries')
    .argument('<id>', 'the id of the endpoint', idOption)
    .requiredOption('--customer <id>', 'the id of the customer', idOption)
    .option('--json', 'print one JSON document')
    .action(async (id: Id, options: OfCustomer) => {
      await withPorts((ports) => deleteWebhookEndpoint(ports, operatorFor(options.customer), id));
      print(options, { id, deleted: true }, [`Webhook endpoint ${id} deleted.`]);
    });
}

function test(): Command {
  return new Command('test')
    .description('send webhook.test to an endpoint; the running service delivers it')
    .argument('<id>', 'the id of the endpoint', idOption)
    .requiredOption('--customer <id>', 'the id of the customer', idOption)
    .option('--json', 'print one JSON document')
    .action(async (id: Id, options: OfCustomer) => {
      const { eventId } = await withPorts((ports) => sendTestEvent(ports, options.customer, id));
      print(options, { id, eventId }, [`${eventId} is waiting to be sent to webhook endpoint ${id}.`]);
    });
}

function limitOption(text: string): number {
  const limit = wholeOption(text);
  if (limit < 1 || limit > MAX_PAGE_SIZE) throw new InvalidArgumentError(`It must be 1 to ${MAX_PAGE_SIZE}.`);
  return limit;
}

interface LogOptions extends OfCustomer {
  readonly limit: number;
}

function log(): Command {
  return new Command('log')
    .description('list the newest deliveries to an endpoint, of the last 30 days')
    .argument('<id>', 'the id of the endpoint', idOption)
    .requiredOption('--customer <id>', 'the id of the customer', idOption)
    .option('--limit <n>', `maximum number of deliveries, 1 to ${MAX_PAGE_SIZE}`, limitOption, 20)
    .option('--json', 'print one JSON document')
    .action(async (id: Id, options: LogOptions) => {
      const { limit } = options;
      const { data } = await withPorts((ports) => listDeliveries(ports, options.customer, id, { limit, cursor: null }));
      const rows = data.map((delivery) => [
        String(delivery.id),
        delivery.createdAt.toISOString(),
        delivery.type,
        delivery.status,
        String(delivery.attempt),
        delivery.reason ?? String(delivery.responseStatus ?? ''),
      ]);
      const head = ['ID', 'CREATED', 'EVENT', 'STATUS', 'ATTEMPTS', 'RESPONSE'];
      print(options, { deliveries: data.map(deliveryJson) }, table([head, ...rows]));
    });
}

function show(): Command {
  return new Command('show')
    .description('show what was sent in a delivery, and the beginning of what was answered')
    .argument('<id>', 'the id of the delivery, from phs webhook log', idOption)
    .requiredOption('--customer <id>', 'the id of the customer', idOption)
    .option('--json', 'print one JSON document')
    .action(async (id: Id, options: OfCustomer) => {
      const delivery = await withPorts((ports) => readDelivery(ports, options.customer, id));
      const { requestBody, responseBody, responseStatus, reason } = delivery;
      const answer = responseStatus === null ? (reason ?? 'no response yet') : `HTTP ${responseStatus}`;
      print(options, { ...deliveryJson(delivery), requestBody, responseBody }, [
        `${delivery.type} ${delivery.eventId}: ${delivery.status}, ${answer}`,
        ...['', 'Request:', requestBody ?? '(not stored)'],
        ...['', 'Response:', ...(responseBody ?? '(not stored)').split(/\r?\n/)],
      ]);
    });
}

function resend(): Command {
  return new Command('resend')
    .description('send a delivery of the log again, with the same event id; the running service delivers it')
    .argument('<id>', 'the id of the delivery, from phs webhook log', idOption)
    .requiredOption('--customer <id>', 'the id of the customer', idOption)
    .option('--json', 'print one JSON document')
    .action(async (id: Id, options: OfCustomer) => {
      const delivery = await withPorts((ports) => resendDelivery(ports, options.customer, id));
      print(options, deliveryJson(delivery), [
        `${delivery.eventId} is waiting to be sent to webhook endpoint ${delivery.endpointId} again.`,
      ]);
    });
}

function deliveryJson(delivery: Delivery) {
  return {
    id: delivery.id,
    endpointId: delivery.endpointId,
    eventId: delivery.eventId,
    type: delivery.type,
    subjectId: delivery.subjectId,
    status: delivery.status,
    attempts: delivery.attempt,
    nextAttemptAt: delivery.dueAt?.toISOString() ?? null,
    responseStatus: delivery.responseStatus,
    reason: delivery.reason,
    createdAt: delivery.createdAt.toISOString(),
    endedAt: delivery.endedAt?.toISOString() ?? null,
  };
}

function endpointJson(endpoint: WebhookEndpoint) {
  return {
    id: endpoint.id,
    customerId: endpoint.customerId,
    url: endpoint.url,
    description: endpoint.description,
    events: endpoint.events,
    status: endpoint.status,
    disabledAt: endpoint.disabledAt?.toISOString() ?? null,
    disabledReason: endpoint.disabledReason,
    failingSince: endpoint.failingSince?.toISOString() ?? null,
    createdAt: endpoint.createdAt.toISOString(),
  };
}
