import { type EventType, eventTypes } from '../../core/events/event.js';
import { SECOND } from '../../core/shared/clock.js';
import type { Page } from '../../core/shared/pagination.js';
import {
  BODY_DAYS,
  DELIVERY_LEASE_SECONDS,
  type Delivery,
  type DeliveryBodies,
  type DeliveryFilters,
  type DeliveryStatus,
  LOG_DAYS,
  MAX_DELIVERY_ATTEMPTS,
} from '../../core/webhooks/delivery.js';
import type { WebhookEndpoint } from '../../core/webhooks/webhook-endpoint.js';
import { MAX_ANSWER_BYTES } from '../../core/webhooks/webhook-sender.js';
import { oneOfQuery } from '../address.js';
import { Button, Field, Form } from '../form.js';
import { useFormats } from '../formats.js';
import { Card, Empty, Heading, LinkButton, Moment, Paging, Table } from '../parts.js';
import { Answer, DeliveryState, eventsOf, State, StateReason } from './webhooks.view.js';

interface EndpointPageProps {
  readonly endpoint: WebhookEndpoint;
  readonly log: Page<Delivery>;
  readonly query: LogQuery;
  readonly cursor: string;
  readonly now: Date;
}

export function EndpointPage({ endpoint, log, query, cursor, now }: EndpointPageProps) {
  const path = `/settings/webhooks/${endpoint.id}`;
  const isOn = endpoint.status === 'enabled';
  const events = [['', 'Any'] as const, ...eventTypes.map((type) => [type, type] as const)];
  return (
    <>
      <Heading title="Webhook endpoint" lead={<span class="code">{endpoint.url}</span>}>
        {isOn && (
          <Form action={`${path}/test`}>
            <Button kind="plain">Send a test event</Button>
          </Form>
        )}
        <LinkButton href={`${path}/edit`} label="Edit" />
      </Heading>
      <Card title="Details">
        <dl class="facts">
          <dt>State</dt>
          <dd data-live-part="state">
            <State endpoint={endpoint} /> <StateReason endpoint={endpoint} />
          </dd>
          <dt>Events</dt>
          <dd>{eventsOf(endpoint)}</dd>
          {endpoint.description && (
            <>
              <dt>Description</dt>
              <dd>{endpoint.description}</dd>
            </>
          )}
          <dt>Secret</dt>
          <dd>
            {endpoint.previousSecretUntil === null || endpoint.previousSecretUntil <= now ? (
              <>Shown only when it was created.</>
            ) : (
              <>
                Rotated; events are also signed with the old secret until <Moment at={endpoint.previousSecretUntil} />.
              </>
            )}
          </dd>
          <dt>Created</dt>
          <dd>
            <Moment at={endpoint.createdAt} />
          </dd>
        </dl>
        <div class="buttons">
          <Form action={`${path}/${isOn ? 'disable' : 'enable'}`}>
            <Button kind="plain">{isOn ? 'Disable' : 'Enable'}</Button>
          </Form>
          <LinkButton href={`${path}/secret`} label="Rotate the secret…" />
          <LinkButton href={`${path}/delete`} label="Delete…" />
        </div>
      </Card>
      <section class="log">
        <h2>Deliveries</h2>
        <p class="lead">
          Of the last {LOG_DAYS} days, newest first. A failed event is attempted {MAX_DELIVERY_ATTEMPTS} times within
          about three days, a test event once.
        </p>
        <form class="filters card" action={`/settings/webhooks/${endpoint.id}`} aria-label="Filter">
          <Field label="State" name="state" input={{ value: query.state }} choices={logStates} />
          <Field label="Event" name="event" input={{ value: query.event }} choices={events} />
          <Button kind="plain">Filter</Button>
        </form>
        <div data-live={isOn ? nextChange(log.data, now) : undefined} data-live-in-place="" data-live-part="deliveries">
          <Log endpoint={endpoint} log={log} query={query} cursor={cursor} />
        </div>
      </section>
    </>
  );
}

/**
 * Milliseconds until a delivery of these may have another state; undefined when none will. One whose attempt has begun is due when its lease
 * expires, and any that is due as soon may be such a one: its result may come at any moment.
 */
function nextChange(deliveries: readonly Delivery[], now: Date): number | undefined {
  const waits = deliveries.flatMap(({ status, dueAt }) =>
    status === 'pending' && dueAt !== null ? dueAt.getTime() - now.getTime() : [],
  );
  if (waits.length === 0) return undefined;
  const soonest = Math.min(...waits);
  return soonest <= DELIVERY_LEASE_SECONDS * SECOND ? 0 : soonest;
}

/** The filters of an endpoint's log, as its address says. Empty: not set. */
interface LogQuery extends Readonly<Record<string, string>> {
  readonly state: string;
  readonly event: string;
}

