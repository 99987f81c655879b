import { Command, InvalidArgumentError } from 'commander';
import { plain, print, tableOf } from 'photo-service-cli/print';
import { HttpWebhookSender } from '../adapters/webhooks/http-webhook-sender.js';
import { eventBody } from '../api/webhooks/event-body.js';
import { operatorFor } from '../core/customers/customer.js';
import type { Job } from '../core/jobs/job.js';
import type { Ports } from '../core/ports.js';
import { SECOND } from '../core/shared/clock.js';
import { reasonOf } from '../core/shared/errors.js';
import type { Id } from '../core/shared/ids.js';
import { MAX_PAGE_SIZE } from '../core/shared/pagination.js';
import type { Delivery, DeliveryBodies } from '../core/webhooks/delivery.js';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listDeliveries,
  listWebhookEndpoints,
  readDelivery,
} from '../core/webhooks/endpoints.js';
import { keepListening, startListening } from '../core/webhooks/listen.js';
import { deliverEvent, resendDelivery, sendTestEvent } from '../core/webhooks/send.js';
import type { WebhookEndpoint } from '../core/webhooks/webhook-endpoint.js';
import { DELIVERY_SLOTS, deliveryPool } from '../worker/pools.js';
import { runWorker } from '../worker/worker.js';
import { idOption, listOption, wholeOption } from './options.js';
import { addList, type OfCustomer, ofCustomer, pick, secretLines } from './resource-commands.js';
import { withPorts } from './with-ports.js';

export function webhookCommand(): Command {
  const webhooks = new Command('webhook').description('manage the webhook endpoints of a customer');

  ofCustomer(webhooks.command('create'), 'create a webhook endpoint; its secret is shown only once')
    .requiredOption('--url <url>', 'the URL to send events to')
    .option('--description <text>', 'what the endpoint is for')
    .option('--events <list>', 'for example photo.created,import.completed (default: all)', listOption)
    .action(async ({ customer, url, description, events, ...options }: CreateOptions) => {
      const { endpoint, secret } = await withPorts((ports) =>
        createWebhookEndpoint(ports, operatorFor(customer), { url, description, events }),
      );
      print(options, { ...endpointJson(endpoint), secret }, [
        `Webhook endpoint ${endpoint.id} for customer ${endpoint.customerId}: ${endpoint.url}`,
        ...secretLines('Its secret', secret),
      ]);
    });

  const listed = ['webhookEndpoints', endpointJson] as const;
  addList(webhooks, 'list the webhook endpoints of a customer', listWebhookEndpoints, listed, {
    ID: ({ id }) => id,
    URL: ({ url }) => url,
    EVENTS: ({ events }) => events.join(',') || 'all',
    STATUS: ({ status, disabledReason }) => (disabledReason === null ? status : `disabled (${disabledReason})`),
    'FAILING SINCE': ({ failingSince }) => failingSince,
  });

  ofCustomer(webhooks.command('delete'), 'delete a webhook endpoint and its pending deliveries')
    .argument('<id>', 'the id of the endpoint', idOption)
    .action(async (id: Id, options: OfCustomer) => {
      await withPorts((ports) => deleteWebhookEndpoint(ports, operatorFor(options.customer), id));
      print(options, { id, deleted: true }, [`Webhook endpoint ${id} deleted.`]);
    });

  ofCustomer(webhooks.command('test'), 'send webhook.test to an endpoint; the running service delivers it')
    .argument('<id>', 'the id of the endpoint', idOption)
    .action(async (id: Id, options: OfCustomer) => {
      const { eventId } = await withPorts((ports) => sendTestEvent(ports, options.customer, id));
      print(options, { id, eventId }, [`${eventId} is waiting to be sent to webhook endpoint ${id}.`]);
    });

  ofCustomer(webhooks.command('log'), 'list the newest deliveries to an endpoint, of the last 30 days')
    .argument('<id>', 'the id of the endpoint', idOption)
    .option('--limit <n>', `maximum number of deliveries, 1 to ${MAX_PAGE_SIZE}`, limitOption, 20)
    .action(async (id: Id, { limit, ...options }: OfCustomer & { limit: number }) => {
      const { data } = await withPorts((ports) => listDeliveries(ports, options.customer, id, { limit, cursor: null }));
      const lines = tableOf(data, {
        ID: ({ id }) => id,
        CREATED: ({ createdAt }) => createdAt,
        EVENT: ({ type }) => type,
        STATUS: ({ status }) => status,
        ATTEMPTS: ({ attempt }) => attempt,
        RESPONSE: ({ reason, responseStatus }) => reason ?? responseStatus,
      });
      print(options, { deliveries: data.map(deliveryJson) }, lines);
    });

  ofCustomer(webhooks.command('show'), 'show what was sent in a delivery, and the beginning of what was answered')
    .argument('<id>', 'the id of the delivery, from phs webhook log', idOption)
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

  ofCustomer(
    webhooks.command('resend'),
    'send a delivery of the log again, with the same event id; the running service delivers it',
  )
    .argument('<id>', 'the id of the delivery, from phs webhook log', idOption)
    .action(async (id: Id, options: OfCustomer) => {
      const delivery = await withPorts((ports) => resendDelivery(ports, options.customer, id));
      print(options, deliveryJson(delivery), [
        `${delivery.eventId} is waiting to be sent to webhook endpoint ${delivery.endpointId} again.`,
      ]);
    });

  return webhooks;
}

interface CreateOptions extends OfCustomer {
  readonly url: string;
  readonly description?: string;
  readonly events?: readonly string[];
}

