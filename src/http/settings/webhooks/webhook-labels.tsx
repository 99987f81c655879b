import type { Delivery } from '../../../core/webhooks/delivery.js';
import { type DisabledReason, FAILING_DAYS, type WebhookEndpoint } from '../../../core/webhooks/webhook-endpoint.js';
import { Badge, Moment } from '../parts.js';

const disabledWords: Readonly<Record<DisabledReason, string>> = {
  by_owner: 'Disabled manually.',
  gone: 'The receiver responded with 410 Gone.',
  failing: `No delivery succeeded for ${FAILING_DAYS} days.`,
};

/** Whether events are sent to an endpoint, and if not, why. */
export function State({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { status, disabledReason, failingSince } = endpoint;
  if (status === 'disabled') return <Badge tone={disabledReason === 'by_owner' ? 'plain' : 'bad'}>Disabled</Badge>;
  if (endpoint.listeningUntil !== null) return <Badge tone="good">A program listens</Badge>;
  return failingSince === null ? <Badge tone="good">Enabled</Badge> : <Badge tone="warn">Failing</Badge>;
}

/** What is behind the state, in a sentence or two; nothing while all is well. In a list the first will do. */
export function StateReason({ endpoint, brief = false }: { endpoint: WebhookEndpoint; brief?: boolean }) {
  const { status, disabledReason, disabledAt, failingSince } = endpoint;
  if (status === 'disabled' && disabledReason !== null) {
    return (
      <>
        {disabledWords[disabledReason]}
        {!brief && (
          <>
            {' '}
            Disabled since <Moment at={disabledAt} />.
          </>
        )}
      </>
    );
  }
  if (failingSince === null) return null;
  return (
    <>
      No delivery has succeeded since <Moment at={failingSince} />.
      {!brief && ` After ${FAILING_DAYS} days without success, it is disabled.`}
    </>
  );
}

export function eventsOf({ events }: Pick<WebhookEndpoint, 'events'>): string {
  return events.length === 0 ? 'All events' : events.join(', ');
}

export function DeliveryState({ delivery: { status, attemptedAt } }: { delivery: Delivery }) {
  if (status === 'delivered') return <Badge tone="good">Delivered</Badge>;
  if (status === 'dead') return <Badge tone="bad">Given up</Badge>;
  // The first attempt may be under way.
  return attemptedAt === null ? <Badge>Waiting</Badge> : <Badge tone="warn">Retrying</Badge>;
}

/** What the receiver said the last time, or why it said nothing. */
export function Answer({ delivery: { responseStatus, reason } }: { delivery: Delivery }) {
  if (responseStatus !== null) return <span class="code">HTTP {responseStatus}</span>;
  return <>{reason ?? 'No response yet'}</>;
}
