import { HttpWebhookSender } from '../adapters/webhooks/http-webhook-sender.js';
import { eventBody } from '../api/webhooks/event-body.js';
import { operatorFor } from '../core/customers/customer.js';
import type { Ports } from '../core/ports.js';
import { SECOND } from '../core/shared/clock.js';
import type { Id } from '../core/shared/ids.js';
import { deliverEvent, resendDelivery, sendTestEvent } from '../core/webhooks/deliver.js';
import type { Delivery, DeliveryBodies } from '../core/webhooks/delivery.js';
import { deleteWebhookEndpoint, readDelivery } from '../core/webhooks/endpoints.js';
import { keepListening, startListening } from '../core/webhooks/listen.js';
import { runListener } from '../worker/dispatcher.js';

/** Well within the two minutes after which nobody is taken to listen. */
const KEEP_EVERY_MS = 30 * SECOND;

export interface ListeningOptions {
  readonly url: string;
  readonly events?: readonly string[] | undefined;
  readonly secret?: string | undefined;
  /** Called with each attempt, once it has ended. */
  readonly onAttempt: (delivery: Delivery & DeliveryBodies) => void;
  readonly onError: (error: unknown) => void;
}

export interface Listening {
  readonly secret: string;
  /** Sends the event of the newest attempt again. False when there was none yet. */
  resend(): Promise<boolean>;
  /** Sends `webhook.test`. */
  test(): Promise<void>;
  /** Ends what is under way and removes the endpoint. */
  stop(): Promise<void>;
}

/** Sends the events of a customer to a URL from this process, signed and repeated as to any other endpoint, until it is stopped. */
export async function startListener(all: Ports, customerId: Id, options: ListeningOptions): Promise<Listening> {
  // To any address, this machine's included, and with what it answers: the operator of the service listens at their own terminal.
  const ports = {
    ...all,
    webhooks: new HttpWebhookSender({ allowPrivate: true, readPrivate: true, clock: all.clock }),
  };
  const { url, events, secret: wanted, onAttempt, onError } = options;
  const caller = operatorFor(customerId);
  const { endpoint, secret } = await startListening(ports, caller, { url, events, secret: wanted });
  let newest: Id | null = null;
  const running = runListener(
    ports,
    { customerId, endpointId: endpoint.id },
    async (delivery) => {
      newest = delivery.id;
      await deliverEvent(ports, delivery, eventBody);
      onAttempt(await readDelivery(ports, customerId, delivery.id));
    },
    { onError },
  );
  const keeping = setInterval(() => keepListening(ports, customerId, endpoint.id).catch(onError), KEEP_EVERY_MS);
  return {
    secret,
    async resend() {
      if (newest === null) return false;
      await resendDelivery(ports, customerId, newest);
      return true;
    },
    async test() {
      await sendTestEvent(ports, customerId, endpoint.id);
    },
    async stop() {
      clearInterval(keeping);
      await running.stop();
      await deleteWebhookEndpoint(ports, caller, endpoint.id);
    },
  };
}