function limitOption(text: string): number {
  const limit = wholeOption(text);
  if (limit < 1 || limit > MAX_PAGE_SIZE) throw new InvalidArgumentError(`It must be 1 to ${MAX_PAGE_SIZE}.`);
  return limit;
}

function deliveryJson(delivery: Delivery) {
  return {
    ...pick(delivery, 'id', 'endpointId', 'eventId', 'type', 'subjectId', 'status'),
    attempts: delivery.attempt,
    nextAttemptAt: delivery.dueAt,
    ...pick(delivery, 'responseStatus', 'reason', 'createdAt', 'endedAt'),
  };
}

function endpointJson(endpoint: WebhookEndpoint) {
  const about = pick(endpoint, 'id', 'customerId', 'url', 'description', 'events');
  return { ...about, ...pick(endpoint, 'status', 'disabledAt', 'disabledReason', 'failingSince', 'createdAt') };
}

interface ListenOptions extends OfCustomer {
  readonly forwardTo: string;
  readonly events?: readonly string[];
  readonly secret?: string;
}

export function listenCommand(): Command {
  return ofCustomer(new Command('listen'), 'send the events of a customer to a program on this machine, until Ctrl-C')
    .requiredOption('--forward-to <url>', 'where the program receives webhooks, such as http://localhost:8080/webhooks')
    .option('--events <list>', 'for example photo.created,import.completed (default: all)', listOption)
    .option('--secret <secret>', 'the secret that signs, whsec_… (default: a new one)')
    .option('--json', 'print one JSON document at the end')
    .action(async (options: ListenOptions) => {
      await withPorts(async (ports) => {
        const counts = { delivered: 0, failed: 0 };
        const say = options.json ? console.error : console.log;
        const listening = await startListener(ports, options, (delivery) => {
          counts[delivery.status === 'delivered' ? 'delivered' : 'failed'] += 1;
          // What a program answers may hold anything.
          say(plain(attemptText(delivery)));
        });
        say(`Events of customer ${options.customer} are sent to ${options.forwardTo}, signed with ${listening.secret}`);
        await ended(listening);
        await listening.stop();
        print(options, counts, [`${counts.delivered} delivered, ${counts.failed} failed`]);
      });
    });
}

function attemptText(delivery: Delivery & DeliveryBodies): string {
  const { type, eventId, responseStatus, responseBody, reason, status, dueAt } = delivery;
  const answer = responseStatus === null ? reason : `HTTP ${responseStatus}`;
  const firstLine = status === 'delivered' || responseBody === null ? '' : ` ${responseBody.split('\n', 1)[0]}`;
  const again = status === 'pending' && dueAt !== null ? `; again at ${dueAt.toISOString()}` : '';
  return `${type} ${eventId}: ${answer}${firstLine}${again}`;
}

function sayError(error: unknown): void {
  console.error(`phs: ${reasonOf(error)}`);
}

/** Resolves at Ctrl-C, which a terminal that passes on single keys passes on as one. */
async function ended(listening: Awaited<ReturnType<typeof startListener>>): Promise<void> {
  const { stdin } = process;
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
    const keys: Readonly<Record<string, () => void>> = {
      r: () => void listening.resend().catch(sayError),
      t: () => void listening.test().catch(sayError),
      '\u0003': resolve,
    };
    if (stdin.isTTY) {
      stdin.setRawMode(true);
      console.error('Press r to send the last event again, t to send a test event, Ctrl-C to end.');
    }
    stdin.on('data', (bytes) => keys[String(bytes)]?.());
  });
  if (stdin.isTTY) stdin.setRawMode(false);
  stdin.pause();
}

/**
 * Sends the events of a customer to a URL from this process, signed and repeated as to any other endpoint, until it is stopped.
 * @param onAttempt Called with each attempt, once it has ended.
 */
async function startListener(
  all: Ports,
  { customer: customerId, forwardTo: url, events, secret: wanted }: ListenOptions,
  onAttempt: (delivery: Delivery & DeliveryBodies) => void,
) {
  // To any address, this machine's included, and with what it answers: the operator of the service listens at their own terminal.
  const ports = {
    ...all,
    webhooks: new HttpWebhookSender({ allowPrivate: true, readPrivate: true, clock: all.clock }),
  };
  const caller = operatorFor(customerId);
  const { endpoint, secret } = await startListening(ports, caller, { url, events, secret: wanted });
  let newest: Id | null = null;
  const attempt = async (job: Job<'deliveries'>) => {
    const { deliveryId } = job.work;
    newest = deliveryId;
    await deliverEvent(ports, job, eventBody);
    onAttempt(await readDelivery(ports, customerId, deliveryId));
  };
  const only = { customerId, lane: String(endpoint.id) };
  const pool = { ...deliveryPool(attempt, { onError: sayError }), slots: { all: DELIVERY_SLOTS.lane }, only };
  const running = runWorker(ports, [pool]);
  // Well within the two minutes after which no program is taken to listen.
  const keeping = setInterval(() => keepListening(ports, customerId, endpoint.id).catch(sayError), 30 * SECOND);
  return {
    secret,
    /** Sends the event of the newest attempt again, if there was one. */
    async resend() {
      if (newest !== null) await resendDelivery(ports, customerId, newest);
    },
    test: () => sendTestEvent(ports, customerId, endpoint.id),
    /** Ends what is under way and removes the endpoint. */
    async stop() {
      clearInterval(keeping);
      await running.stop();
      await deleteWebhookEndpoint(ports, caller, endpoint.id);
    },
  };
}