const logStates: readonly (readonly [DeliveryStatus | '', string])[] = [
  ['', 'Any'],
  ['delivered', 'Delivered'],
  ['pending', 'Waiting or retrying'],
  ['dead', 'Given up'],
];

/** Values that mean nothing are not set. */
export function readLogQuery(parameters: Readonly<Record<string, unknown>>): LogQuery {
  const [state, event] = [oneOfQuery(parameters['state']), oneOfQuery(parameters['event'])];
  return {
    state: logStates.some(([name]) => name === state) ? state : '',
    event: eventTypes.some((type) => type === event) ? event : '',
  };
}

export function logFilters({ state, event }: LogQuery): DeliveryFilters {
  return {
    ...(state !== '' && { status: state as DeliveryStatus }),
    ...(event !== '' && { type: event as EventType }),
  };
}

function Log({ endpoint, log, query, cursor }: Pick<EndpointPageProps, 'endpoint' | 'log' | 'query' | 'cursor'>) {
  if (log.data.length === 0 && Object.values(query).some((value) => value !== '')) {
    return (
      <Empty icon="search" title="No matching deliveries">
        <p>
          <a href={`/settings/webhooks/${endpoint.id}`}>Show all</a>
        </p>
      </Empty>
    );
  }
  if (log.data.length === 0) {
    return (
      <Empty icon="send" title="Nothing sent yet">
        <p>The next event for this endpoint, or a test event, will be listed here.</p>
      </Empty>
    );
  }
  return (
    <>
      <Table
        caption="Deliveries"
        columns={['Event', 'State', 'Attempts', 'Answer', 'Next attempt', '']}
        rows={log.data.map((delivery) => ({ key: delivery.id, cells: cellsOf(delivery, endpoint) }))}
      />
      <Paging
        page={log}
        path={`/settings/webhooks/${endpoint.id}`}
        query={query}
        cursor={cursor}
        label="Pages of deliveries"
      />
    </>
  );
}

function cellsOf(delivery: Delivery, endpoint: WebhookEndpoint) {
  return [
    <>
      <a href={`/settings/webhooks/${endpoint.id}/deliveries/${delivery.id}`}>{delivery.type}</a>
      <span class="small code soft">{delivery.eventId}</span>
    </>,
    <DeliveryState key="state" delivery={delivery} />,
    String(delivery.attempt),
    <>
      <Answer delivery={delivery} />
      <span class="small soft">
        <Moment at={delivery.attemptedAt} none="" />
      </span>
    </>,
    delivery.status === 'pending' && endpoint.status === 'disabled' ? (
      'when enabled'
    ) : (
      <Moment key="next" at={delivery.status === 'pending' ? delivery.dueAt : null} none="–" />
    ),
    endpoint.status === 'enabled' && (
      <Form
        key="do"
        class="actions"
        action={`/settings/webhooks/${endpoint.id}/deliveries/${delivery.id}`}
        label={`Resend ${delivery.eventId}`}
      >
        <button type="submit" class="button plain small" id={`resend-${delivery.id}`}>
          Resend
        </button>
      </Form>
    ),
  ];
}

export function WebhookDeliveryPage({ delivery }: { delivery: Delivery & DeliveryBodies }) {
  const formats = useFormats();
  return (
    <>
      <Heading title="Delivery" lead={<span class="code">{delivery.eventId}</span>}>
        <LinkButton href={`/settings/webhooks/${delivery.endpointId}`} label="Back" />
      </Heading>
      <Card title="Details">
        <dl class="facts">
          <dt>Event</dt>
          <dd class="code">{delivery.type}</dd>
          <dt>State</dt>
          <dd>
            <DeliveryState delivery={delivery} />
          </dd>
          <dt>Attempts</dt>
          <dd>{delivery.attempt}</dd>
          <dt>Last attempt</dt>
          <dd>
            <Moment at={delivery.attemptedAt} none="none yet" />
          </dd>
          <dt>Answer</dt>
          <dd>
            <Answer delivery={delivery} />
          </dd>
        </dl>
      </Card>
      <Body
        title="Request"
        text={delivery.requestBody === null ? null : JSON.stringify(JSON.parse(delivery.requestBody), null, 2)}
      />
      <Body
        title="Response"
        lead={`The first ${formats.number(MAX_ANSWER_BYTES)} bytes, without what looks like a secret. Responses of private addresses are not stored.`}
        text={delivery.responseBody}
      />
    </>
  );
}

function Body({ title, lead, text }: { title: string; lead?: string; text: string | null }) {
  return (
    <Card title={title} {...(lead !== undefined && { lead })}>
      {text === null ? (
        <p class="soft">Nothing is stored. Bodies are removed after {BODY_DAYS} days.</p>
      ) : (
        <pre class="body">{text}</pre>
      )}
    </Card>
  );
}
