import type { Delivery } from '../../core/webhooks/delivery.js';
import {
  type DisabledReason,
  FAILING_DAYS,
  ROTATION_HOURS,
  type WebhookEndpoint,
} from '../../core/webhooks/webhook-endpoint.js';
import { Badge, Card, ContinueLink, Copied, Copyable, Heading, Moment } from '../parts.js';

export const AREA = { section: 'webhooks', styles: ['areas.css'], scripts: ['webhooks.js'] } as const;
export const ONCE = { ...AREA, scripts: ['copy.js', 'no-resend.js'] } as const;

/** Whether events are sent to an endpoint, and if not, why. */
export function State({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { status, disabledReason, failingSince } = endpoint;
  if (status === 'disabled') return <Badge tone={disabledReason === 'by_owner' ? 'plain' : 'bad'}>Disabled</Badge>;
  if (endpoint.listeningUntil !== null) return <Badge tone="good">A program listens</Badge>;
  return failingSince === null ? <Badge tone="good">Enabled</Badge> : <Badge tone="warn">Failing</Badge>;
}

const disabledWords: Readonly<Record<DisabledReason, string>> = {
  by_owner: 'Disabled manually.',
  gone: 'The receiver responded with 410 Gone.',
  failing: `No delivery succeeded for ${FAILING_DAYS} days.`,
};

/** The reason behind the state, in a sentence or two; nothing while all is well. In a list the first will do. */
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

/** The receiver's last answer, or why there was none. */
export function Answer({ delivery: { responseStatus, reason } }: { delivery: Delivery }) {
  if (responseStatus !== null) return <span class="code">HTTP {responseStatus}</span>;
  return <>{reason ?? 'No response yet'}</>;
}

/** The only page that shows a secret. */
export function ShowSecret({ endpoint, secret, isNew }: { endpoint: WebhookEndpoint; secret: string; isNew: boolean }) {
  return (
    <>
      <Heading title={isNew ? 'The endpoint was created' : 'The secret was rotated'} lead={endpoint.url} />
      <Card
        title="Its secret"
        lead="Your server uses it to verify that a request comes from this service. It is shown only once: store it safely, like a password."
      >
        <Copyable id="secret" text={secret} />
        <Copied />
        {!isNew && (
          <p class="hint">
            For {ROTATION_HOURS} hours, requests are also signed with the old secret, so that no event is lost while you
            switch.
          </p>
        )}
        <ContinueLink href={`/settings/webhooks/${endpoint.id}`} label="I have stored it" kind="primary" />
      </Card>
    </>
  );
}
